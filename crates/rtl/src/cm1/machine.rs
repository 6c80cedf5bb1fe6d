//! The circuits of a CM-1, for a number of dimensions that is known only at run time.

use super::{Chip, PetitControl, PetitPlan, Router};
use crate::for_dims::for_dims;
use hdl::lower::Circuit;

/// Makes a [`Chip`] with `rows` rows, for a cube of 1 to 12 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn chip(dims: u32, rows: usize, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=12, C => Chip::<C>::new(rows, plan))
}

/// Makes the [`PetitControl`] of a cube of 1 to 12 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn petit_control(dims: u32, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=12, C => PetitControl::<C>::new(plan))
}

/// Makes the [`Router`] of a chip with `rows` rows, for a cube of 1 to 16 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn router(dims: u32, rows: usize, plan: PetitPlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, C => Router::<C>::new(rows, plan))
}
