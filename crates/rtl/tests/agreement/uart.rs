//! The UART, on bytes with and without stop bits, glitches and noise. A transmitter also sends to a
//! receiver.

use crate::agreement::engines::{agree, agree_on};
use crate::agreement::scripts::{bursts, line, rarely};
use engine::Stimulus;
use hdl::prelude::*;
use rtl::uart::{HalfDuplexUart, Uart, UartReceiver, UartTransmitter};

/// A transmitter, a line that can be disturbed, and a receiver.
#[derive(LogicBlock, Circuit, Default)]
struct UartLoopback<const CLOCKS: usize> {
    clock: Signal<In, Clock>,
    data: Signal<In, Bits<8>>,
    start: Signal<In, Bit>,
    /// Pull the line low.
    disturb: Signal<In, Bit>,
    ready: Signal<Out, Bit>,
    received: Signal<Out, Bits<8>>,
    valid: Signal<Out, Bit>,
    error: Signal<Out, Bit>,
    low: Reg<Bit>,
    transmitter: UartTransmitter<CLOCKS>,
    receiver: UartReceiver<CLOCKS>,
}

impl<const CLOCKS: usize> Logic for UartLoopback<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, low, transmitter, receiver);
        self.transmitter.data.next = self.data.val();
        self.transmitter.start.next = self.start.val();
        self.ready.next = self.transmitter.ready.val();
        self.low.d.next = !self.transmitter.tx.val() | self.disturb.val();
        self.receiver.rx.next = !self.low.q.val();
        self.receiver.clear.next = false;
        self.received.next = self.receiver.data.val();
        self.valid.next = self.receiver.valid.val();
        self.error.next = self.receiver.error.val();
    }
}

fn bytes(stimulus: Stimulus, rx: &str, clear: &str, clocks: u64) -> Stimulus {
    let mut line = line(clocks);
    stimulus.script(&[rx], move |random| vec![line(random)]).script(&[clear], rarely(30 * clocks))
}

fn receivers_agree<const CLOCKS: usize>() {
    agree_on(UartReceiver::<CLOCKS>::default, |stimulus| {
        bytes(stimulus, "rx", "clear", CLOCKS as u64)
    });
}

fn transceivers_agree<const CLOCKS: usize>() {
    agree_on(Uart::<CLOCKS>::default, |stimulus| bytes(stimulus, "rx", "rx_clear", CLOCKS as u64));
}

fn half_duplex_uarts_agree<const CLOCKS: usize>() {
    agree_on(HalfDuplexUart::<CLOCKS>::default, |stimulus| {
        bytes(stimulus, "rx", "rx_clear", CLOCKS as u64)
            .script(&["tx_start"], rarely(40 * CLOCKS as u64))
    });
}

fn loopbacks_agree<const CLOCKS: usize>() {
    agree_on(UartLoopback::<CLOCKS>::default, |stimulus| {
        stimulus.script(&["disturb"], bursts(CLOCKS as u64))
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn transmitters_agree() {
    agree(UartTransmitter::<8>::default);
    agree(UartTransmitter::<5>::default);
    agree(UartTransmitter::<100>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn receivers_agree_on_bytes() {
    receivers_agree::<8>();
    receivers_agree::<5>();
    receivers_agree::<100>();
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn receivers_agree_on_noise() {
    agree(UartReceiver::<8>::default);
}

#[test]
fn uarts_agree() {
    transceivers_agree::<8>();
    transceivers_agree::<5>();
    transceivers_agree::<100>();
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn half_duplex_uarts_agree_on_bytes() {
    half_duplex_uarts_agree::<8>();
    half_duplex_uarts_agree::<5>();
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn a_transmitter_and_a_receiver_agree() {
    loopbacks_agree::<4>();
    loopbacks_agree::<8>();
    loopbacks_agree::<100>();
}
