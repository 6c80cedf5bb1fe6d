//! A line in which a row's bits wait for an address bit.

use super::list;
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// Hands on each bit so many bit-times after it came
/// (`cm1-message-router`, section 3.4.3).
#[derive(LogicBlock, Circuit, Default)]
pub struct BitDelay {
    pub clock: Signal<In, Clock>,
    /// The bit that comes.
    pub data: Signal<In, Bit>,
    /// The bit that came `bits` bit-times ago.
    pub delayed: Signal<Out, Bit>,
    bits: Vec<Reg<Bit>>,
}

impl BitDelay {
    /// A line of so many bits, none to be no line at all.
    pub fn new(bits: usize) -> Self {
        BitDelay {
            bits: list(bits),
            ..Default::default()
        }
    }
}

impl Logic for BitDelay {
    #[kernel]
    fn update(&mut self) {
        self.delayed.next = self.data.val();
        for i in 0..self.bits.len() {
            clock!(self, clock, bits[i]);
            self.bits[i].d.next = self.delayed.val();
            self.delayed.next = self.bits[i].q.val();
        }
    }
}
