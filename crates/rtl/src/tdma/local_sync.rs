//! A local `sync` signal for machines without a `sync` wire.

use super::PHASE_BITS;
use hdl::prelude::*;

/// Counts the rises of the phase clock from the start. The first rise, and then the first of each
/// superframe, is taken for phase 0.
///
/// The published machine calls the common wire `sync` optional (`tdma-hypercube`, section "The
/// Insight"). Without the wire a node has this block. A missed rise shifts all phases of the node
/// without detection.
#[derive(LogicBlock, Circuit, Default)]
pub struct LocalSync {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High before and during the rise that begins phase 0, by this count.
    pub sync: Signal<Out, Bit>,
    /// Last phase of a superframe.
    last: Parameter<Bits<PHASE_BITS>>,
    was_high: Reg<Bit>,
    /// Number of phases begun in this superframe; 0 after all of them.
    begun: Reg<Bits<PHASE_BITS>>,
}

impl LocalSync {
    /// Makes a counter for superframes of this number of phases, 2 to 32.
    pub fn new(phases: u32) -> Self {
        LocalSync {
            last: Parameter::new((u64::from(phases) - 1).into()),
            ..Default::default()
        }
    }
}

impl Logic for LocalSync {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, was_high, begun);
        self.was_high.d.next = self.phase_clock.val();
        if self.phase_clock.val() & !self.was_high.q.val() {
            if self.begun.q.val() == self.last.val() {
                self.begun.d.next = 0.into();
            } else {
                self.begun.d.next = self.begun.q.val() + 1;
            }
        }
        self.sync.next = self.begun.q.val() == 0;
    }
}
