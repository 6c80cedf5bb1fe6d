//! The built program does what its arguments ask for. It rejects invalid input with a helpful
//! sentence, the right exit code, and no half-written files.

mod arithmetic;
mod bad_input;
mod bench;
mod claims;
mod cm1;
mod compare;
// The test of zsh needs a terminal.
#[cfg(unix)]
mod completions;
mod core_test;
mod cores;
mod cost;
mod cut;
mod data;
mod data_observed;
mod deadlock;
mod debugger;
mod documented;
mod elf;
mod firmware;
pub mod flags;
mod guard;
mod help;
mod run_stats;
// The test reads `/proc`.
#[cfg(target_os = "linux")]
mod interrupt;
mod languages;
mod load;
mod look;
mod memory;
mod outputs;
mod pages;
pub mod program;
mod readme;
mod rotation;
mod route;
mod run;
mod starc;
mod sweep;
#[cfg(unix)]
mod terminal;
mod tools;
mod torus;
mod verilog;
