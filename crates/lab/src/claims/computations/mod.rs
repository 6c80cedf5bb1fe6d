//! Figures that no command computes: arithmetic, counts over all cases, and checks of theorems on
//! the routing code. Each computation returns an object of named figures.

mod cm1;
mod cm1_circuits;
mod metacube;
mod rotation;
mod tdma;
mod torus;

use serde_json::Value;

/// Function that computes an object of named figures.
pub type ClaimComputation = fn() -> Value;

/// Computations of each paper, with their names.
const TABLES: [&[(&str, ClaimComputation)]; 8] = [
    tdma::TABLE,
    cm1::TABLE,
    cm1_circuits::TABLE,
    cm1_circuits::HEARTS_TABLE,
    cm1::LIVELOCK_TABLE,
    torus::TABLE,
    rotation::TABLE,
    metacube::TABLE,
];

/// Returns all computations with their names.
pub fn all() -> impl Iterator<Item = (&'static str, ClaimComputation)> {
    TABLES.into_iter().flatten().copied()
}

/// Returns the computation of this name.
pub fn named(name: &str) -> Option<ClaimComputation> {
    all().find(|(known, _)| *known == name).map(|(_, compute)| compute)
}
