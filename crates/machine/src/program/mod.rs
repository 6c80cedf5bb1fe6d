//! Programs for the soft core, compiled and ready for a memory.
//!
//! * `elf`: segments of an ELF file;
//! * `sources`: C sources of the project;
//! * `compile`: compilation from C to ELF;
//! * `node_kind`: kinds of nodes for which programs are compiled;
//! * `symbols`: functions of a program by their addresses;
//! * `firmware`, `image`: words in the program store of a node;
//! * `shipped`: programs that are distributed in compiled form;
//! * `build_cache`: programs that are compiled on this computer;
//! * `name`, `open`: opening a program by the name that the user gives;
//! * `board_memory`: initial memory of the nodes and the supervisor on a board;
//! * `byte_network`: byte networks that fit on a board.

mod board_memory;
mod build_cache;
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
pub use elf::{DoesNotFit, ElfError, ElfImage, Segment};
pub use error::{FirmwareError, REGENERATE_COMMAND};
pub use firmware::Firmware;
pub use name::ProgramName;
pub use node_kind::NodeKind;
pub use shipped::ShippedProgram;
pub use symbols::{CodePosition, Symbols};
