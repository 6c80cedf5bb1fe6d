//! Machines that follow compiled schedules as RTL. They match an independent reading of the
//! schedule file, and faults are reported.

mod agreement;
mod faults;
mod followed;
mod schedule_player;

use crate::support::cube_runs;
use lockstep::lanes::LaneOptions;
use phasecube::engine::NodeEngine;
use phasecube::machine::{Load, MachineCircuit, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeFaults};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::routing::compiled::{
    node_programs, schedule_messages, CompiledSchedule, SearchEffort, SweepDirection,
};
use phasecube::topology::{Hypercube, Metacube};
use phasecube::traffic::{Message, Recipe};

pub struct CompiledSetup {
    pub schedule: CompiledSchedule,
    pub messages: Vec<Message>,
    pub circuit: CubeCircuit,
    releases: Vec<u64>,
}

impl CompiledSetup {
    /// Compiles a pattern on a cube, with two bytes of payload.
    pub fn of_pattern(pattern: &str, dims: u64, seed: u64, sweep: SweepDirection) -> Self {
        let recipe = Recipe {
            pattern: pattern.parse().unwrap(),
            seed,
            payload: 2,
            order: Default::default(),
        };
        let cube = Hypercube::new(dims).unwrap();
        CompiledSetup::of_list(cube.into(), recipe.messages(cube).unwrap(), sweep)
    }

    pub fn of_list(shape: Metacube, messages: Vec<Message>, sweep: SweepDirection) -> Self {
        let ends: Vec<[u32; 2]> = messages.iter().map(|m| [m.source, m.destination]).collect();
        let schedule = schedule_messages(shape, sweep, &ends, SearchEffort::default(), &mut |_| {});
        CompiledSetup::new(schedule, messages)
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
        CompiledSetup {
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
        disturbance: &CubeFaults,
    ) -> RunStats {
        let circuit = self.circuit.clone().with_timing(timing);
        let load = Load {
            keep_events: true,
            ..cube_runs::load_from(&self.messages, &self.releases, timing)
        };
        let control = cube_runs::limit(&circuit, u64::MAX);
        cube_runs::run_load(engine, &circuit, disturbance, &load, control)
    }

    /// Runs on the lockstep engine.
    pub fn run(&self, disturbance: &CubeFaults) -> RunStats {
        let array = self.circuit.array().unwrap();
        let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
        self.run_at(self.circuit.timing(), &mut engine, disturbance)
    }
}
