//! The emitted Verilog as text: a person can read what changed (`golden`), and
//! neither Verilator nor yosys has anything to say about it (`lint`).

mod diff;
mod golden;
mod lint;
mod oddities;
mod vectors;
