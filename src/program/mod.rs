//! Programs for the soft core, compiled and ready for a memory.
//!
//! * `elf`: segments of an ELF file;
//! * `sources`, `compile`: the project's C sources, and their compilation to ELF;
//! * `node_kind`: kinds of nodes for which programs are compiled;
//! * `symbols`: functions of a program by their addresses;
//! * `firmware`, `image`: words of a node's program store;
//! * `shipped`: the project's programs, which are distributed compiled;
//! * `built`: programs that are compiled on this computer;
//! * `open`: selection of a program by name or file;
//! * `board_memory`: memory of nodes and supervisor on a board;
//! * `byte_network`: byte networks that run on a board.

mod board_memory;
mod built;
mod byte_network;
mod compile;
mod elf;
mod error;
mod firmware;
mod hosted_header;
mod image;
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
pub use node_kind::NodeKind;
pub use shipped::Shipped;
pub use symbols::{Place, Symbols};
