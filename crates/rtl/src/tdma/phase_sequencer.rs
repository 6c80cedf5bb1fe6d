//! The phase counter of a node, with detection of slips.

use super::{mask_of, phases, COUNT_BITS, DIM_BITS, PHASE_BITS};
use hdl::prelude::*;
use smart_default::SmartDefault;

/// A node's place in the schedule: counts phases and checks itself against
/// `sync`.
///
/// The node is muted until the first `sync`. When `sync` and its own count
/// disagree at the beginning of a phase it counts a slip, is muted and joins
/// again at the next `sync` after that.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct PhaseSequencer<const LINKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// For each link, on which side of it the node is: in a cube its address.
    pub sides: Signal<In, Bits<LINKS>>,
    /// High in the first clock cycle in which the other outputs are those of a
    /// new phase.
    pub begin: Signal<Out, Bit>,
    /// The phase under way, as far as the node knows.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// The link of the phase, in a cube its dimension.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The node transmits in this phase, else it receives; low when muted.
    pub transmit: Signal<Out, Bit>,
    /// The node is out of step and must release all pins.
    pub muted: Signal<Out, Bit>,
    /// Slips so far; wraps.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    was_high: Reg<Bit>,
    began: Reg<Bit>,
    #[default(Reg::new(true))]
    out_of_step: Reg<Bit>,
    phase_count: Reg<Bits<PHASE_BITS>>,
    slip_count: Reg<Bits<COUNT_BITS>>,
    expected: Signal<Local, Bits<PHASE_BITS>>,
    side: Signal<Local, Bit>,
}

impl<const LINKS: usize> Logic for PhaseSequencer<LINKS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, was_high, began, out_of_step, phase_count);
        dff_setup!(self, clock, slip_count);
        let tick = self.phase_clock.val() & !self.was_high.q.val();
        self.was_high.d.next = self.phase_clock.val();
        self.began.d.next = tick;

        let phase = self.phase_count.q.val();
        if phase == (phases(LINKS) - 1) as u64 {
            self.expected.next = 0.into();
        } else {
            // The mask shows synthesis that the upper bits stay zero.
            self.expected.next = (phase + 1) & mask_of(phases(LINKS));
        }
        if tick {
            let in_step = self.sync.val() == (self.expected.val() == 0);
            if self.out_of_step.q.val() {
                self.phase_count.d.next = 0.into();
                self.out_of_step.d.next = !self.sync.val();
            } else {
                self.phase_count.d.next = self.expected.val();
                if !in_step {
                    self.out_of_step.d.next = true;
                    self.slip_count.d.next = self.slip_count.q.val() + 1;
                }
            }
        }

        let dim = (phase >> 1).resized::<DIM_BITS>();
        self.side.next = false;
        for link in 0..LINKS {
            if dim == link as u64 {
                self.side.next = self.sides.val().get_bit(link);
            }
        }
        self.begin.next = self.began.q.val() & !self.out_of_step.q.val();
        self.phase.next = phase;
        self.dim.next = dim;
        self.transmit.next = !self.out_of_step.q.val() & (self.side.val() == phase.get_bit(0));
        self.muted.next = self.out_of_step.q.val();
        self.slips.next = self.slip_count.q.val();
    }
}
