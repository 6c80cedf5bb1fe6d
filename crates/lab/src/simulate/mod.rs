//! Simulation of the user's Verilog in many lanes.
//!
//! [`elaborate`](machine::verilog::elaborate) runs yosys and imports the design. A [`Stimulus`] has the inputs of each lane and
//! clock cycle. [`Simulation`] runs the lanes clock cycle by clock cycle and shows them to its
//! observers. [`LaneBench`] measures the lanes beside Verilator. [`check`] compares every output with Verilator.

mod bench;
mod check;
mod stimulus;

pub use bench::{parse_program, LaneBench, LaneMeasurement};
pub use check::{check, Check, Difference, CHECK_WORDS};
use import::{Imported, SIGNATURE};
use lockstep::lanes::{Keep, LaneInput, LaneMachine, LaneOptions, LaneProbe, LanesError};
use machine::verilog::ElaborateError;
use std::sync::Arc;
pub use stimulus::{Stimulus, StimulusError};
use thiserror::Error;
use toolchain::ToolError;

/// Reason why a design cannot be simulated.
#[derive(Debug, Error)]
pub enum SimulateError {
    #[error(transparent)]
    Elaborate(#[from] ElaborateError),
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    #[error(transparent)]
    Lanes(#[from] LanesError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("cannot use the file {path}: {what}")]
    File { path: String, what: String },
    #[error("there is no memory {name} for the programs; accepted: {accepted}, with room for the programs and words of up to 64 bits")]
    NoMemory { name: String, accepted: String },
    #[error("the design has no signal {name}; accepted: {near}")]
    NoSignal { name: String, near: String },
}

/// Running lanes of an imported design.
pub struct Simulation {
    pub machine: LaneMachine,
    stimulus: Stimulus,
    inputs: Vec<LaneInput>,
    clock: u64,
}

impl Simulation {
    /// Starts `lanes` copies. `keep` names the signals that can be read besides the outputs.
    ///
    /// # Errors
    /// If a signal does not exist, or the engine cannot run so many lanes.
    pub fn new(
        imported: &Imported,
        stimulus: Stimulus,
        lanes: usize,
        keep: Keep,
        threads: usize,
    ) -> Result<Self, SimulateError> {
        let keep = match keep {
            Keep::Outputs => Keep::Named(vec![SIGNATURE.into()]),
            Keep::Named(mut names) => {
                names.push(SIGNATURE.into());
                Keep::Named(names)
            }
            Keep::All => Keep::All,
        };
        let options = LaneOptions { keep, threads, ..LaneOptions::default() };
        let netlist = Arc::new(imported.netlist.clone());
        // The engine has at least two lanes.
        let lanes = lanes.max(2);
        let machine = LaneMachine::new(netlist, lanes, &stimulus.wiring(), &options)?;
        Ok(Simulation { inputs: stimulus.inputs(&machine)?, machine, stimulus, clock: 0 })
    }

    /// Number of clock edges so far.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Sets the inputs of the present clock cycle. Signals can be read after it.
    ///
    /// # Errors
    /// If the machine rejects a value.
    pub fn set_inputs(&mut self) -> Result<(), SimulateError> {
        Ok(self.stimulus.set(&mut self.machine, &self.inputs, self.clock)?)
    }

    /// Ends the present clock cycle, and as many as follow up to `limit` clock edges in all during
    /// which no input changes.
    pub fn clock_edges(&mut self, limit: u64) {
        let next = self.stimulus.next_change(self.clock).min(limit);
        self.machine.clocks(next - self.clock);
        self.clock = next;
    }

    /// Ends the present clock cycle.
    pub fn clock_edge(&mut self) {
        self.machine.clock();
        self.clock += 1;
    }

    /// Returns the signal with this name.
    ///
    /// # Errors
    /// If there is none, with near names.
    pub fn probe(&self, name: &str) -> Result<LaneProbe, SimulateError> {
        self.machine.probe(name).map_err(|_| no_signal(self.machine.netlist(), name))
    }

    /// Returns the signature of each lane of the engine.
    ///
    /// # Errors
    /// If the netlist has no signature.
    pub fn signatures(&mut self) -> Result<Vec<u64>, SimulateError> {
        let probe = self.machine.probe(SIGNATURE)?;
        let mut signatures = vec![];
        self.machine.get_all(probe, &mut signatures);
        Ok(signatures)
    }
}

/// Error about a memory that cannot hold programs, with the names of all memories.
fn no_memory(netlist: &lockstep::netlist::Netlist, name: &str) -> SimulateError {
    let names = netlist.memories.iter();
    let names = names.filter_map(|memory| memory.name.split(".port").next());
    let names: std::collections::BTreeSet<&str> = names.collect();
    SimulateError::NoMemory {
        name: name.to_owned(),
        accepted: match names.is_empty() {
            true => {
                "a design with a memory that has clocked read ports and one write port for each bit"
                    .into()
            }
            false => names.into_iter().collect::<Vec<_>>().join(", "),
        },
    }
}

/// Error about a signal that does not exist, with up to five near names.
pub fn no_signal(netlist: &lockstep::netlist::Netlist, name: &str) -> SimulateError {
    let near = netlist.names.nearest(name, 6).into_iter();
    let near = near.map(|known| known.path.as_str());
    let near: Vec<&str> = near.filter(|known| *known != SIGNATURE).take(5).collect();
    SimulateError::NoSignal {
        name: name.to_owned(),
        near: format!("{}, or another name of the sources", near.join(", ")),
    }
}
