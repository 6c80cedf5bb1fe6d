//! Circuits with the ports of a board.

use crate::uart::Uart;
use hdl::prelude::*;
use smart_default::SmartDefault;

// The design `echo`, a test of a board.

/// Answers each received byte, with the case of letters swapped. The smallest design that uses
/// every part of a board, to test the board and its tools.
///
/// `CLOCKS` clock cycles per bit, 8N1. The answer comes from a table in a block RAM. Its start bit
/// begins two clock cycles after the middle of the received byte's stop bit, or when the previous
/// answer has been sent. The LEDs show the last byte.
#[derive(LogicBlock, Circuit, SmartDefault)]
pub struct Echo<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Line in, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line out, high when idle.
    pub tx: Signal<Out, Bit>,
    pub led: Signal<Out, Bits<8>>,
    uart: Uart<CLOCKS>,
    /// Answer to each byte.
    #[default(Rom::new((0..=255).map(|byte| u64::from(answer(byte)).into())))]
    answers: Rom<Bits<8>, 8>,
    /// An answer waits to be sent.
    pending: Reg<Bit>,
    last: Reg<Bits<8>>,
}

impl<const CLOCKS: usize> Logic for Echo<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, uart, answers);
        dff_setup!(self, clock, pending, last);
        let arrives = self.uart.rx_valid.val();
        let pending = self.pending.q.val();
        link!(self -> uart: rx);
        self.uart.rx_clear.next = false;
        // `rx_data` holds the byte until the next one begins to arrive.
        self.answers.address.next = self.uart.rx_data.val();
        self.uart.tx_data.next = self.answers.data.val();
        self.uart.tx_start.next = pending;
        self.pending.d.next = arrives | (pending & !self.uart.tx_ready.val());
        if arrives {
            self.last.d.next = self.uart.rx_data.val();
        }
        link!(uart -> self: tx);
        self.led.next = self.last.q.val();
    }
}

/// Answer to a byte: the other case of a letter, otherwise the byte itself.
fn answer(byte: u8) -> u8 {
    match byte.is_ascii_alphabetic() {
        true => byte ^ 0x20,
        false => byte,
    }
}
