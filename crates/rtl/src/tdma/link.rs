//! The smallest machine: two nodes that exchange bytes over one wire. Its parts are the link port,
//! the pin mux and the wire.

use super::{PhaseClock, PhaseSequencer, COUNT_BITS, DIM_BITS, DIVIDER_BITS, PHASE_BITS};
use crate::uart::Uart;
use hdl::prelude::*;

/// The 1-cube: the ports of two nodes, the wire between them and the phase clock.
///
/// Bit 0 of a two-bit word and the low byte of a 16-bit word belong to node 0, the others to node 1.
#[derive(LogicBlock, Circuit, Default)]
pub struct Link<const CLOCKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Run the schedule.
    pub enable: Signal<In, Bit>,
    /// Clock cycles in half a phase, less one.
    pub divider: Signal<In, Bits<DIVIDER_BITS>>,
    /// Current phase.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<Out, Bits<2>>,
    /// The node transmits in this phase.
    pub transmit: Signal<Out, Bits<2>>,
    /// Bytes to send.
    pub tx_data: Signal<In, Bits<16>>,
    /// Send `tx_data`, if `tx_ready`.
    pub tx_start: Signal<In, Bits<2>>,
    /// The UART can accept a byte.
    pub tx_ready: Signal<Out, Bits<2>>,
    /// Bytes received.
    pub rx_data: Signal<Out, Bits<16>>,
    /// High for one clock cycle when `rx_data` holds a byte of the node.
    pub rx_valid: Signal<Out, Bits<2>>,
    /// High for one clock cycle when a byte ended without a stop bit.
    pub rx_error: Signal<Out, Bits<2>>,
    /// Level of the wire.
    pub level: Signal<Out, Bit>,
    phases: PhaseClock<1>,
    nodes: [LinkPort<1, CLOCKS>; 2],
    line: OpenDrainWire,
}

impl<const CLOCKS: usize> Logic for Link<CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phases);
        link!(self -> phases: enable, divider);
        link!(phases -> self: phase);

        self.begin.next = 0.into();
        self.transmit.next = 0.into();
        self.tx_ready.next = 0.into();
        self.rx_valid.next = 0.into();
        self.rx_error.next = 0.into();
        for i in 0..2 {
            clock!(self, clock, nodes[i]);
            link!(phases -> nodes[i]: phase_clock, sync);
            self.nodes[i].address.next = bits::<1>(i as u64);
            self.nodes[i].level.next = self.line.level.val().into();
            self.nodes[i].tx_data.next = self.tx_data.val().get_bits::<8>(8 * i);
            self.nodes[i].tx_start.next = self.tx_start.val().get_bit(i);

            self.begin.next = self.begin.val().replace_bit(i, self.nodes[i].begin.val());
            self.transmit.next = self.transmit.val().replace_bit(i, self.nodes[i].transmit.val());
            self.tx_ready.next = self.tx_ready.val().replace_bit(i, self.nodes[i].tx_ready.val());
            self.rx_valid.next = self.rx_valid.val().replace_bit(i, self.nodes[i].rx_valid.val());
            self.rx_error.next = self.rx_error.val().replace_bit(i, self.nodes[i].rx_error.val());
        }
        self.rx_data.next = self.nodes[0].rx_data.val().resized::<16>()
            | (self.nodes[1].rx_data.val().resized::<16>() << 8);

        self.line.pull_a.next = self.nodes[0].pull.val().get_bit(0);
        self.line.pull_b.next = self.nodes[1].pull.val().get_bit(0);
        link!(line -> self: level);
    }
}

/// The port of a node to its links: sequencer, pin mux and UART. It transfers bytes. In every phase
/// it is either the sender or the receiver on one link.
#[derive(LogicBlock, Circuit, Default)]
pub struct LinkPort<const DIMS: usize, const CLOCKS: usize> {
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
    /// Current phase.
    pub phase: Signal<Out, Bits<PHASE_BITS>>,
    /// Dimension of the phase.
    pub dim: Signal<Out, Bits<DIM_BITS>>,
    /// The node transmits in this phase.
    pub transmit: Signal<Out, Bit>,
    /// The node has lost sync with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Number of times the node lost sync.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
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
    sequencer: PhaseSequencer<DIMS>,
    mux: PinMux<DIMS>,
    uart: Uart<CLOCKS>,
}

impl<const DIMS: usize, const CLOCKS: usize> Logic for LinkPort<DIMS, CLOCKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, mux, uart);
        link!(self -> sequencer: phase_clock, sync);
        self.sequencer.sides.next = self.address.val();
        link!(sequencer -> self: begin, phase, dim, transmit, muted, slips);

        link!(sequencer -> mux: dim);
        self.mux.drive.next = self.sequencer.transmit.val();
        link!(uart -> mux: tx);
        link!(self -> mux: level);
        link!(mux -> self: pull);

        link!(self -> uart: tx_data, tx_start);
        link!(uart -> self: tx_ready);
        link!(mux -> uart: rx);
        // Activity on the previous link has no meaning on this one.
        self.uart.rx_clear.next = self.sequencer.begin.val();
        link!(uart -> self: rx_data, rx_valid, rx_error);
    }
}

/// Connects the one UART of a node to the wire of the active dimension.
///
/// The wires are open-drain and pulled up: a node pulls a wire low or releases it. The node always
/// releases all wires except the wire of `dim`. The pulls and `rx` come from flip-flops. A change of
/// `dim` therefore causes no spurious start bit, and no pull depends combinationally on a level.
/// `tx` reaches the wire, and a level reaches `rx`, one clock cycle later.
#[derive(LogicBlock, Circuit, Default)]
pub struct PinMux<const DIMS: usize> {
    pub clock: Signal<In, Clock>,
    /// Active dimension; none if the value is `DIMS` or higher.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The node may pull the active wire. Otherwise it listens.
    pub drive: Signal<In, Bit>,
    /// Line out of the UART, high when idle.
    pub tx: Signal<In, Bit>,
    /// Line into the UART; high while driving or without an active dimension.
    pub rx: Signal<Out, Bit>,
    /// Levels of the wires, dimension 0 lowest.
    pub level: Signal<In, Bits<DIMS>>,
    /// Pull the wire low.
    pub pull: Signal<Out, Bits<DIMS>>,
    pulls: Reg<Bits<DIMS>>,
    /// The active wire is low and the node listens.
    listened_low: Reg<Bit>,
}

impl<const DIMS: usize> Logic for PinMux<DIMS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, pulls, listened_low);
        self.pulls.d.next = 0.into();
        self.listened_low.d.next = false;
        for d in 0..DIMS {
            if self.dim.val() == d as u64 {
                if self.drive.val() {
                    self.pulls.d.next = bits::<DIMS>(0).replace_bit(d, !self.tx.val());
                } else {
                    self.listened_low.d.next = !self.level.val().get_bit(d);
                }
            }
        }
        self.pull.next = self.pulls.q.val();
        self.rx.next = !self.listened_low.q.val();
    }
}

/// An open-drain wire with a pull-up and two ends.
#[derive(LogicBlock, Circuit, Default)]
pub struct OpenDrainWire {
    /// One end pulls the wire low.
    pub pull_a: Signal<In, Bit>,
    /// The other end pulls the wire low.
    pub pull_b: Signal<In, Bit>,
    /// Level at both ends: high unless an end pulls.
    pub level: Signal<Out, Bit>,
}

impl Logic for OpenDrainWire {
    #[kernel]
    fn update(&mut self) {
        self.level.next = !(self.pull_a.val() | self.pull_b.val());
    }
}
