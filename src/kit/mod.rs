//! Kits: directories of plain Verilog that work without this project, each proven
//! equal to the project's own circuit.

pub mod pin_mux;
