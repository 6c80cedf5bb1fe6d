//! The way of the phase clock to one node.

use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Bits of a delay of [`PhaseClockWay`].
pub const DELAY_BITS: usize = 10;

/// Wires and buffers between the phase clock and one node, as a model: both lines arrive
/// late.
///
/// They arrive `delay` clock cycles later, and one more. `sync` changes together with a rise
/// of `phase_clock`, and arrives with it. Half a phase is longer than the delay.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseClockWay {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Clock cycles of the way, less one. Does not change.
    pub delay: Signal<In, Bits<DELAY_BITS>>,
    /// `phase_clock` as it arrives.
    pub late_phase_clock: Signal<Out, Bit>,
    /// `sync` as it arrives.
    pub late_sync: Signal<Out, Bit>,
    phase_clock_there: Reg<Bit>,
    sync_there: Reg<Bit>,
    /// Clock cycles that a change has been on its way.
    under_way: Reg<Bits<DELAY_BITS>>,
}

impl Logic for PhaseClockWay {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, phase_clock_there, sync_there, under_way);
        self.under_way.d.next = 0.into();
        if self.phase_clock.val() != self.phase_clock_there.q.val() {
            if self.under_way.q.val() == self.delay.val() {
                self.phase_clock_there.d.next = self.phase_clock.val();
                self.sync_there.d.next = self.sync.val();
            } else {
                self.under_way.d.next = self.under_way.q.val() + 1;
            }
        }
        self.late_phase_clock.next = self.phase_clock_there.q.val();
        self.late_sync.next = self.sync_there.q.val();
    }
}
