//! The UART for both directions at once.

use super::{UartReceiver, UartTransmitter};
use hdl::prelude::*;

/// A sender and a receiver: 8N1, `CLOCKS` clock cycles per bit.
#[derive(LogicBlock, Circuit, Default)]
pub struct Uart<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// The byte to send.
    pub tx_data: Signal<In, Bits<8>>,
    /// Send it, if `tx_ready`.
    pub tx_start: Signal<In, Bit>,
    /// A byte would be taken.
    pub tx_ready: Signal<Out, Bit>,
    /// The line out, high when idle.
    pub tx: Signal<Out, Bit>,
    /// The line in, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Forget a byte that is coming in.
    pub rx_clear: Signal<In, Bit>,
    /// The byte received.
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
        link!(self, transmitter, tx);
        link!(self, receiver, rx);
        self.receiver.clear.next = self.rx_clear.val();
        self.rx_data.next = self.receiver.data.val();
        self.rx_valid.next = self.receiver.valid.val();
        self.rx_error.next = self.receiver.error.val();
    }
}
