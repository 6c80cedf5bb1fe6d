//! What no command computes: arithmetic, counts over all cases, and checks of theorems on
//! the code that routes. Each returns an object of named figures.

mod cm1;
mod cm1_circuits;
mod cm1_hearts;
mod cm1_livelock;
mod metacube;
mod rotation;
mod tdma;
mod torus;

use serde_json::Value;

/// A computation.
pub type Computation = fn() -> Value;

/// All of them by name, paper by paper.
const TABLES: [&[(&str, Computation)]; 8] = [
    tdma::TABLE,
    cm1::TABLE,
    cm1_circuits::TABLE,
    cm1_hearts::TABLE,
    cm1_livelock::TABLE,
    torus::TABLE,
    rotation::TABLE,
    metacube::TABLE,
];

/// All of them, by name.
pub fn all() -> impl Iterator<Item = (&'static str, Computation)> {
    TABLES.into_iter().flatten().copied()
}

/// The one of this name.
pub fn named(name: &str) -> Option<Computation> {
    all()
        .find(|(known, _)| *known == name)
        .map(|(_, compute)| compute)
}
