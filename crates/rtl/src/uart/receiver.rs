//! The receive side of the UART.

use super::{counter_mask, COUNTER_BITS};
use hdl::prelude::*;

/// The receiver's place in a byte.
#[word]
pub enum RxState {
    /// Between bytes: waits for a falling edge.
    Idle,
    /// In what may be a start bit.
    Start,
    /// In a data bit.
    Data,
    /// In the stop bit.
    Stop,
}

/// Receives bytes: 8N1, `CLOCKS` clock cycles per bit.
///
/// A falling edge of an idle line may be a start bit: it is one if the line is
/// still low in the middle of the bit (the start-bit filter), else it is
/// forgotten. Every further bit is read in its middle. `valid` or `error` is
/// high for one clock cycle in the middle of the stop bit, where the receiver
/// is ready for the next edge. With eight or more clock cycles per bit the clocks
/// of sender and receiver may differ by 4 %, with fewer by 2.5 %.
///
/// `rx` must come from a flip-flop of this clock.
#[derive(LogicBlock, Circuit, Default)]
pub struct UartReceiver<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// The line, high when idle.
    pub rx: Signal<In, Bit>,
    /// Forget the byte under way and take the line for idle.
    pub clear: Signal<In, Bit>,
    /// The byte received; holds until the next one begins to come in.
    pub data: Signal<Out, Bits<8>>,
    /// `data` is a byte with a good stop bit.
    pub valid: Signal<Out, Bit>,
    /// A byte ended without a stop bit.
    pub error: Signal<Out, Bit>,
    state: Reg<RxState>,
    /// Whether the line was low one clock cycle ago.
    was_low: Reg<Bit>,
    /// Clock cycles since the last sampling point, or since the edge.
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
        // The edge was seen one clock cycle into the start bit.
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
