//! Machines: a node circuit plus a topology, run on traffic.
//!
//! * [`array`]: a machine as a circuit, which every engine takes in its own form;
//! * [`Machine`]: a machine of some network, in the words that all have;
//! * [`Driver`] and [`drive`]: what is around a machine, and the loop that runs it;
//! * [`Fate`], [`Account`], [`Outcome`]: what became of the messages;
//! * [`Silicon`]: the circuits of a node that are worth a synthesis.

pub mod array;
mod bare_core;
mod circuit;
pub mod cm1;
pub mod cube;
mod drive;
mod event;
mod fate;
mod frame;
mod histogram;
pub mod hosted;
mod link;
mod load;
mod outcome;
mod silicon;
pub mod skew;
mod start;
mod timebase;
mod timing;
mod traps;
mod trim;

pub use bare_core::{BareCore, BareRun, Sign, Verdict, Wait, BARE_MEMORY, BARE_MEMORY_MAX};
pub use circuit::{MachineCircuit, MAX_REFERENCE_DIMS};
pub use drive::{drive, Control, Driver, End, Ran, RunError, Step};
pub use event::{merged, Event, LogLine, Note, Noted, What};
pub use fate::Fate;
pub use frame::{DecodeError, Frame, HEADER_ROUTED, HEADER_SEQUENCE};
pub use histogram::Histogram;
pub use link::{LinkMachine, LinkRun, LinkRunError};
pub use load::{Load, LoadError};
pub use outcome::{Account, Entry, Labels, Latency, Outcome};
pub use silicon::{memory_bits, Part, Silicon, WholeNode, SYNTHESISED};
pub use start::EngineKind;
pub use timebase::{Timebase, Wires};
pub use timing::PhaseTiming;
pub use traps::Trap;
pub use trim::Trim;

use crate::engine::{NodeEngine, Observer};
use crate::lower::LowerErrors;
use crate::program::FirmwareError;
use crate::routing::Schedule;
use std::path::Path;

/// A machine of some network, built for certain messages.
pub trait Machine {
    /// What it is called in a table, without a comma.
    fn label(&self) -> &'static str;

    /// What it is, as the beginning of a summary: `3-cube, acked link`.
    fn headline(&self) -> String;

    /// What it was built for, for `--json`.
    fn settings(&self) -> Vec<Entry>;

    fn circuit(&self) -> &dyn MachineCircuit;

    fn timebase(&self) -> Timebase;

    /// Wires between nodes; what one circuit tells all of them is in the array.
    fn wires(&self) -> Wires;

    /// Who sends when, in a network whose nodes take turns.
    fn schedule(&self) -> Option<&dyn Schedule> {
        None
    }

    /// What links look like, in a machine whose wires can be read.
    fn links(&self) -> Option<PhaseTiming> {
        None
    }

    /// A place of a node that an [`Event`] names by its number, as it is printed.
    fn place_name(&self, place: u32) -> String {
        format!("link {place}")
    }

    /// Whether messages may be lost in this machine.
    fn may_lose(&self) -> bool {
        false
    }

    /// Periods without a move after which it is stuck; `None` if it cannot be.
    fn stuck_after(&self) -> Option<u64>;

    /// Fetches and builds what it needs, once all has been checked that can be checked
    /// without; what it has got, in a line. Files go to this folder.
    ///
    /// # Errors
    /// If a program cannot be had.
    fn prepare(&mut self, work_dir: &Path) -> Result<Option<String>, FirmwareError> {
        let _ = work_dir;
        Ok(None)
    }

    /// What drives it on an engine that has just been started with the circuit.
    ///
    /// # Errors
    /// If it cannot carry such messages.
    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn Driver + 'a>, LoadError>;

    /// What its flags asked for that did not happen in a run of so many steps, with what
    /// would be accepted.
    fn unmet(&self, steps: u64) -> Option<String> {
        let _ = steps;
        None
    }

    /// Those who look at it while it runs because its flags ask for it.
    fn studies(&self, engine: &mut dyn NodeEngine) -> Vec<Box<dyn Study>> {
        let _ = engine;
        vec![]
    }

    /// The circuits that are worth a synthesis; `None` if it is not of a size that is
    /// [`SYNTHESISED`].
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors>;
}

/// Somebody who looks at a machine while it runs, and has something to say in the end.
pub trait Study: Observer {
    /// What is printed after the summary.
    fn text(self: Box<Self>, account: &Account) -> String;
}
