//! Programs for the nodes: from C or ELF to the words of the program store.

mod compile;
mod error;
mod firmware;
mod image;
pub mod sources;

pub use error::FirmwareError;
pub use firmware::Firmware;
