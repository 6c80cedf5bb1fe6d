//! Expected results: the messages of the simulator, in a machine whose nodes have hardware
//! forwarders.

use crate::support::cube_runs;
use lockstep::lanes::LaneOptions;
use phasecube::machine::{MachineCircuit, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeFaults};
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, Recipe};

/// Payload bytes of the board's messages.
const PAYLOAD: usize = 8;

/// Returns the messages of a pattern in a cube, as `phasecube run` creates them.
pub fn messages(dims: u32, pattern: &str, seed: u64) -> Vec<Message> {
    let recipe = Recipe {
        pattern: pattern.parse().unwrap(),
        seed,
        payload: PAYLOAD,
        order: ExchangeOrder::Pairs,
    };
    recipe.messages(Hypercube::of(dims)).unwrap()
}

/// Runs the messages in the machine.
pub fn run(dims: u32, messages: &[Message]) -> RunStats {
    let cube = Hypercube::of(dims);
    let circuit = CubeCircuit::new(cube, PAYLOAD, true).unwrap();
    let mut engine = circuit
        .array()
        .unwrap()
        .lockstep(&LaneOptions::default())
        .unwrap();
    cube_runs::run(&mut engine, &circuit, &CubeFaults::default(), messages)
}
