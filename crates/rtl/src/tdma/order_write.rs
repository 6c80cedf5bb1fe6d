//! The ports by which an order of links is programmed.

use super::DIM_BITS;
use hdl::lower::Bundle;
use rust_hdl::prelude::*;

/// Writes a pair of phases of a [`PhaseOrder`](super::PhaseOrder).
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct OrderWrite<const PAIR_BITS: usize> {
    /// Sets the link of a pair of phases.
    pub write: Signal<In, Bit>,
    /// The pair that is set.
    pub write_pair: Signal<In, Bits<PAIR_BITS>>,
    /// The link of the pair.
    pub write_link: Signal<In, Bits<DIM_BITS>>,
    /// The pair is the last one.
    pub write_last: Signal<In, Bit>,
}
