//! Records signals inside a machine while it runs.
//!
//! A [`WaveRecorder`] writes a waveform file. The observed machine is a [`WaveSubject`], its observable
//! signals are [`Watchable`], and the chosen ones are a [`Selection`]. Signals belong to nodes, to
//! the shared circuit, or to links. Signals of nodes and of the shared circuit have their names in
//! the emitted Verilog. Nodes and links have the names of the text that selected them. The recorder
//! is an [`Observer`](engine::Observer), and takes time only in the steps of its [`Window`].
//!
//! Each network decodes its own links with a [`LinkDecoder`]. The decoder of a TDMA machine is
//! `networks::tdma::wires`. [`decode_uart`] returns the bytes of a wire, like a logic analyser's UART
//! decoder.
//!
//! In a file one nanosecond stands for a clock cycle, counted from the start of the run. The value
//! of a signal is its settled value before the clock edge.

mod decoder;
mod error;
mod format;
mod hierarchy;
mod recorder;
mod sim_time;
mod steps;
mod taps;
mod uart;
mod watch;
mod watchable;
mod window;

pub use decoder::{LinkDecoder, LinkProbe, LinkSignal, LinkStep, SignalType, NO_TEXT};
pub use error::WatchError;
pub use format::{FileKind, Fst, UnknownFormat, Var, Vcd, WaveError, WaveFormat, WaveValue};
pub use recorder::WaveRecorder;
pub use sim_time::SimTime;
pub use steps::{Period, StepName, Steps, WaveSubject};
pub use taps::Taps;
pub use uart::{decode_uart, WireByte};
pub use watch::{parse_link, WatchScope, WatchSpec};
pub use watchable::{Selection, Watchable, WatchableLinks};
pub use window::Window;
