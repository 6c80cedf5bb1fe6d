//! The circuits of a CM-1, for a number of dimensions that is known only when the program runs.

use super::{Chip, PetitControl, PetitPlan, Router};
use crate::for_dims::for_dims;
use hdl::lower::Circuit;

/// A [`Chip`] with so many rows, of a cube of 1 to 12 dimensions.
///
/// # Panics
/// If there are more.
pub fn chip(dims: u32, rows: usize, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=12, C => Chip::<C>::new(rows, plan))
}

/// The [`PetitControl`] of a cube of 1 to 12 dimensions.
///
/// # Panics
/// If there are more.
pub fn petit_control(dims: u32, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=12, C => PetitControl::<C>::new(plan))
}

/// The [`Router`] of a chip with so many rows, of a cube of 1 to 16 dimensions.
///
/// # Panics
/// If there are more.
pub fn router(dims: u32, rows: usize, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, C => Router::<C>::new(rows, plan))
}
