//! Machines: a node circuit plus a topology, run on traffic.
//!
//! * [`mod@array`]: a machine as a circuit, which every engine converts to its own form;
//! * [`Driver`] and [`drive`]: the environment of a machine, and the loop that runs it;
//! * [`Fate`], [`Account`], [`Outcome`]: outcomes of the messages;
//! * [`WordDriver`]: a driver for nodes that take messages as whole words;
//! * [`Silicon`]: the circuits of a node that are synthesised.

pub mod array;
mod bare_core;
mod circuit;
mod drive;
mod end;
mod event;
mod fate;
mod histogram;
mod load;
mod outcome;
mod programs;
mod ratio;
mod silicon;
mod start;
mod timebase;
mod traps;
mod trim;
mod words;

pub use bare_core::{BareCore, BareRun, Sign, Verdict, Wait, BARE_MEMORY, BARE_MEMORY_MAX};
pub use circuit::MachineCircuit;
pub use drive::{drive, drive_for, Control, Driver, RunError, Step};
pub use end::{End, Ran};
pub use event::{merged, Event, EventKind, LogLine, Note, NoteKind};
pub use fate::Fate;
pub use histogram::Histogram;
pub use load::{Load, LoadError};
pub use outcome::{Account, Entry, Held, Labels, Latency, Outcome};
pub use programs::{Programs, State, Whereabouts};
pub use ratio::{count, number, percent, ratio};
pub use silicon::{memory_bits, Part, Silicon, WholeNode, SYNTHESISED};
pub use start::EngineKind;
pub use timebase::{Timebase, Wires};
pub use traps::{Cores, Trap};
pub use trim::Trim;
pub use words::{WordDriver, WordPorts};
