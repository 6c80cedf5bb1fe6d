//! The send side of the UART.

use super::{counter_mask, BITS_PER_BYTE, COUNTER_BITS};
use hdl::prelude::*;

/// Sends bytes: 8N1, `CLOCKS` clock cycles per bit.
///
/// A byte is taken in a clock cycle in which `start` and `ready` are high; its
/// start bit begins with the next one. `ready` is high when idle and in the last
/// clock cycle of a stop bit, so bytes can follow each other without a gap.
#[derive(LogicBlock, Circuit, Default)]
pub struct UartTransmitter<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// The byte to send.
    pub data: Signal<In, Bits<8>>,
    /// Send it, if `ready`.
    pub start: Signal<In, Bit>,
    /// A byte would be taken.
    pub ready: Signal<Out, Bit>,
    /// The line, high when idle; straight from a flip-flop and an inverter.
    pub tx: Signal<Out, Bit>,
    /// What is still to be sent, inverted, the present bit lowest: zero is idle.
    shift: Reg<Bits<9>>,
    /// Bits of the byte that have not ended, the stop bit included.
    bits_left: Reg<Bits<4>>,
    /// Clock cycles of the present bit that have passed.
    elapsed: Reg<Bits<COUNTER_BITS>>,
}

impl<const CLOCKS: usize> Logic for UartTransmitter<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, shift, bits_left, elapsed);
        let idle = self.bits_left.q.val() == 0;
        let bit_ends = self.elapsed.q.val() == (CLOCKS - 1) as u64;
        let last_bit_ends = bit_ends & (self.bits_left.q.val() == 1);
        self.ready.next = idle | last_bit_ends;
        self.tx.next = !self.shift.q.val().get_bit(0);
        if idle | bit_ends {
            self.elapsed.d.next = 0.into();
        } else {
            self.elapsed.d.next = (self.elapsed.q.val() + 1) & counter_mask(CLOCKS);
        }
        if self.ready.val() & self.start.val() {
            // The start bit goes first, as a one; the stop bit is the zero
            // that is shifted in.
            let inverted = (!self.data.val()).resized::<9>();
            self.shift.d.next = (inverted << 1) | 1;
            self.bits_left.d.next = (BITS_PER_BYTE as u64).into();
        } else if bit_ends & !idle {
            self.shift.d.next = self.shift.q.val() >> 1;
            self.bits_left.d.next = self.bits_left.q.val() - 1;
        }
    }
}
