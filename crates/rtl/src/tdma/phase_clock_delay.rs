//! The path of the phase clock to one node.
use hdl::prelude::*;

/// Width of the delay of [`PhaseClockDelay`].
pub const DELAY_BITS: usize = 10;

/// A model of the wires and buffers between the phase clock and one node. It delays both signals.
///
/// The delay is `delay` + 1 clock cycles. `sync` changes and arrives together with a rise of
/// `phase_clock`. Half a phase is longer than the delay.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseClockDelay {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Delay in clock cycles, less one; constant.
    pub delay: Signal<In, Bits<DELAY_BITS>>,
    /// Delayed `phase_clock`.
    pub late_phase_clock: Signal<Out, Bit>,
    /// Delayed `sync`.
    pub late_sync: Signal<Out, Bit>,
    phase_clock_there: Reg<Bit>,
    sync_there: Reg<Bit>,
    /// Number of clock cycles since the change entered the path.
    under_way: Reg<Bits<DELAY_BITS>>,
}

impl Logic for PhaseClockDelay {
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
