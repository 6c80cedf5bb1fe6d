//! Where programs are: the cores, watched for a phase.

use super::consoles::Consoles;
use crate::engine::{EngineError, NodeEngine, NodePort};
use crate::machine::{State, Whereabouts};
use crate::program::Symbols;

/// What was seen of a core.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// It retired an instruction in the clock cycle before.
    retired: bool,
    asleep: bool,
    halted: bool,
    pc: u32,
    /// In the program's own code.
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

/// Watches the cores for so many clock cycles, while hosts go on; where each is at the end,
/// by node.
///
/// # Errors
/// If the engine fails.
pub(super) fn watch(
    engine: &mut dyn NodeEngine,
    consoles: &mut Consoles,
    clock_cycles: u64,
    symbols: &Symbols,
) -> Result<Vec<Whereabouts>, EngineError> {
    let ports = ["asleep", "halted", "retired", "program_counter"];
    let [mut asleep, mut halted, mut retired, mut counter] =
        ports.map(|name| Port::new(engine, name));
    let mut cores = vec![Seen::default(); engine.nodes()];
    for _ in 0..clock_cycles {
        engine.settle()?;
        for port in [&mut asleep, &mut halted, &mut retired, &mut counter] {
            port.look(engine);
        }
        for (node, core) in cores.iter_mut().enumerate() {
            core.halted = halted.values[node] == 1;
            core.asleep = asleep.values[node] == 1;
            // In the first clock cycle of an instruction the port has the address of the one
            // before, and so it has while the core does nothing.
            if core.retired || core.asleep || core.halted {
                core.pc = counter.values[node] as u32;
                let place = symbols.at(core.pc);
                if place.is_some_and(|place| !place.is_runtime()) {
                    core.own = Some(core.pc);
                }
            }
            core.retired = retired.values[node] == 1;
        }
        consoles.exchange(engine);
        engine.clock()?;
    }
    let place = |pc: u32| symbols.at(pc).map(|place| place.to_string());
    let whereabouts = (0..).zip(cores).map(|(node, core)| Whereabouts {
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
    Ok(whereabouts.collect())
}
