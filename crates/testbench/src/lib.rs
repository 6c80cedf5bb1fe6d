//! Test benches and waveforms for circuits.
//!
//! * [`TestBench`]: clocked stimulus and expected values, in the evaluator or in all lanes of the
//!   lockstep engine;
//! * [`wave`]: waveform files in the formats VCD and FST, and the hierarchy of a circuit in them.

mod bench;
pub mod wave;

pub use bench::{BenchError, Mismatch, PrintedLine, TestBench};

/// Compiles and runs the code in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
