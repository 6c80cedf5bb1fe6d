//! Kits: directories of plain Verilog that work without this project, each proven
//! equal to the project's own circuit; the designs that are published; and what all published
//! Verilog says of itself.

mod catalog;
pub mod pin_mux;
mod publication;

pub use catalog::Catalogued;
pub use publication::publication;
