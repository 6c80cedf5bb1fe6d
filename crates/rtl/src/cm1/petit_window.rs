//! Strobes that last for several bit-times.

use super::TIME_BITS;
use hdl::prelude::*;
use std::ops::Range;

/// A strobe that is high for a range of bit-times in every petit cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct PetitWindow {
    pub clock: Signal<In, Clock>,
    /// Current bit-time of the petit cycle.
    pub time: Signal<In, Bits<TIME_BITS>>,
    pub open: Signal<Out, Bit>,
    /// Bit-time before the first open one.
    before: Parameter<Bits<TIME_BITS>>,
    /// Last open bit-time.
    last: Parameter<Bits<TIME_BITS>>,
    opened: Reg<Bit>,
}

impl PetitWindow {
    /// Makes a strobe that is open in these bit-times, modulo the period; never for an empty range.
    pub fn new(open: Range<u32>, period: u32) -> Self {
        // No bit-time has the greatest number.
        let never = (1 << TIME_BITS) - 1;
        let before = match open.is_empty() {
            true => never,
            false => (open.start + period - 1) % period,
        };
        let last = (open.end + period - 1) % period;
        PetitWindow {
            before: Parameter::new(u64::from(before).into()),
            last: Parameter::new(u64::from(last).into()),
            ..Default::default()
        }
    }
}

impl Logic for PetitWindow {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, opened);
        if self.time.val() == self.last.val() {
            self.opened.d.next = false;
        }
        if self.time.val() == self.before.val() {
            self.opened.d.next = true;
        }
        self.open.next = self.opened.q.val();
    }
}
