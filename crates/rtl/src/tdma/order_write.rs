//! The ports for programming an order of links.

use super::DIM_BITS;
use hdl::prelude::*;

/// Writes a pair of phases of a [`PhaseOrder`](super::PhaseOrder).
#[derive(Bundle, Default)]
#[bundle(flat)]
pub struct OrderWrite<const PAIR_BITS: usize> {
    /// Writes the link of a pair of phases.
    pub write: Signal<In, Bit>,
    /// Pair to write.
    pub write_pair: Signal<In, Bits<PAIR_BITS>>,
    /// Link of the pair.
    pub write_link: Signal<In, Bits<DIM_BITS>>,
    /// The pair is the last one of the order.
    pub write_last: Signal<In, Bit>,
}
