//! Synchronous circuits, and engines that simulate them clock cycle by clock cycle.
//!
//! * [`design`]: hierarchical, word-level description with `if` and `case`. People read circuits in
//!   this form, and Verilog is printed from it.
//! * [`netlist`]: the same circuit flattened into single-assignment word operations, for
//!   simulation.
//! * [`eval`]: small, simple evaluator of a netlist, the reference for every faster engine.
//! * [`lanes`]: fast engine for many linked copies of one netlist. A bit of all copies is one
//!   vector.
//!
//! The path of a circuit to its evaluator and to the machine code of the lanes:
//!
//! ```text
//! +------------+ flatten  +--------------------+             +-----------------+
//! |   Design   |--------->|   Netlist: words   |------------>| eval: Evaluator |
//! +------------+          +--------------------+             +-----------------+
//!                                    |                        the reference: one
//!                                    | plan: bit_blast,       copy, net by net
//!                                    v layout, sources
//!                         +--------------------+
//!                         |GateGraph: one lane |
//!                         +--------------------+
//!                                    |
//!                                    | sweep (merge equal gates), then the cover
//!                                    v by instruction set
//!                         +--------------------+      order, schedule
//!                         |      GateList      |----------------------+
//!                         +--------------------+                      |
//!                                    |                                |
//!                                    | groups, partition              |
//!                                    v                                |
//!       activity, tuning  +--------------------+                      v
//!     +------------------>|      Segments      |             +-----------------+
//!     | (cuts the         +--------------------+             |tape: interpreter|
//!     | segments again)              |                       +-----------------+
//!     |                              | order, schedule                |
//!     |                              v                                |
//!     |                   +--------------------+                      |
//!     |                   |   ScheduleSteps    |                      |
//!     |                   +--------------------+                      |
//!     |                              |                                |
//!     |                              | jit: registers, emit           |
//!     |                              v                                |
//!     |                   +--------------------+                      |
//!     |                   |MachineCode         |                      |
//!     |                   +--------------------+                      |
//!     |                              |                                |
//!     |                              |                                |
//!     |                              v                                v
//!     |                   +----------------------------------------------------+
//!     +-------------------|  chunk: a frame of bit vectors, 128 to 512 lanes   |
//!                         |                   memory: words                    |
//!                         +----------------------------------------------------+
//!                                                   ^
//!                                                   | published bits
//!                                                   v
//!                         +----------------------------------------------------+
//!                         |    blackboard, routes: bits to the linked lanes    |
//!                         +----------------------------------------------------+
//! ```
//!
//! The crate is independent of `rust-hdl` and of hypercubes.

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod design;
pub mod eval;
pub mod lanes;
pub mod netlist;
