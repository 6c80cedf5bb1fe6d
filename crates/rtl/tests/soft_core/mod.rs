//! The soft core implements RV32I.
//!
//! *Truth*: `rrs-lib`, an independent instruction-set simulator, runs the same random programs
//! (`lockstep`). Hand-written programs test edge cases (`edges`), and others test the edges of each
//! instruction (`signatures`). *Agreement*: reference, evaluator and Verilator agree on every
//! output in every clock cycle (`agreement`). *Time*: the clock cycles that each instruction takes
//! (`time`).

mod agreement;
mod bench;
mod edges;
mod isa;
mod lockstep;
mod model;
mod program;
mod signatures;
