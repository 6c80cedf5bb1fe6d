//! The behavioural model of the TDMA cube (`sim/model`) is right: it says what
//! the golden logs say, event by event (`logs`), what the golden lists of
//! smallest counter-examples and the errata say (`minimal`, `claims`), what the
//! 12-cube is known to do (`big`), and what was worked out by hand for sources
//! with several messages, which the golden files have none of (`by_hand`).
//! What the lists to compare machines on are made of is checked too (`lists`).

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

/// Messages without payload, of which the model has no notion.
fn messages(pairs: &[(u32, u32)]) -> Vec<Message> {
    let message = |&(source, destination)| Message {
        source,
        destination,
        payload: vec![],
    };
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

/// The most messages whose route uses the same link in the same direction.
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
