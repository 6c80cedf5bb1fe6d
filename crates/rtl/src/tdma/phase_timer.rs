//! The timing of frame and answer within a phase.
use hdl::prelude::*;

/// Windows of a phase, in clock cycles since its beginning (docs/machine.md, "Phase").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePlan {
    /// The sender begins its frame.
    pub frame_open: u64,
    /// The sender releases the wire.
    pub frame_close: u64,
    /// The receiver begins its answer.
    pub answer_open: u64,
    /// The receiver releases the wire.
    pub answer_close: u64,
    /// Length of the phase.
    pub phase: u64,
}

/// Signals when the windows of a phase open and close. Each output is high for one clock cycle.
///
/// After the last window the timer stops until a phase begins. A node that misses the beginning of
/// a phase therefore has no window in it.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseTimer {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// The sender begins its frame.
    pub frame_open: Signal<Out, Bit>,
    /// The sender releases the wire.
    pub frame_close: Signal<Out, Bit>,
    /// The receiver begins its answer.
    pub answer_open: Signal<Out, Bit>,
    /// The receiver releases the wire.
    pub answer_close: Signal<Out, Bit>,
    frame_open_at: Parameter<Bits<16>>,
    frame_close_at: Parameter<Bits<16>>,
    answer_open_at: Parameter<Bits<16>>,
    answer_close_at: Parameter<Bits<16>>,
    /// Keeps the bits that no phase reaches at zero, so that synthesis removes them.
    mask: Parameter<Bits<16>>,
    elapsed: Reg<Bits<16>>,
    /// A window is still ahead.
    running: Reg<Bit>,
}

impl PhaseTimer {
    /// Makes a timer for a plan.
    ///
    /// # Panics
    /// If the windows are not in order or not within the phase, or if the phase is longer than
    /// 65,535 clock cycles.
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
        // The first clock cycle of a phase is number 0.
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
