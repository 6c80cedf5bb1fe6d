//! Reads Verilog, elaborated by yosys, as a netlist for the lockstep engine.
//!
//! [`YosysJob`] writes the script with which yosys reads the sources, flattens them and writes
//! them as JSON. [`import`] turns this JSON into a [`Netlist`](lockstep::netlist::Netlist). The
//! caller runs yosys.
//!
//! ```text
//! +---------+ YosysJob  +-------+ JSON  +--------+ words  +----------+ finish  +---------+
//! | Verilog |---------->| yosys |------>| import |------->| NetDraft |-------->| Netlist |
//! +---------+  script   +-------+       +--------+        +----------+         +---------+
//!                                           |
//!                                           +-- cells: operations of words
//!                                           +-- registers: flip-flops of each kind
//!                                           +-- memory: memory ports
//! ```
//!
//! The netlist has one clock, of which either edge may be the active one. The clock port is not an
//! input of the netlist: the engine's clock edge is the active edge. Inputs change between two
//! active edges. A value that Verilog leaves undefined (`x`) is 0: initial values that are not
//! given, reads outside a memory or a word, division by zero.
//!
//! Rejected, each with its position in the source: several clocks, both edges of a clock, a clock that
//! is not a port or that logic reads, latches, tri-state drivers, `inout` ports, modules without
//! contents, and combinational loops.

mod cells;
mod delays;
mod error;
mod json;
mod memory;
mod module;
mod registers;
mod script;

pub use delays::delays;
pub use error::{ImportError, ImportFault};
pub use module::{import, import_signed, ClockEdge, Imported, SIGNATURE};
pub use script::YosysJob;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
