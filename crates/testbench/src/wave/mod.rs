//! Waveform files, and the signals of a circuit in them.
//!
//! * `format`: file formats VCD and FST behind one trait, [`WaveFormat`];
//! * `hierarchy`: variables for the signals of an instance, under their names in Verilog.

mod format;
mod hierarchy;

pub use format::{FileKind, Fst, UnknownFormat, Var, Vcd, WaveError, WaveFormat, WaveValue};
pub use hierarchy::{declare_instance, SignalVar, NO_TEXT};
