//! When in a phase frame and answer may be on the wire.

use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// The windows of a phase, in clock cycles since its begin (docs/machine.md,
/// "Phase").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePlan {
    /// The sender begins its frame.
    pub frame_open: u64,
    /// The sender lets go of the wire.
    pub frame_close: u64,
    /// The receiver begins its answer.
    pub answer_open: u64,
    /// The receiver lets go of the wire.
    pub answer_close: u64,
    /// Clock cycles of the phase.
    pub phase: u64,
}

/// Tells when the windows of a phase open and close; each output is high for
/// one clock cycle.
///
/// After the last window it stands still until a phase begins: a node that misses
/// the beginning of a phase has no window in it.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseTimer {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The sender begins its frame.
    pub frame_open: Signal<Out, Bit>,
    /// The sender lets go of the wire.
    pub frame_close: Signal<Out, Bit>,
    /// The receiver begins its answer.
    pub answer_open: Signal<Out, Bit>,
    /// The receiver lets go of the wire.
    pub answer_close: Signal<Out, Bit>,
    frame_open_at: Parameter<Bits<16>>,
    frame_close_at: Parameter<Bits<16>>,
    answer_open_at: Parameter<Bits<16>>,
    answer_close_at: Parameter<Bits<16>>,
    /// Keeps the bits that no phase reaches at zero, for every tool to see.
    mask: Parameter<Bits<16>>,
    elapsed: Reg<Bits<16>>,
    /// A window is still to come.
    running: Reg<Bit>,
}

impl PhaseTimer {
    /// # Panics
    /// If the windows are not in order and within the phase, or the phase is
    /// longer than 65,535 clock cycles.
    pub fn new(plan: PhasePlan) -> Self {
        let times = [
            plan.frame_open,
            plan.frame_close,
            plan.answer_open,
            plan.answer_close,
            plan.phase,
        ];
        assert!(times.is_sorted(), "the windows of a phase are in order");
        assert!(
            plan.frame_open > 0,
            "a phase begins before its first window"
        );
        assert!(
            plan.answer_close < plan.phase,
            "the last window closes before the phase ends"
        );
        assert!(
            plan.phase < 1 << 16,
            "a phase has up to 65,535 clock cycles"
        );
        let constant = |time: u64| Parameter::new(time.into());
        PhaseTimer {
            frame_open_at: constant(plan.frame_open),
            frame_close_at: constant(plan.frame_close),
            answer_open_at: constant(plan.answer_open),
            answer_close_at: constant(plan.answer_close),
            mask: constant((plan.phase + 1).next_power_of_two() - 1),
            ..Default::default()
        }
    }
}

impl Logic for PhaseTimer {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, elapsed, running);
        let elapsed = self.elapsed.q.val();
        // The begin is clock cycle 0.
        if self.begin.val() {
            self.elapsed.d.next = 1.into();
            self.running.d.next = true;
        } else if self.running.q.val() {
            self.elapsed.d.next = (elapsed + 1) & self.mask.val();
            self.running.d.next = elapsed != self.answer_close_at.val();
        }
        self.frame_open.next = elapsed == self.frame_open_at.val();
        self.frame_close.next = elapsed == self.frame_close_at.val();
        self.answer_open.next = elapsed == self.answer_open_at.val();
        self.answer_close.next = elapsed == self.answer_close_at.val();
    }
}
