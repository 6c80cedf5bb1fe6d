//! The half-duplex UART of the nodes, small because a wire is used in one direction at a time.

use super::{counter_mask, BITS_PER_BYTE, COUNTER_BITS};
use hdl::prelude::*;

/// Sends or receives bytes, one direction at a time: 8N1, `CLOCKS` clock cycles per bit, with one
/// shift register and one counter for both directions.
///
/// The ports are the same as in [`Uart`](super::Uart), and the two can be connected to each other.
/// Sending has priority: it discards a byte that is being received. During the first `CLOCKS` clock
/// cycles of a byte being sent, `rx_data` shows that byte.
#[derive(LogicBlock, Circuit, Default)]
pub struct HalfDuplexUart<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte to send.
    pub tx_data: Signal<In, Bits<8>>,
    /// Send `tx_data`, if `tx_ready`.
    pub tx_start: Signal<In, Bit>,
    /// The UART can accept a byte.
    pub tx_ready: Signal<Out, Bit>,
    /// Line out, high when idle.
    pub tx: Signal<Out, Bit>,
    /// Line in, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Discard the byte in progress, in either direction.
    pub rx_clear: Signal<In, Bit>,
    /// Byte received; holds for 1.5 bit-times. Shows the byte being sent at the beginning of
    /// sending.
    pub rx_data: Signal<Out, Bits<8>>,
    /// High for one clock cycle when `rx_data` is a received byte.
    pub rx_valid: Signal<Out, Bit>,
    /// High for one clock cycle when a byte ended without a stop bit.
    pub rx_error: Signal<Out, Bit>,
    sending: Reg<Bit>,
    /// Bits of the byte that have not ended, including start and stop bit; zero when idle.
    bits_left: Reg<Bits<4>>,
    /// Elapsed clock cycles of the current bit. When receiving, a bit extends from one sampling
    /// point to the next.
    elapsed: Reg<Bits<COUNTER_BITS>>,
    /// Bits of the byte, inverted, the first lowest. Bits 8:1 are the byte. When sending, bit 0 is
    /// on the line.
    shift: Reg<Bits<9>>,
    /// The line was low one clock cycle ago.
    was_low: Reg<Bit>,
}

impl<const CLOCKS: usize> Logic for HalfDuplexUart<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, sending, bits_left, elapsed, shift, was_low);
        let sending = self.sending.q.val();
        let bits_left = self.bits_left.q.val();
        let shift = self.shift.q.val();
        let low = !self.rx.val();
        let idle = bits_left == 0;
        let bit_ends = self.elapsed.q.val() == (CLOCKS - 1) as u64;
        let start_bit = bits_left == BITS_PER_BYTE as u64;
        let stop_bit = bits_left == 1;
        let byte_ends = bit_ends & stop_bit;
        self.tx_ready.next = !sending | byte_ends;
        self.tx.next = !(sending & shift.get_bit(0));
        self.rx_data.next = !shift.get_bits::<8>(1);
        self.rx_valid.next = byte_ends & !sending & !low;
        self.rx_error.next = byte_ends & !sending & low;

        self.was_low.d.next = low & !self.rx_clear.val();
        self.elapsed.d.next = (self.elapsed.q.val() + 1) & counter_mask(CLOCKS);
        if self.tx_start.val() & self.tx_ready.val() {
            self.sending.d.next = true;
            self.bits_left.d.next = (BITS_PER_BYTE as u64).into();
            self.elapsed.d.next = 0.into();
            // The start bit is a one, and the zero that is shifted in becomes the stop bit.
            self.shift.d.next = ((!self.tx_data.val()).resized::<9>() << 1) | 1;
        } else if self.rx_clear.val() {
            self.sending.d.next = false;
            self.bits_left.d.next = 0.into();
        } else if idle {
            // The edge is detected one clock cycle into the start bit. The first sampling point is
            // in the middle of the start bit.
            self.elapsed.d.next = ((CLOCKS - 1 - (CLOCKS - 3) / 2) as u64).into();
            if low & !self.was_low.q.val() {
                self.bits_left.d.next = (BITS_PER_BYTE as u64).into();
            }
        } else if bit_ends {
            self.elapsed.d.next = 0.into();
            self.bits_left.d.next = bits_left - 1;
            if stop_bit {
                self.sending.d.next = false;
            } else if sending | !start_bit {
                self.shift.d.next = (shift >> 1).replace_bit(8, low & !sending);
            } else if !low {
                // The falling edge was not a start bit.
                self.bits_left.d.next = 0.into();
            }
        }
    }
}
