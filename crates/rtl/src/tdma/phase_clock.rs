//! The phase clock, which times all nodes.

use super::{phases, COUNT_BITS, DIVIDER_BITS, PHASE_BITS};
use hdl::prelude::*;

/// The one clock of the schedule: two wires that reach every node.
///
/// `phase_clock` rises at the beginning of every phase and falls in its middle;
/// `sync` is high in phase 0 and changes together with a rise. The first rise,
/// in phase 0, comes one clock cycle after `enable`; taking `enable` away ends
/// the schedule at the end of the phase. A new `divider` counts from the next
/// half phase on.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseClock<const DIMS: usize, const DIVIDER: usize = DIVIDER_BITS> {
    pub clock: Signal<In, Clock>,
    /// Run the schedule.
    pub enable: Signal<In, Bit>,
    /// Clock cycles in half a phase, less one; at least 1.
    pub divider: Signal<In, Bits<DIVIDER>>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<Out, Bit>,
    /// High in phase 0.
    pub sync: Signal<Out, Bit>,
    /// The phase under way, counted in the superframe.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Superframes that have ended; wraps.
    pub frame: Signal<Out, Bits<COUNT_BITS>>,
    running: Reg<Bit>,
    /// High in the first half of a phase.
    level: Reg<Bit>,
    /// Clock cycles left of the half phase, less one.
    remaining: Reg<Bits<DIVIDER>>,
    phase_count: Reg<Bits<PHASE_BITS>>,
    frame_count: Reg<Bits<COUNT_BITS>>,
}

impl<const DIMS: usize, const DIVIDER: usize> Logic for PhaseClock<DIMS, DIVIDER> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, running, level, remaining, phase_count);
        dff_setup!(self, clock, frame_count);
        self.phase_clock.next = self.level.q.val();
        self.phase.next = self.phase_count.q.val();
        self.sync.next = self.running.q.val() & (self.phase_count.q.val() == 0);
        self.frame.next = self.frame_count.q.val();
        let half_ends = self.remaining.q.val() == 0;
        if half_ends | !self.running.q.val() {
            self.remaining.d.next = self.divider.val();
        } else {
            self.remaining.d.next = self.remaining.q.val() - 1;
        }
        if !self.running.q.val() {
            self.phase_count.d.next = 0.into();
            self.running.d.next = self.enable.val();
            self.level.d.next = self.enable.val();
        } else if half_ends & self.level.q.val() {
            self.level.d.next = false;
        } else if half_ends {
            self.running.d.next = self.enable.val();
            self.level.d.next = self.enable.val();
            if self.phase_count.q.val() == (phases(DIMS) - 1) as u64 {
                self.phase_count.d.next = 0.into();
                self.frame_count.d.next = self.frame_count.q.val() + 1;
            } else {
                self.phase_count.d.next = self.phase_count.q.val() + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A parameter with its default value is not listed, so that the Verilog stays the same.
    #[test]
    fn only_a_non_default_divider_is_listed() {
        let dims = ("DIMS", "6".to_owned());
        assert_eq!(
            PhaseClock::<6>::description().params,
            std::slice::from_ref(&dims)
        );
        let wide = PhaseClock::<6, 19>::description().params;
        assert_eq!(wide, [dims, ("DIVIDER", "19".to_owned())]);
    }
}
