//! Location of the programs: observes the cores for a phase.

use crate::program::Symbols;
use crate::{CoreState, ProgramState};
use engine::{NodeEngine, NodePortId};
use std::collections::BTreeMap;

/// Observed state of a core.
#[derive(Clone, Copy, Default)]
struct CoreObservation {
    /// True if the core retired an instruction in the previous clock cycle.
    retired: bool,
    /// True if the core retired an instruction since the start of the observation.
    executes: bool,
    asleep: bool,
    halted: bool,
    /// Last program counter. `None` until it is observed.
    pc: Option<u32>,
    /// Last program counter in the program's own code.
    program_pc: Option<u32>,
}

struct WatchedOutput {
    port: NodePortId,
    values: Vec<u64>,
}

impl WatchedOutput {
    fn new(engine: &mut dyn NodeEngine, name: &str) -> Self {
        WatchedOutput { port: engine.port(name), values: vec![] }
    }

    fn look(&mut self, engine: &mut dyn NodeEngine) {
        engine.get_all(self.port, &mut self.values);
    }
}

/// Observes the cores in every clock cycle.
pub(super) struct CoreWatch {
    asleep: WatchedOutput,
    halted: WatchedOutput,
    retired: WatchedOutput,
    counter: WatchedOutput,
    cores: Vec<CoreObservation>,
}

impl CoreWatch {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        let mut port = |name| WatchedOutput::new(engine, name);
        CoreWatch {
            asleep: port("asleep"),
            halted: port("halted"),
            retired: port("retired"),
            counter: port("program_counter"),
            cores: vec![CoreObservation::default(); engine.nodes()],
        }
    }

    /// Samples the cores of a circuit that has settled.
    pub fn look(&mut self, engine: &mut dyn NodeEngine, symbols: &Symbols) {
        let ports = [&mut self.asleep, &mut self.halted, &mut self.retired, &mut self.counter];
        for port in ports {
            port.look(engine);
        }
        for (node, core) in self.cores.iter_mut().enumerate() {
            core.halted = self.halted.values[node] == 1;
            core.asleep = self.asleep.values[node] == 1;
            // In the first clock cycle of an instruction the port shows the address of the previous
            // one. The address stays the same while the core does nothing.
            if core.retired || core.asleep || core.halted {
                let pc = self.counter.values[node] as u32;
                // A sleeping core stays at its address for long.
                if core.pc != Some(pc) {
                    core.pc = Some(pc);
                    let place = symbols.at(pc);
                    if place.is_some_and(|place| !place.is_runtime()) {
                        core.program_pc = Some(pc);
                    }
                }
            }
            core.retired = self.retired.values[node] == 1;
            core.executes |= core.retired;
        }
    }

    /// Returns the locations of the cores that retired an instruction, by node.
    pub fn executing(self, symbols: &Symbols) -> BTreeMap<u32, ProgramState> {
        let executes: Vec<bool> = self.cores.iter().map(|core| core.executes).collect();
        let mut states = self.program_states(symbols);
        states.retain(|state| executes[state.node as usize]);
        states.into_iter().map(|state| (state.node, state)).collect()
    }

    /// Returns the location of each core, by node.
    pub fn program_states(self, symbols: &Symbols) -> Vec<ProgramState> {
        let place = |pc: u32| symbols.at(pc).map(|place| place.to_string());
        let line = |pc: u32| symbols.line(pc).map(|line| line.to_string());
        let cores = (0..).zip(self.cores);
        let program_state = cores.map(|(node, core)| {
            let pc = core.pc.unwrap_or(0);
            ProgramState {
                node,
                state: match core {
                    CoreObservation { halted: true, .. } => CoreState::Halted,
                    CoreObservation { asleep: true, .. } => CoreState::Asleep,
                    _ => CoreState::Awake,
                },
                pc,
                function: place(pc),
                line: line(pc),
                from: core.program_pc.and_then(place),
                from_line: core.program_pc.and_then(line),
            }
        });
        program_state.collect()
    }
}
