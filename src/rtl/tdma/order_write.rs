//! The ports by which an order of links is programmed.

use super::DIM_BITS;
use hdl::lower::Bundle;
use rust_hdl::prelude::*;

/// Writes a pair of phases of a [`PhaseOrder`](super::PhaseOrder).
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct OrderWrite<const PAIR_BITS: usize> {
    /// Sets the link
    pub write: Signal<In, Bit>,
    /// of this pair
    pub write_pair: Signal<In, Bits<PAIR_BITS>>,
    /// to this,
    pub write_link: Signal<In, Bits<DIM_BITS>>,
    /// and whether the pair is the last one.
    pub write_last: Signal<In, Bit>,
}
