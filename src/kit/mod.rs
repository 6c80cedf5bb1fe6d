//! Kits: directories of plain Verilog that work without this project, each proven
//! equal to the project's own circuit; the designs that are published; and what all published
//! Verilog says of itself.

mod bench;
mod blocks;
mod catalog;
mod dims;
pub mod pin_mux;
mod publication;
mod stimulus;

pub use bench::{kit, KitError};
pub use blocks::{Block, BLOCKS, WHOLE};
pub use catalog::{catalog, Catalogued, Source, NAMED};
pub use dims::{ranges, NoSuchDims};
pub use publication::publication;
pub use stimulus::{clock_cycles, sensible};
