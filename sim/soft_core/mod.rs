//! The soft core does what RV32I says.
//!
//! *Truth*: `rrs-lib`, an instruction-set simulator that others wrote, runs the
//! same random programs (`lockstep`); hand-written programs reach the edges
//! (`edges`), others the edges of each instruction (`signatures`). *Agreement*:
//! reference, evaluator and Verilator show the same on every output in every clock
//! cycle (`agreement`). *Time*: how many clock cycles each instruction takes (`time`).

mod agreement;
mod bench;
mod edges;
mod isa;
mod lockstep;
mod model;
mod program;
mod signatures;
mod time;
