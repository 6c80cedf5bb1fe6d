//! Machines: a node circuit plus a topology, run on traffic.
//!
//! * [`mod@array`]: a machine as a circuit, which every engine converts to its own form;
//! * [`MachineDriver`] and [`drive`]: the environment of a machine, and the loop that runs it;
//! * [`Delivery`], [`RunStats`], [`Outcome`]: outcomes of the messages;
//! * [`WordDriver`]: a driver for nodes that take messages as whole words;
//! * [`Silicon`]: the circuits of a node that are synthesised;
//! * [`networks`]: one folder per network, and the registry;
//! * [`program`]: compilation of C programs for the nodes, and the images that they become;
//! * [`wave`]: recording of signals; [`values`]: data of programs; [`flags`]: command line flags that
//!   several commands share.

pub mod array;
mod bare_core;
pub mod bounded;
mod circuit;
mod delivery;
mod drive;
mod engine_kind;
mod event;
pub mod flags;
pub mod format_count;
mod histogram;
mod load;
pub mod networks;
mod outcome;
pub mod program;
mod programs;
mod ratio;
mod run_end;
mod silicon;
mod timebase;
mod traps;
mod trim;
pub mod values;
pub mod wave;
mod words;

pub use bare_core::{
    BareCore, BareProgress, BareRun, BareVerdict, WaitLoop, BARE_MEMORY, BARE_MEMORY_MAX,
};
pub use circuit::MachineCircuit;
pub use delivery::Delivery;
pub use drive::{drive, drive_for, MachineDriver, RunControl, RunError, StepStatus};
pub use engine_kind::EngineKind;
pub use event::{
    merge_by_phase, LogLine, MessageEvent, MessageEventKind, NodeEvent, NodeEventKind,
};
pub use histogram::Histogram;
pub use load::{Load, LoadError};
pub use outcome::{HeldMessage, JsonEntry, Latency, Outcome, RunInfo, RunStats};
pub use programs::{CoreState, ProgramResults, ProgramState};
pub use ratio::{format_number, format_optional, format_percent, ratio};
pub use run_end::{EndReason, RunEnd};
pub use silicon::{memory_bits, Silicon, SynthesisUnit, WholeNode, SYNTHESISED_DIMS};
pub use timebase::{Timebase, WireCounts};
pub use traps::{CoreMonitor, Trap};
pub use trim::Trim;
pub use words::{WordDriver, WordPorts};
