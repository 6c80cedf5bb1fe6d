//! A machine of some network, in the words that all networks have.

use super::{Job, Refusal};
use crate::engine::{NodeEngine, Observer, Stream};
use crate::machine::{
    Account, Driver, Entry, Load, LoadError, MachineCircuit, Silicon, Timebase, Wires,
};
use crate::program::{Firmware, FirmwareError};
use crate::traffic::MessageList;
use crate::wave::Subject;
use hdl::lower::LowerErrors;
use std::path::Path;
use std::sync::Arc;

/// A machine of some network, built for certain messages.
pub trait Machine {
    /// What it is called in a table, without a comma.
    fn label(&self) -> &'static str;

    /// What it is, as the beginning of a summary: `3-cube, acked link`.
    fn headline(&self) -> String {
        self.circuit().topology().name()
    }

    /// What it was built for, for `--json`.
    fn settings(&self) -> Vec<Entry> {
        vec![]
    }

    fn circuit(&self) -> &dyn MachineCircuit;

    fn timebase(&self) -> Timebase;

    /// Wires between nodes; what one circuit tells all of them is in the array. Unless it
    /// says otherwise, a channel leaves by each port.
    fn wires(&self) -> Wires {
        let ports = self.circuit().topology().ports();
        Wires {
            per_node: f64::from(ports),
            pins: 2 * ports,
        }
    }

    /// What it is for those who look inside: topology, time, and what its links say.
    fn subject(&self) -> Subject;

    /// A place of a node that an [`Event`](crate::machine::Event) names by its number, as it is printed.
    fn place_name(&self, place: u32) -> String {
        format!("link {place}")
    }

    /// Whether messages may be lost in this machine.
    fn may_lose(&self) -> bool {
        false
    }

    /// Periods without a move after which it is stuck; `None` if it cannot be. Unless it
    /// says otherwise 8: without timeouts, what moves at all moves sooner.
    fn stuck_after(&self) -> Option<u64> {
        Some(8)
    }

    /// Fetches and builds what it needs, once all has been checked that can be checked
    /// without; what it has got, in a line. Files go to this folder.
    ///
    /// # Errors
    /// If a program cannot be had.
    fn prepare(&mut self, work_dir: &Path) -> Result<Option<String>, FirmwareError> {
        let _ = work_dir;
        Ok(None)
    }

    /// What its nodes run, once it is [prepared](Self::prepare); `None` if no program.
    fn firmware(&self) -> Option<&Firmware> {
        None
    }

    /// What makes it anew for each list of messages, if it carries none but those that it was
    /// made for. `None` of a machine that takes messages as they come.
    fn made_for(&self) -> Option<&dyn MadeFor> {
        None
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

    /// Signals inside a node that these look at.
    fn watched(&self) -> Vec<String> {
        vec![]
    }

    /// Of a machine that is measured: what its nodes are, in a sentence.
    fn nodes_in_words(&self) -> String {
        format!("Nodes of the {}.", self.headline())
    }

    /// Of a machine that can be measured: what its nodes hand over, word by word.
    fn stream(&self) -> Option<Stream> {
        None
    }

    /// Signals inside a node that count like its outputs when it is measured.
    fn bus(&self) -> Vec<String> {
        vec![]
    }

    /// The circuits that are worth a synthesis; `None` if it is not of a size that is
    /// [`SYNTHESISED`](crate::machine::SYNTHESISED).
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        Ok(None)
    }
}

/// A kind of machine that is made for certain messages, all of which are known beforehand.
pub trait MadeFor {
    /// The machine for these messages, between processors, and when its nodes are given each.
    ///
    /// # Errors
    /// [`Refusal::Size`] if there is none for so many.
    fn job(&self, messages: &Arc<MessageList>) -> Result<Job, Refusal>;
}

/// Somebody who looks at a machine while it runs, and has something to say in the end.
pub trait Study: Observer {
    /// What is printed after the summary.
    fn text(self: Box<Self>, account: &Account) -> String;
}
