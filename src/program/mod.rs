//! Programs for the soft core, compiled and ready for a memory.
//!
//! * `elf`: the segments of an ELF file;
//! * `sources`, `compile`: the project's C sources, and from C to ELF;
//! * `node_kind`: the kinds of nodes that programs are for;
//! * `symbols`: the functions of a program by their addresses;
//! * `firmware`, `image`: the words that a node's program store holds;
//! * `shipped`: the project's programs, which come compiled; `built`, compiled here;
//! * `name`, `open`: a program by what a user calls it;
//! * `board_memory`: what nodes and host hold on a board;
//! * `byte_network`: the networks of bytes that go on one.

mod board_memory;
mod built;
mod byte_network;
mod compile;
mod elf;
mod error;
mod firmware;
mod hosted_header;
mod image;
mod name;
mod node_kind;
mod open;
mod shipped;
pub mod sources;
mod symbols;

pub use board_memory::BoardMemory;
pub use byte_network::ByteNetwork;
pub use elf::{DoesNotFit, ElfError, Image, Segment};
pub use error::{FirmwareError, RENEW};
pub use firmware::Firmware;
pub use name::ProgramName;
pub use node_kind::NodeKind;
pub use shipped::Shipped;
pub use symbols::{Place, Symbols};
