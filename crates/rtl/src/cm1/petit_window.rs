//! Strobes that last for several bit-times.

use super::TIME_BITS;
use hdl::cells::{Parameter, Reg};
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;
use std::ops::Range;

/// Open for some bit-times of every petit cycle.
#[derive(LogicBlock, Circuit, Default)]
pub struct PetitWindow {
    pub clock: Signal<In, Clock>,
    /// The bit-time of the petit cycle.
    pub time: Signal<In, Bits<TIME_BITS>>,
    pub open: Signal<Out, Bit>,
    /// The bit-time before the first that is open.
    before: Parameter<Bits<TIME_BITS>>,
    /// The last that is open.
    last: Parameter<Bits<TIME_BITS>>,
    opened: Reg<Bit>,
}

impl PetitWindow {
    /// Open in these bit-times, counted modulo the period; never if there are
    /// none.
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
