//! Test benches and waveforms for circuits.
//!
//! * [`TestBench`]: clocked stimulus and expected values, in the evaluator or in all lanes of the
//!   lockstep engine;
//! * [`wave`]: waveform files in the formats VCD and FST, and the hierarchy of a circuit in them.

mod bench;

pub use bench::{BenchError, Mismatch, PrintedLine, TestBench};

/// Waveform files, and the signals of a circuit in them.
///
/// * `format`: file formats VCD and FST behind one trait, [`WaveFormat`](wave::WaveFormat);
/// * `hierarchy`: variables for the signals of an instance, under their names in Verilog.
pub mod wave {
    mod format;
    mod hierarchy;

    pub use format::{FileKind, Fst, UnknownFormat, Var, Vcd, WaveError, WaveFormat, WaveValue};
    pub use hierarchy::{declare_instance, SignalVar, NO_TEXT};
}

/// Compiles and runs the code in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
