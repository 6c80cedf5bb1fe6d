//! A list of messages, its schedule, and the machine that follows it.

use lockstep::lanes::Options;
use phasecube::engine::NodeEngine;
use phasecube::machine::MachineCircuit;
use phasecube::networks::tdma::cube::{CubeCircuit, CubeMachine, CubeRun, Disturbance};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::routing::compiled::{listed, node_programs, CompiledSchedule, Effort, Sweep};
use phasecube::topology::{Hypercube, Metacube};
use phasecube::traffic::{Message, Recipe};

pub struct Compiled {
    pub schedule: CompiledSchedule,
    pub messages: Vec<Message>,
    pub circuit: CubeCircuit,
    releases: Vec<u64>,
}

impl Compiled {
    /// Compiles a pattern on a cube, with two bytes of payload.
    pub fn of_pattern(pattern: &str, dims: u64, seed: u64, sweep: Sweep) -> Self {
        let recipe = Recipe {
            pattern: pattern.parse().unwrap(),
            seed,
            payload: 2,
            order: Default::default(),
        };
        let cube = Hypercube::new(dims).unwrap();
        Compiled::of_list(cube.into(), recipe.messages(cube).unwrap(), sweep)
    }

    pub fn of_list(shape: Metacube, messages: Vec<Message>, sweep: Sweep) -> Self {
        let ends: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
        let schedule = listed(shape, sweep, &ends, Effort::default(), &mut |_| {});
        Compiled::new(schedule, messages)
    }

    pub fn new(schedule: CompiledSchedule, messages: Vec<Message>) -> Self {
        let sources: Vec<u32> = messages.iter().map(|message| message.source).collect();
        let programs = node_programs(&schedule, &sources).unwrap();
        let releases = (0..)
            .zip(&messages)
            .map(|(place, message)| {
                let first = schedule.moves(place, message.source).next();
                first.map_or(0, |first| first.phase.into())
            })
            .collect();
        let payload = messages.iter().map(|m| m.payload.len()).max().unwrap();
        let circuit = CubeCircuit::new(schedule.shape, payload, false).unwrap();
        Compiled {
            circuit: circuit.compiled(&schedule, programs).unwrap(),
            schedule,
            messages,
            releases,
        }
    }

    /// Runs on an engine that has a machine of this timing.
    pub fn run_at(
        &self,
        timing: PhaseTiming,
        engine: &mut dyn NodeEngine,
        disturbance: &Disturbance,
    ) -> CubeRun {
        let schedule = self.circuit.schedule().clone();
        let mut machine = CubeMachine::new(engine, schedule, timing, disturbance.clone());
        machine.programs = self.circuit.programs();
        machine.releases = self.releases.clone();
        machine.run(&self.messages).unwrap()
    }

    /// Runs on the lockstep engine.
    pub fn run(&self, disturbance: &Disturbance) -> CubeRun {
        let array = self.circuit.array().unwrap();
        let mut engine = array.lockstep(&Options::default()).unwrap();
        self.run_at(self.circuit.timing(), &mut engine, disturbance)
    }
}
