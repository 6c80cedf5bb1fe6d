//! Location of the programs: observes the cores for a phase.

use crate::engine::{NodeEngine, NodePort};
use crate::machine::{State, Whereabouts};
use crate::program::Symbols;

/// Observed state of a core.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// True if the core retired an instruction in the previous clock cycle.
    retired: bool,
    asleep: bool,
    halted: bool,
    pc: u32,
    /// Last program counter in the program's own code.
    own: Option<u32>,
}

struct Port {
    port: NodePort,
    values: Vec<u64>,
}

impl Port {
    fn new(engine: &mut dyn NodeEngine, name: &str) -> Self {
        Port {
            port: engine.port(name),
            values: vec![],
        }
    }

    fn look(&mut self, engine: &mut dyn NodeEngine) {
        engine.get_all(self.port, &mut self.values);
    }
}

/// Observes the cores in every clock cycle.
pub(super) struct Watch {
    asleep: Port,
    halted: Port,
    retired: Port,
    counter: Port,
    cores: Vec<Seen>,
}

impl Watch {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        let mut port = |name| Port::new(engine, name);
        Watch {
            asleep: port("asleep"),
            halted: port("halted"),
            retired: port("retired"),
            counter: port("program_counter"),
            cores: vec![Seen::default(); engine.nodes()],
        }
    }

    /// Samples the cores of a circuit that has settled.
    pub fn look(&mut self, engine: &mut dyn NodeEngine, symbols: &Symbols) {
        let ports = [
            &mut self.asleep,
            &mut self.halted,
            &mut self.retired,
            &mut self.counter,
        ];
        for port in ports {
            port.look(engine);
        }
        for (node, core) in self.cores.iter_mut().enumerate() {
            core.halted = self.halted.values[node] == 1;
            core.asleep = self.asleep.values[node] == 1;
            // In the first clock cycle of an instruction the port shows the address of the previous
            // one. The address stays the same while the core does nothing.
            if core.retired || core.asleep || core.halted {
                core.pc = self.counter.values[node] as u32;
                let place = symbols.at(core.pc);
                if place.is_some_and(|place| !place.is_runtime()) {
                    core.own = Some(core.pc);
                }
            }
            core.retired = self.retired.values[node] == 1;
        }
    }

    /// Returns the location of each core, by node.
    pub fn whereabouts(self, symbols: &Symbols) -> Vec<Whereabouts> {
        let place = |pc: u32| symbols.at(pc).map(|place| place.to_string());
        let cores = (0..).zip(self.cores);
        let whereabouts = cores.map(|(node, core)| Whereabouts {
            node,
            state: match core {
                Seen { halted: true, .. } => State::Halted,
                Seen { asleep: true, .. } => State::Asleep,
                _ => State::Awake,
            },
            pc: core.pc,
            function: place(core.pc),
            from: core.own.and_then(place),
        });
        whereabouts.collect()
    }
}
