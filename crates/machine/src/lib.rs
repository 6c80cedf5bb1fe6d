//! Machines: a node circuit plus a topology, run on traffic.
//!
//! * [`mod@array`]: a machine as a circuit, which every engine converts to its own form;
//! * [`MachineDriver`] and [`drive`]: the environment of a machine, and the loop that runs it;
//! * [`Delivery`], [`RunStats`], [`Outcome`]: outcomes of the messages;
//! * [`ChannelUse`]: the load of each channel between nodes;
//! * [`WordDriver`]: a driver for nodes that take messages as whole words;
//! * [`Silicon`]: the circuits of a node that are synthesised;
//! * [`catalog`]: every circuit with a name, for Verilog, cost and proofs;
//! * [`networks`]: one folder per network, and the registry;
//! * [`program`]: compilation of C programs for the nodes, and the images that they become;
//! * [`verilog`]: elaboration of the user's Verilog; [`user_core`]: its use as the core of a node;
//! * [`text`]: tables and paragraphs on a terminal;
//! * [`wave`]: recording of signals; [`values`]: data of programs; [`flags`]: command line flags that
//!   several commands share.

pub mod array;
mod arrivals;
mod bare_core;
pub mod bounded;
pub mod catalog;
mod channel_use;
mod cost;
mod drive;
mod event;
pub mod flags;
pub mod networks;
mod outcome;
pub mod program;
mod programs;
pub mod text;
pub mod user_core;
pub mod values;
pub mod verilog;
pub mod wave;
mod words;

pub use bare_core::{
    BareCore, BareProgress, BareRun, BareVerdict, WaitLoop, BARE_MEMORY, BARE_MEMORY_MAX,
};
pub use channel_use::ChannelUse;
pub use cost::{
    memory_bits, Silicon, SynthesisUnit, Timebase, Trim, WholeNode, WireCounts, SYNTHESISED_DIMS,
};
pub use drive::{
    drive, drive_for, EndReason, EngineKind, Load, LoadError, MachineCircuit, MachineDriver,
    RunControl, RunError, StepStatus, NO_PROGRAM,
};
pub use event::{
    merge_by_phase, LogLine, MessageEvent, MessageEventKind, NodeEvent, NodeEventKind,
};
pub use outcome::{
    format_number, format_optional, format_percent, ratio, Delivery, HeldMessage, Histogram,
    JsonEntry, Latency, Outcome, RunStats,
};
pub use programs::{
    call_chain, data_word, CoreMonitor, CoreState, DroppedMessage, LocatedTrap, PrintedText,
    ProgramResults, ProgramState, RefusedSends, RuntimeReport, Trap, CONTEXT_WORDS, CORE_CONTEXT,
    CORE_DATA, CORE_REGISTERS,
};
pub use words::{WordDriver, WordPorts};
