//! Records signals inside a machine while it runs.
//!
//! A [`Recorder`] writes a waveform file. The observed machine is a [`Subject`], its observable
//! signals are [`Watchable`], and the chosen ones are a [`Selection`]. Signals belong to nodes, to
//! the shared circuit, or to links. Signals of nodes and of the shared circuit have their names in
//! the emitted Verilog. Nodes and links have the names of the text that selected them. The recorder
//! is an [`Observer`](crate::engine::Observer), and takes time only in the steps of its [`Window`].
//!
//! Each network decodes its own links with a [`LinkDecoder`]. The decoder of a TDMA machine is
//! `networks::tdma::wires`. [`decode`] returns the bytes of a wire, like a logic analyser's UART
//! decoder.
//!
//! In a file one nanosecond stands for a clock cycle, counted from the start of the run. The value
//! of a signal is its settled value before the clock edge.

mod decoder;
mod error;
mod format;
mod hierarchy;
mod moment;
mod recorder;
mod steps;
mod taps;
mod uart;
mod watch;
mod watchable;
mod window;

pub use decoder::{LinkDecoder, LinkProbe, LinkSignal, LinkStep, Shape, NOTHING};
pub use error::WatchError;
pub use format::{FileKind, Format, Fst, UnknownFormat, Value, Var, Vcd, WaveError};
pub use moment::Moment;
pub use recorder::Recorder;
pub use steps::{Period, Steps, Subject, Word};
pub use taps::Taps;
pub use uart::{decode, WireByte};
pub use watch::{link, Watch, WatchPlace};
pub use watchable::{Selection, Watchable, WatchableLinks};
pub use window::Window;
