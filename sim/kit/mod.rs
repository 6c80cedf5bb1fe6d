//! The pin mux kit: that its hand-written Verilog is the project's own circuit,
//! that its own test benches pass and find faults, and what it costs.

mod benches;
mod designs;
mod directory;
mod equal;
mod lint;
mod mutants;
mod synthesis;
mod timing;
