//! The port of a node whose clock is its own.

use super::{LinkPort, DIM_BITS};
use hdl::cells::Reg;
use hdl::lower::{kernel, Circuit};
use rust_hdl::prelude::*;

/// A node's port to its links whose wires come from other clock domains: the
/// phase clock's device and the neighbours have clocks of their own.
///
/// Every line goes through two flip-flops, `phase_clock` through three: it and
/// `sync` change together, and when the rise is seen `sync` must have arrived.
#[derive(LogicBlock, Circuit, Default)]
pub struct SynchronisedPort<const DIMS: usize, const CLOCKS: usize> {
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
    /// The dimension of the phase.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The node transmits in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
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
    phase_clock_stages: Reg<Bits<3>>,
    sync_stages: Reg<Bits<2>>,
    /// The wires, low when idle, as the pin mux has them.
    low_first: Reg<Bits<DIMS>>,
    low_second: Reg<Bits<DIMS>>,
    port: LinkPort<DIMS, CLOCKS>,
}

impl<const DIMS: usize, const CLOCKS: usize> Logic for SynchronisedPort<DIMS, CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phase_clock_stages, sync_stages, low_first);
        clock!(self, clock, low_second, port);
        self.phase_clock_stages.d.next =
            (self.phase_clock_stages.q.val() << 1).replace_bit(0, self.phase_clock.val());
        self.sync_stages.d.next = (self.sync_stages.q.val() << 1).replace_bit(0, self.sync.val());
        self.low_first.d.next = !self.level.val();
        self.low_second.d.next = self.low_first.q.val();

        self.port.phase_clock.next = self.phase_clock_stages.q.val().get_bit(2);
        self.port.sync.next = self.sync_stages.q.val().get_bit(1);
        link!(self, port, address);
        self.port.level.next = !self.low_second.q.val();
        link!(self, port, tx_data, tx_start);

        link!(self, port, pull, begin, dim, transmit, muted, tx_ready);
        link!(self, port, rx_data, rx_valid, rx_error);
    }
}
