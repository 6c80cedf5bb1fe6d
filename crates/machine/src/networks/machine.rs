//! Common interface of the machines of all networks.

use super::{MachineJob, NetworkError};
use crate::program::{Firmware, FirmwareError};
use crate::wave::WaveSubject;
use crate::{
    JsonEntry, Load, LoadError, MachineCircuit, MachineDriver, RunStats, Silicon, Timebase,
    WireCounts,
};
use engine::{NodeEngine, Observer, WordStream};
use hdl::lower::LowerErrors;
use interconnect::traffic::MessageList;
use std::path::Path;
use std::sync::Arc;

/// Machine of some network, built for certain messages.
pub trait Machine {
    /// Returns the name of the machine in tables, without a comma.
    fn label(&self) -> &'static str;

    /// Returns the first words of a summary, for example `3-cube, acked link`.
    fn headline(&self) -> String {
        self.circuit().topology().name()
    }

    /// Returns the parameters of the machine, for `--json`.
    fn settings(&self) -> Vec<JsonEntry> {
        vec![]
    }

    fn circuit(&self) -> &dyn MachineCircuit;

    fn timebase(&self) -> Timebase;

    /// Returns the wires between nodes. Signals from a shared circuit to all nodes are not
    /// included, because the array lists them. By default one channel leaves by each port.
    fn wire_counts(&self) -> WireCounts {
        let ports = self.circuit().topology().ports();
        WireCounts {
            per_node: f64::from(ports),
            pins: 2 * ports,
        }
    }

    /// Returns topology, time base and link decoders, for observers of the inside of the machine.
    fn subject(&self) -> WaveSubject;

    /// Returns the printed name of a buffer, slot or queue of a node, given its number in an
    /// [`MessageEvent`](crate::MessageEvent).
    fn buffer_name(&self, buffer: u32) -> String {
        format!("link {buffer}")
    }

    /// True if messages may be lost in this machine.
    fn may_lose(&self) -> bool {
        false
    }

    /// Returns the periods without a movement after which the machine is deadlocked, or `None` if
    /// it cannot deadlock. The default is 8, because a machine without timeouts moves sooner if it
    /// moves at all.
    fn deadlock_after(&self) -> Option<u64> {
        Some(8)
    }

    /// Fetches and builds the program, after all checks that are possible without it. Returns a
    /// line that describes the result. Files go to `work_dir`.
    ///
    /// # Errors
    /// If a program cannot be fetched or built.
    fn prepare(&mut self, work_dir: &Path) -> Result<Option<String>, FirmwareError> {
        let _ = work_dir;
        Ok(None)
    }

    /// Returns the program of the nodes, once it is [prepared](Self::prepare). `None` if the nodes
    /// run no program.
    fn firmware(&self) -> Option<&Firmware> {
        None
    }

    /// Returns the builder of a new machine for each list of messages. `None` for a machine that
    /// accepts any messages.
    fn machine_builder(&self) -> Option<&dyn MachineBuilder> {
        None
    }

    /// Returns the driver of the machine on an engine that has just been started with the circuit.
    ///
    /// # Errors
    /// If the machine cannot carry such messages.
    fn driver<'a>(
        &self,
        engine: &'a mut dyn NodeEngine,
        load: Load,
    ) -> Result<Box<dyn MachineDriver + 'a>, LoadError>;

    /// Returns a message about flags that had no effect in a run of `steps` steps. The message
    /// includes the accepted values.
    fn ineffective_flags(&self, steps: u64) -> Option<String> {
        let _ = steps;
        None
    }

    /// Returns the observers that the flags select.
    fn studies(&self, engine: &mut dyn NodeEngine) -> Vec<Box<dyn Study>> {
        let _ = engine;
        vec![]
    }

    /// Returns the internal signals of a node that these observers read.
    fn watched_signals(&self) -> Vec<String> {
        vec![]
    }

    /// Describes the nodes in one sentence, for the measurement of engines.
    fn describe_nodes(&self) -> String {
        format!("Nodes of the {}.", self.headline())
    }

    /// Returns the output stream of the nodes for the measurement of engines, word by word. `None`
    /// if the machine cannot be measured.
    fn stream(&self) -> Option<WordStream> {
        None
    }

    /// Returns internal signals of a node that the measurement compares in addition to the outputs.
    fn bus_signals(&self) -> Vec<String> {
        vec![]
    }

    /// Returns the circuits to synthesise. `None` if the size of the machine is not in
    /// [`SYNTHESISED_DIMS`](crate::SYNTHESISED_DIMS).
    ///
    /// # Errors
    /// A released circuit causes no error, because the tests lower it.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors> {
        Ok(None)
    }
}

/// Builder of machines for a list of messages that is known in advance.
pub trait MachineBuilder {
    /// Returns the machine for these messages between processors, and the time at which each
    /// message reaches its source.
    ///
    /// # Errors
    /// [`NetworkError::Size`] if there is no machine for that many messages.
    fn job(&self, messages: &Arc<MessageList>) -> Result<MachineJob, NetworkError>;
}

/// Observer of a running machine that prints a text at the end.
pub trait Study: Observer {
    /// Returns the text to print after the summary.
    fn text(self: Box<Self>, account: &RunStats) -> String;
}
