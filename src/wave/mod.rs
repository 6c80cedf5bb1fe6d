//! Looking inside a machine while it runs.
//!
//! A [`Recorder`] writes a file of waveforms. What can be watched is a [`Catalog`],
//! what is watched a [`Selection`] of it: signals of nodes and of the circuit that
//! there is one of, under their names in the emitted Verilog, and of links; nodes and
//! links are called as in the text that chose them. It is
//! an [`Observer`](crate::engine::Observer) and costs something in the phases of its
//! [`Window`] only.
//!
//! A [`LinkProbe`] [`Capture`]s a wire phase by phase; [`decode`] has the bytes of it,
//! as a logic analyser's UART decoder would, and [`Reading`] what they mean.
//!
//! In a file one nanosecond stands for a clock cycle, counted from the start of the
//! run; the value of a signal is the settled one, before the clock edge.

mod capture;
mod catalog;
mod decoded;
mod error;
mod format;
mod hierarchy;
mod link_probe;
mod reading;
mod recorder;
mod taps;
mod uart;
mod watch;
mod window;

pub use capture::Capture;
pub use catalog::{Catalog, LinkSignal, Selection};
pub use error::WatchError;
pub use format::{FileKind, Format, Fst, UnknownFormat, Value, Var, Vcd, WaveError};
pub use link_probe::{LinkProbe, Seen, Wire};
pub use reading::{Answer, Part, ReadByte, Reading};
pub use recorder::Recorder;
pub use taps::Taps;
pub use uart::{decode, WireByte};
pub use watch::{link, links, Place, Watch};
pub use window::{Beat, Moment, Window};
