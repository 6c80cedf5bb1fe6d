//! The smallest machine: two nodes that exchange bytes over one wire.

use super::{LinkPort, OpenDrainWire, PhaseClock, DIVIDER_BITS, PHASE_BITS};
use hdl::prelude::*;

/// The 1-cube: two nodes' ports, the wire between them and the phase clock.
///
/// Bit 0 of a two-bit word belongs to node 0, bit 1 to node 1; so do the bytes
/// of a 16-bit word.
#[derive(LogicBlock, Circuit, Default)]
pub struct Link<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Run the schedule.
    pub enable: Signal<In, Bit>,
    /// Clock cycles in half a phase, less one.
    pub divider: Signal<In, Bits<DIVIDER_BITS>>,
    /// The phase under way.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<Out, Bits<2>>,
    /// The node transmits in this phase.
    pub transmit: Signal<Out, Bits<2>>,
    /// The bytes to send.
    pub tx_data: Signal<In, Bits<16>>,
    /// Send it, if `tx_ready`.
    pub tx_start: Signal<In, Bits<2>>,
    /// A byte would be taken.
    pub tx_ready: Signal<Out, Bits<2>>,
    /// The bytes received.
    pub rx_data: Signal<Out, Bits<16>>,
    /// High for one clock cycle when `rx_data` holds a byte of the node.
    pub rx_valid: Signal<Out, Bits<2>>,
    /// High for one clock cycle when a byte ended without a stop bit.
    pub rx_error: Signal<Out, Bits<2>>,
    /// The level of the wire.
    pub level: Signal<Out, Bit>,
    phases: PhaseClock<1>,
    nodes: [LinkPort<1, CLOCKS>; 2],
    line: OpenDrainWire,
}

impl<const CLOCKS: usize> Logic for Link<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases);
        link!(self, phases, enable, divider, phase);

        self.begin.next = 0.into();
        self.transmit.next = 0.into();
        self.tx_ready.next = 0.into();
        self.rx_valid.next = 0.into();
        self.rx_error.next = 0.into();
        for i in 0..2 {
            clock!(self, clock, nodes[i]);
            join!(self, phases, nodes[i], phase_clock, sync);
            self.nodes[i].address.next = bits::<1>(i as u64);
            self.nodes[i].level.next = self.line.level.val().into();
            self.nodes[i].tx_data.next = self.tx_data.val().get_bits::<8>(8 * i);
            self.nodes[i].tx_start.next = self.tx_start.val().get_bit(i);

            self.begin.next = self.begin.val().replace_bit(i, self.nodes[i].begin.val());
            self.transmit.next = self
                .transmit
                .val()
                .replace_bit(i, self.nodes[i].transmit.val());
            self.tx_ready.next = self
                .tx_ready
                .val()
                .replace_bit(i, self.nodes[i].tx_ready.val());
            self.rx_valid.next = self
                .rx_valid
                .val()
                .replace_bit(i, self.nodes[i].rx_valid.val());
            self.rx_error.next = self
                .rx_error
                .val()
                .replace_bit(i, self.nodes[i].rx_error.val());
        }
        self.rx_data.next = self.nodes[0].rx_data.val().resized::<16>()
            | (self.nodes[1].rx_data.val().resized::<16>() << 8);

        self.line.pull_a.next = self.nodes[0].pull.val().get_bit(0);
        self.line.pull_b.next = self.nodes[1].pull.val().get_bit(0);
        link!(self, line, level);
    }
}
