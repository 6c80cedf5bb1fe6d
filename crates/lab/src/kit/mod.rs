//! Kits are directories of plain Verilog that work without this project. Each is proven equivalent
//! to the project's own circuit. The module also has the catalogue of published designs, and the
//! header of all published Verilog.

mod bench;
mod blocks;
mod catalog;
mod dims;
pub mod pin_mux;
mod publication;
mod stimulus;

pub use bench::{kit, KitError};
pub use blocks::{MeasuredBlock, BLOCKS, WHOLE_DESIGNS};
pub use catalog::{catalog, CatalogEntry, DesignSource, NAMED_DESIGNS};
pub use dims::{ranges, DesignDimsError};
pub use publication::publication;
pub use stimulus::{clock_cycles, default_stimulus};
