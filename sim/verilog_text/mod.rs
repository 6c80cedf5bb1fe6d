//! The emitted Verilog as text: a person can read what changed (`golden`), names are
//! declared before their use (`declared`), and neither Verilator nor yosys reports
//! anything (`lint`).

mod declared;
mod diff;
mod golden;
mod lint;
mod oddities;
mod vectors;
