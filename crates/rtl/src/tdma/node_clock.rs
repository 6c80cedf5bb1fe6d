//! A node with its own clock: the synchroniser, the oscillator, the delay of the phase clock, and
//! the local `sync`.

use super::{LinkPort, DIM_BITS, PHASE_BITS};
use hdl::prelude::*;

/// Synchronises signals of other clock domains to the clock of a node. The phase clock and the
/// neighbours have their own clocks.
///
/// Every signal passes two flip-flops, `phase_clock` three. `phase_clock` and `sync` change
/// together, and `sync` must have arrived when the rise is detected.
#[derive(LogicBlock, Circuit, Default)]
pub struct Synchroniser<const LINKS: usize> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Levels of the wires, link 0 lowest.
    pub level: Signal<In, Bits<LINKS>>,
    /// `phase_clock`, three clock cycles later.
    pub node_phase_clock: Signal<Out, Bit>,
    /// `sync`, two clock cycles later.
    pub node_sync: Signal<Out, Bit>,
    /// `level`, two clock cycles later.
    pub node_level: Signal<Out, Bits<LINKS>>,
    phase_clock_stages: Reg<Bits<3>>,
    sync_stages: Reg<Bits<2>>,
    /// Inverted levels of the wires, low when idle, as in the pin mux.
    low_first: Reg<Bits<LINKS>>,
    low_second: Reg<Bits<LINKS>>,
}

impl<const LINKS: usize> Logic for Synchroniser<LINKS> {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, phase_clock_stages, sync_stages);
        clock!(self, clock, low_first, low_second);
        self.phase_clock_stages.d.next =
            (self.phase_clock_stages.q.val() << 1).replace_bit(0, self.phase_clock.val());
        self.sync_stages.d.next = (self.sync_stages.q.val() << 1).replace_bit(0, self.sync.val());
        self.low_first.d.next = !self.level.val();
        self.low_second.d.next = self.low_first.q.val();
        self.node_phase_clock.next = self.phase_clock_stages.q.val().get_bit(2);
        self.node_sync.next = self.sync_stages.q.val().get_bit(1);
        self.node_level.next = !self.low_second.q.val();
    }
}

// A node clock that is slower than the clock of the simulation.

/// Width of the fraction by which an [`NodeOscillator`] is slower.
pub const SLOWER_BITS: usize = 24;

/// A model of the oscillator of one node. Its clock skips edges of the simulation clock at even
/// intervals.
///
/// It skips `slower` edges in 2^24 clock cycles of the simulation. The simulation clock is
/// therefore the fastest clock, and edges are exact to one of its clock cycles.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeOscillator {
    pub clock: Signal<In, Clock>,
    /// Number of edges skipped in 2^24 clock cycles; constant.
    pub slower: Signal<In, Bits<SLOWER_BITS>>,
    /// Initial value of the accumulator that determines skipped edges; constant. It makes clocks of
    /// equal speed skip different edges.
    pub start: Signal<In, Bits<SLOWER_BITS>>,
    /// The edge at the end of this clock cycle belongs to the node's clock.
    pub tick: Signal<Out, Bit>,
    running: Reg<Bit>,
    skipped: Reg<Bits<SLOWER_BITS>>,
    before: Signal<Local, Bits<SLOWER_BITS>>,
    after: Signal<Local, Bits<SLOWER_BITS>>,
}

impl Logic for NodeOscillator {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, running, skipped);
        self.running.d.next = true;
        self.before.next =
            if self.running.q.val() { self.skipped.q.val() } else { self.start.val() };
        self.after.next = self.before.val() + self.slower.val();
        self.skipped.d.next = self.after.val();
        self.tick.next = self.after.val() >= self.before.val();
    }
}

// The path of the phase clock to one node.

/// Width of the delay of [`PhaseClockDelay`].
pub const DELAY_BITS: usize = 10;

/// A model of the wires and buffers between the phase clock and one node. It delays both signals.
///
/// The delay is `delay` + 1 clock cycles. `sync` changes and arrives together with a rise of
/// `phase_clock`. Half a phase is longer than the delay.
#[derive(LogicBlock, Circuit, Default)]
pub struct PhaseClockDelay {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in phase 0.
    pub sync: Signal<In, Bit>,
    /// Delay in clock cycles, less one; constant.
    pub delay: Signal<In, Bits<DELAY_BITS>>,
    /// Delayed `phase_clock`.
    pub delayed_phase_clock: Signal<Out, Bit>,
    /// Delayed `sync`.
    pub delayed_sync: Signal<Out, Bit>,
    phase_clock_there: Reg<Bit>,
    sync_there: Reg<Bit>,
    /// Number of clock cycles since the change entered the path.
    elapsed: Reg<Bits<DELAY_BITS>>,
}

impl Logic for PhaseClockDelay {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, phase_clock_there, sync_there, elapsed);
        self.elapsed.d.next = 0.into();
        if self.phase_clock.val() != self.phase_clock_there.q.val() {
            if self.elapsed.q.val() == self.delay.val() {
                self.phase_clock_there.d.next = self.phase_clock.val();
                self.sync_there.d.next = self.sync.val();
            } else {
                self.elapsed.d.next = self.elapsed.q.val() + 1;
            }
        }
        self.delayed_phase_clock.next = self.phase_clock_there.q.val();
        self.delayed_sync.next = self.sync_there.q.val();
    }
}

// A local `sync` signal for machines without a `sync` wire.

/// Counts the rises of the phase clock from the start. The first rise, and then the first of each
/// superframe, is taken for phase 0.
///
/// The published machine calls the common wire `sync` optional (`tdma-hypercube`, section "The
/// Insight"). Without the wire a node has this block. A missed rise shifts all phases of the node
/// without detection.
#[derive(LogicBlock, Circuit, Default)]
pub struct LocalSync {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High before and during the rise that begins phase 0, by this count.
    pub sync: Signal<Out, Bit>,
    /// Last phase of a superframe.
    last: Parameter<Bits<PHASE_BITS>>,
    was_high: Reg<Bit>,
    /// Number of phases begun in this superframe; 0 after all of them.
    begun: Reg<Bits<PHASE_BITS>>,
}

impl LocalSync {
    /// Makes a counter for superframes of this number of phases, 2 to 32.
    pub fn new(phases: u32) -> Self {
        LocalSync { last: Parameter::new((u64::from(phases) - 1).into()), ..Default::default() }
    }
}

impl Logic for LocalSync {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, was_high, begun);
        self.was_high.d.next = self.phase_clock.val();
        if self.phase_clock.val() & !self.was_high.q.val() {
            if self.begun.q.val() == self.last.val() {
                self.begun.d.next = 0.into();
            } else {
                self.begun.d.next = self.begun.q.val() + 1;
            }
        }
        self.sync.next = self.begun.q.val() == 0;
    }
}

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
        link!(self -> synchroniser: phase_clock, sync, level);
        self.port.phase_clock.next = self.synchroniser.node_phase_clock.val();
        self.port.sync.next = self.synchroniser.node_sync.val();
        self.port.level.next = self.synchroniser.node_level.val();
        link!(self -> port: address, tx_data, tx_start);
        link!(port -> self: pull, begin, dim, transmit, muted, tx_ready);
        link!(port -> self: rx_data, rx_valid, rx_error);
    }
}
