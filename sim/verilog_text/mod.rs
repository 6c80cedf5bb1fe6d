//! The emitted Verilog as text. Changes are readable (`golden`), names are declared before use
//! (`declared`), and neither Verilator nor yosys reports anything (`lint`).

mod declared;
mod diff;
mod golden;
mod lint;
mod oddities;
mod vectors;
