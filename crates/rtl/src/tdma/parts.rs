//! Parts of a TDMA machine, for numbers of dimensions or links that are known only at run time.

use super::machine::{CUBE_NUMBER_BITS, SHORT_OFFSET_BITS};
use super::{
    order_bits, EnginePlan, FrameEngine, PhaseClock, PhaseSequencer, PinMux, ProgrammedPhaseClock,
    Synchroniser, CUBE_ORDER_BITS,
};
use crate::for_dims::{for_dims, for_metacubes};
use hdl::lower::Circuit;
use interconnect::topology::Metacube;

/// Makes the [`PhaseClock`] for nodes with 1 to 16 links.
///
/// # Panics
/// If they have more links.
pub fn phase_clock(links: u32) -> Box<dyn Circuit> {
    for_dims!(links, ..=16, D => PhaseClock::<D>::default())
}

/// Makes the [`ProgrammedPhaseClock`] for a cube or one of the metacubes [with a programmed
/// order](super::MachineNode::PROGRAMMED).
///
/// # Panics
/// If the shape is another metacube.
pub fn programmed_phase_clock(shape: Metacube) -> Box<dyn Circuit> {
    match shape.class_bits() {
        0 => Box::new(ProgrammedPhaseClock::<CUBE_ORDER_BITS>::default()),
        _ => for_metacubes!(shape, programmed, _L B => {
            ProgrammedPhaseClock::<{ order_bits(B) }>::default()
        }),
    }
}

/// Bits of a pair's number in a programmed order of this shape.
pub const fn pair_bits(shape: Metacube) -> usize {
    match shape.class_bits() {
        0 => CUBE_ORDER_BITS,
        _ => order_bits(shape.bits() as usize),
    }
}

/// Makes the [`PhaseSequencer`] of a node of a cube of 1 to 16 dimensions.
///
/// # Panics
/// If there are more dimensions.
pub fn phase_sequencer(dims: u32) -> Box<dyn Circuit> {
    for_dims!(dims, ..=16, D => PhaseSequencer::<D>::default())
}

/// Makes the [`PinMux`] of a node with 1 to 16 links.
///
/// # Panics
/// If there are more links.
pub fn pin_mux(links: u32) -> Box<dyn Circuit> {
    for_dims!(links, ..=16, D => PinMux::<D>::default())
}

/// Makes the [`Synchroniser`] of a node with 1 to 12 links and its own clock.
///
/// # Panics
/// If there are more links.
pub fn synchroniser(links: u32) -> Box<dyn Circuit> {
    for_dims!(links, ..=12, D => Synchroniser::<D>::default())
}

/// Makes the [`FrameEngine`] of a node of a cube of 1 to 12 dimensions, for short messages.
///
/// # Panics
/// If there are more dimensions.
pub fn frame_engine(dims: u32, plan: EnginePlan) -> Box<dyn Circuit> {
    for_dims!(dims, ..=12, D => FrameEngine::<D, SHORT_OFFSET_BITS, { SHORT_OFFSET_BITS + CUBE_NUMBER_BITS }>::new(plan, false))
}
