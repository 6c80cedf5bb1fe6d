//! Level meter: sum of the last 16 levels of a sampled signal, and a peak that falls slowly.

use hdl::prelude::*;

/// Samples of a signal.
#[derive(Bundle, Default)]
pub struct Samples {
    /// A sample arrives in this clock cycle.
    pub valid: Signal<In, Bit>,
    pub value: Signal<In, Signed<8>>,
}

/// Returns the distance of a sample from zero, up to 128.
#[kernel]
pub fn level_of(sample: Signed<8>) -> Bits<8> {
    if sample < 0 {
        (-sample).to_unsigned()
    } else {
        sample.to_unsigned()
    }
}

/// Greatest recent level. It falls by one in each clock cycle without a higher level.
#[derive(LogicBlock, Circuit, Default)]
pub struct PeakHold {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub level: Signal<In, Bits<8>>,
    pub peak: Signal<Out, Bits<8>>,
    held: Reg<Bits<8>>,
    in_range: Assertion,
    at_top: Cover,
}

impl Logic for PeakHold {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        let mut next = self.held.q.val();
        if next.any() {
            next = next - 1;
        }
        if self.valid.val() && self.level.val() > next {
            next = self.level.val();
        }
        self.held.d.next = next;
        self.peak.next = self.held.q.val();
        reset!(self, reset, held);

        clock!(self, clock, in_range, at_top);
        self.in_range.holds.next = self.held.q.val() <= 128;
        self.at_top.holds.next = self.held.q.val() == 128;
    }
}

/// Level meter of one signal.
#[derive(LogicBlock, Circuit, Default)]
pub struct LevelMeter {
    pub clock: Signal<In, Clock>,
    /// Clears the peak.
    pub reset: Signal<In, Bit>,
    pub samples: Samples,
    /// Sum of the last 16 levels.
    pub sum: Signal<Out, Bits<12>>,
    pub peak: Signal<Out, Bits<8>>,
    /// The last 16 levels.
    window: Memory<Bits<8>, 4>,
    /// Place of the oldest level.
    oldest: Reg<Bits<4>>,
    total: Reg<Bits<12>>,
    hold: PeakHold,
}

impl Logic for LevelMeter {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, oldest, total);
        clock!(self, clock, window, hold);
        let level = level_of(self.samples.value.val());

        // The new level replaces the oldest one.
        if self.samples.valid.val() {
            self.oldest.d.next = self.oldest.q.val() + 1;
            self.total.d.next =
                self.total.q.val() + level.resized() - self.window.read_data.val().resized();
        }
        self.window.write_enable.next = self.samples.valid.val();
        self.window.write_address.next = self.oldest.q.val();
        self.window.write_data.next = level;
        // A memory answers in the next clock cycle, so it reads the place that is then the oldest.
        self.window.read_address.next =
            if self.samples.valid.val() { self.oldest.q.val() + 1 } else { self.oldest.q.val() };

        link!(self -> hold: reset);
        self.hold.valid.next = self.samples.valid.val();
        self.hold.level.next = level;
        link!(hold -> self: peak);
        self.sum.next = self.total.q.val();
    }
}
