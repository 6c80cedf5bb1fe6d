//! The UART: 8N1, least significant bit first, a fixed number of clock cycles per bit.
//!
//! A byte takes ten bit-times on the line: a low start bit, eight data bits and a high stop bit. The
//! idle line is high.

use hdl::prelude::*;

/// Bit-times of one byte on the line.
pub const BITS_PER_BYTE: u32 = 10;

/// Width of the counters of clock cycles within a bit.
const COUNTER_BITS: usize = 16;

/// Smallest mask that covers `0..n`. A counter masked with it keeps its upper bits at zero, which
/// synthesis recognises and removes.
const fn counter_mask(n: usize) -> u64 {
    assert!(n >= 4, "a UART bit takes at least 4 clock cycles");
    assert!(n <= 1 << COUNTER_BITS, "a UART bit takes at most 65,536 clock cycles");
    (n as u64).next_power_of_two() - 1
}

// The receive side of the UART.

/// State of the receiver within a byte.
#[word]
enum RxState {
    /// Waits for a falling edge.
    Idle,
    /// In a start bit, if the line is still low in the middle of the bit.
    Start,
    /// In a data bit.
    Data,
    /// In the stop bit.
    Stop,
}

/// Receives bytes: 8N1, `CLOCKS` clock cycles per bit.
///
/// A falling edge of an idle line begins a start bit if the line is still low in the middle of the
/// bit (the start-bit filter). Otherwise the receiver ignores the edge. Each further bit is sampled
/// in its middle. `valid` or `error` is high for one clock cycle in the middle of the stop bit, and
/// from then on the receiver is ready for the next edge. With eight or more clock cycles per bit the
/// clocks of sender and receiver may differ by 4 %, with fewer by 2.5 %.
///
/// `rx` must come from a flip-flop of this clock.
#[derive(LogicBlock, Circuit, Default)]
pub struct UartReceiver<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Line, high when idle.
    pub rx: Signal<In, Bit>,
    /// Discard the byte in progress and treat the line as idle.
    pub clear: Signal<In, Bit>,
    /// Byte received; stable until the next byte begins to arrive.
    pub data: Signal<Out, Bits<8>>,
    /// `data` is a byte with a good stop bit.
    pub valid: Signal<Out, Bit>,
    /// A byte ended without a stop bit.
    pub error: Signal<Out, Bit>,
    state: Reg<RxState>,
    /// The line was low one clock cycle ago.
    was_low: Reg<Bit>,
    /// Clock cycles since the last sampling point or since the falling edge.
    elapsed: Reg<Bits<COUNTER_BITS>>,
    /// Data bits read so far.
    count: Reg<Bits<3>>,
    shift: Reg<Bits<8>>,
}

impl<const CLOCKS: usize> Logic for UartReceiver<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, state, was_low, elapsed, count, shift);
        let low = !self.rx.val();
        self.was_low.d.next = low & !self.clear.val();
        self.elapsed.d.next = (self.elapsed.q.val() + 1) & counter_mask(CLOCKS);
        self.data.next = self.shift.q.val();
        self.valid.next = false;
        self.error.next = false;
        // The edge is detected one clock cycle into the start bit.
        let half_bit = self.elapsed.q.val() == ((CLOCKS - 3) / 2) as u64;
        let whole_bit = self.elapsed.q.val() == (CLOCKS - 1) as u64;
        match self.state.q.val() {
            RxState::Idle => {
                self.elapsed.d.next = 0.into();
                self.count.d.next = 0.into();
                if low & !self.was_low.q.val() {
                    self.state.d.next = RxState::Start;
                }
            }
            RxState::Start => {
                if half_bit {
                    self.elapsed.d.next = 0.into();
                    self.state.d.next = if low { RxState::Data } else { RxState::Idle };
                }
            }
            RxState::Data => {
                if whole_bit {
                    self.elapsed.d.next = 0.into();
                    self.shift.d.next = (self.shift.q.val() >> 1).replace_bit(7, self.rx.val());
                    self.count.d.next = self.count.q.val() + 1;
                    if self.count.q.val() == 7 {
                        self.state.d.next = RxState::Stop;
                    }
                }
            }
            RxState::Stop => {
                if whole_bit {
                    self.valid.next = !low;
                    self.error.next = low;
                    self.state.d.next = RxState::Idle;
                }
            }
        }
        if self.clear.val() {
            self.state.d.next = RxState::Idle;
        }
    }
}

/// Sends bytes: 8N1, `CLOCKS` clock cycles per bit.
///
/// The transmitter accepts a byte in a clock cycle in which `start` and `ready` are high. The start
/// bit begins in the next clock cycle. `ready` is high when idle and in the last clock cycle of a
/// stop bit, so bytes can follow each other without a gap.
#[derive(LogicBlock, Circuit, Default)]
pub struct UartTransmitter<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Byte to send.
    pub data: Signal<In, Bits<8>>,
    /// Send `data`, if `ready`.
    pub start: Signal<In, Bit>,
    /// The transmitter can accept a byte.
    pub ready: Signal<Out, Bit>,
    /// Line, high when idle, from a flip-flop through an inverter.
    pub tx: Signal<Out, Bit>,
    /// Bits that remain to be sent, inverted, the current bit lowest; zero when idle.
    shift: Reg<Bits<9>>,
    /// Bits of the byte that have not ended, including the stop bit.
    bits_left: Reg<Bits<4>>,
    /// Elapsed clock cycles of the current bit.
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
            // The start bit goes first, as a one. The zero that is shifted in becomes the stop bit.
            let inverted = (!self.data.val()).resized::<9>();
            self.shift.d.next = (inverted << 1) | 1;
            self.bits_left.d.next = (BITS_PER_BYTE as u64).into();
        } else if bit_ends & !idle {
            self.shift.d.next = self.shift.q.val() >> 1;
            self.bits_left.d.next = self.bits_left.q.val() - 1;
        }
    }
}

/// A sender and a receiver: 8N1, `CLOCKS` clock cycles per bit.
#[derive(LogicBlock, Circuit, Default)]
pub struct Uart<const CLOCKS: usize> {
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
    /// Discard the byte that is being received.
    pub rx_clear: Signal<In, Bit>,
    /// Byte received.
    pub rx_data: Signal<Out, Bits<8>>,
    /// High for one clock cycle when `rx_data` is a byte.
    pub rx_valid: Signal<Out, Bit>,
    /// High for one clock cycle when a byte ended without a stop bit.
    pub rx_error: Signal<Out, Bit>,
    transmitter: UartTransmitter<CLOCKS>,
    receiver: UartReceiver<CLOCKS>,
}

impl<const CLOCKS: usize> Logic for Uart<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, transmitter, receiver);
        self.transmitter.data.next = self.tx_data.val();
        self.transmitter.start.next = self.tx_start.val();
        self.tx_ready.next = self.transmitter.ready.val();
        link!(transmitter -> self: tx);
        link!(self -> receiver: rx);
        self.receiver.clear.next = self.rx_clear.val();
        self.rx_data.next = self.receiver.data.val();
        self.rx_valid.next = self.receiver.valid.val();
        self.rx_error.next = self.receiver.error.val();
    }
}

// The half-duplex UART of the nodes, small because a wire is used in one direction at a time.

/// Sends or receives bytes, one direction at a time: 8N1, `CLOCKS` clock cycles per bit, with one
/// shift register and one counter for both directions.
///
/// The ports are the same as in [`Uart`], and the two can be connected to each other.
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
