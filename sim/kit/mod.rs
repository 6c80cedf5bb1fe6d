//! The pin mux kit. Its hand-written Verilog equals the project's own circuit, its test benches
//! pass and detect faults, and its cost matches its README.

mod benches;
mod designs;
mod directory;
mod equal;
mod lint;
mod mutants;
mod synthesis;
mod timing;
