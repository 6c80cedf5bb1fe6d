//! A delay line that holds the bits of a row until an address bit arrives.

use super::list;
use hdl::prelude::*;

/// Delays each bit by `bits` bit-times (`cm1-message-router`, section 3.4.3).
#[derive(LogicBlock, Circuit, Default)]
pub struct BitDelay {
    pub clock: Signal<In, Clock>,
    /// Incoming bit.
    pub data: Signal<In, Bit>,
    /// Bit that came `bits` bit-times ago.
    pub delayed: Signal<Out, Bit>,
    bits: Vec<Reg<Bit>>,
}

impl BitDelay {
    /// Makes a line of `bits` bits; with 0 bits the output is the input.
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
