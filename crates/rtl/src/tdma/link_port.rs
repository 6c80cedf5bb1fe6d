//! The connection of a node to its wires, at the level of bytes.

use super::{PhaseSequencer, PinMux, COUNT_BITS, DIM_BITS, PHASE_BITS};
use crate::uart::Uart;
use hdl::prelude::*;

/// A node's port to its links: sequencer, pin mux and UART. It carries bytes; in
/// every phase it is either the sender or the receiver on one link.
#[derive(LogicBlock, Circuit, Default)]
pub struct LinkPort<const DIMS: usize, const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// The address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// The levels of the wires, dimension 0 lowest.
    pub level: Signal<In, Bits<DIMS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<DIMS>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<Out, Bit>,
    /// The phase under way.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// The dimension of the phase.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The node transmits in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Times it fell out of step.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    /// The byte to send.
    pub tx_data: Signal<In, Bits<8>>,
    /// Send it, if `tx_ready`.
    pub tx_start: Signal<In, Bit>,
    /// A byte would be taken.
    pub tx_ready: Signal<Out, Bit>,
    /// The byte received.
    pub rx_data: Signal<Out, Bits<8>>,
    /// High for one clock cycle when `rx_data` is a byte.
    pub rx_valid: Signal<Out, Bit>,
    /// High for one clock cycle when a byte ended without a stop bit.
    pub rx_error: Signal<Out, Bit>,
    sequencer: PhaseSequencer<DIMS>,
    mux: PinMux<DIMS>,
    uart: Uart<CLOCKS>,
}

impl<const DIMS: usize, const CLOCKS: usize> Logic for LinkPort<DIMS, CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, mux, uart);
        link!(self, sequencer, phase_clock, sync);
        self.sequencer.sides.next = self.address.val();
        link!(self, sequencer, begin, phase, dim, transmit, muted, slips);

        join!(self, sequencer, mux, dim);
        self.mux.drive.next = self.sequencer.transmit.val();
        join!(self, uart, mux, tx);
        link!(self, mux, level, pull);

        link!(self, uart, tx_data, tx_start, tx_ready);
        join!(self, mux, uart, rx);
        // Activity on the previous link has no meaning on this one.
        self.uart.rx_clear.next = self.sequencer.begin.val();
        link!(self, uart, rx_data, rx_valid, rx_error);
    }
}
