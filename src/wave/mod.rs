//! Looking inside a machine while it runs.
//!
//! A [`Recorder`] writes a file of waveforms. What is looked at is a [`Subject`], what
//! can be watched of it is [`Watchable`], what is watched a [`Selection`] of that:
//! signals of nodes and of the circuit that there is one of, under their names in the
//! emitted Verilog, and of links; nodes and links are called as in the text that chose
//! them. It is an [`Observer`](crate::engine::Observer) and costs something in the
//! steps of its [`Window`] only.
//!
//! What is on a link only its network knows: a [`LinkDecoder`] reads it. That of a TDMA
//! machine is `networks::tdma::wires`; [`decode`] has the bytes of a wire, as a logic analyser's UART
//! decoder would.
//!
//! In a file one nanosecond stands for a clock cycle, counted from the start of the
//! run; the value of a signal is the settled one, before the clock edge.

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
