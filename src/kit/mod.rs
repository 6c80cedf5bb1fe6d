//! Kits: directories of plain Verilog that work without this project, each proven
//! equal to the project's own circuit; and what all published Verilog says of itself.

pub mod pin_mux;
mod publication;

pub use publication::publication;
