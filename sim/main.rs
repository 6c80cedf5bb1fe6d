//! The tests of whole machines, one module per area. `sim/README.md` lists the property that each
//! area tests, and its tier.

mod board;
mod channel_loads;
mod claims;
mod cm1;
mod command_line;
mod compare;
mod compiled;
mod cube;
mod equivalence;
mod firmware;
mod first_frame;
mod foreign_block;
mod foreign_network;
mod functional;
mod host;
mod hosted;
mod kit;
mod metacube;
mod model;
mod model_adaptive;
mod model_golden;
mod model_metacube;
mod panel;
mod proofs;
mod published;
mod random_kernels;
mod refused;
mod rotation;
mod rust_hdl_faults;
mod simulate;
mod support;
mod sweep;
mod torus;
mod verilog_text;
mod waves;
