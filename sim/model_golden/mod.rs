//! Checks of the behavioural model of the TDMA cube (`sim/model`). It matches the golden logs event
//! by event (`logs`). It matches the golden lists of smallest counterexamples and the errata
//! (`minimal`, `claims`), and the known results of the 12-cube (`big`). It matches logs computed by
//! hand for sources with several messages, which the golden files lack (`by_hand`). The composition
//! of the random lists is also checked (`lists`).

mod big;
mod by_hand;
mod claims;
mod lists;
mod logs;
mod minimal;

use phasecube::routing::tdma::PhaseSchedule;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, Recipe};
use std::collections::HashMap;

fn cube(dims: u64) -> Hypercube {
    Hypercube::new(dims).expect("1 to 16 dimensions")
}

/// Returns messages without payload, which the model does not represent.
fn messages(pairs: &[(u32, u32)]) -> Vec<Message> {
    let message = |&(source, destination)| Message { source, destination, payload: vec![] };
    pairs.iter().map(message).collect()
}

fn pattern(pattern: &str, seed: u64, cube: Hypercube) -> Vec<Message> {
    let recipe = Recipe {
        pattern: pattern.parse().expect("a pattern"),
        seed,
        payload: 0,
        order: ExchangeOrder::Pairs,
    };
    recipe.messages(cube).expect("a pattern that the cube has")
}

/// Returns the maximum number of messages whose route uses the same link in the same direction.
fn congestion(cube: Hypercube, messages: &[Message]) -> u64 {
    let schedule = PhaseSchedule::new(cube);
    let mut load = HashMap::new();
    for message in messages {
        for hop in schedule.hops(message.source, message.destination) {
            *load.entry((hop.node, hop.dim)).or_default() += 1;
        }
    }
    load.into_values().max().unwrap_or(0)
}
