//! The port of a node with its own clock.

use super::{LinkPort, Synchroniser, DIM_BITS};
use hdl::prelude::*;

/// The port of a node to links whose signals come from other clock domains ([`Synchroniser`]).
#[derive(LogicBlock, Circuit, Default)]
pub struct SynchronisedPort<const DIMS: usize, const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Address of the node.
    pub address: Signal<In, Bits<DIMS>>,
    /// Levels of the wires, dimension 0 lowest.
    pub level: Signal<In, Bits<DIMS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<DIMS>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<Out, Bit>,
    /// Dimension of the phase.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The node transmits in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The node has lost sync with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Byte to send.
    pub tx_data: Signal<In, Bits<8>>,
    /// Send `tx_data`, if `tx_ready`.
    pub tx_start: Signal<In, Bit>,
    /// The UART can accept a byte.
    pub tx_ready: Signal<Out, Bit>,
    /// Byte received.
    pub rx_data: Signal<Out, Bits<8>>,
    /// High for one clock cycle when `rx_data` is a byte.
    pub rx_valid: Signal<Out, Bit>,
    /// High for one clock cycle when a byte ended without a stop bit.
    pub rx_error: Signal<Out, Bit>,
    synchroniser: Synchroniser<DIMS>,
    port: LinkPort<DIMS, CLOCKS>,
}

impl<const DIMS: usize, const CLOCKS: usize> Logic for SynchronisedPort<DIMS, CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, synchroniser, port);
        link!(self, synchroniser, phase_clock, sync, level);
        self.port.phase_clock.next = self.synchroniser.node_phase_clock.val();
        self.port.sync.next = self.synchroniser.node_sync.val();
        self.port.level.next = self.synchroniser.node_level.val();
        link!(self, port, address, tx_data, tx_start);
        link!(self, port, pull, begin, dim, transmit, muted, tx_ready);
        link!(self, port, rx_data, rx_valid, rx_error);
    }
}
