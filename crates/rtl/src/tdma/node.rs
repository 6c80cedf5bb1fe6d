//! The node of a TDMA machine that forwards in hardware.

use super::address_links::{next_link, sides};
use super::buffers::{injection_buffer, last_buffer};
use super::{
    BufferFlags, EnginePlan, Forwarder, FramePort, MessageMemory, NodeEnds, OrderWrite,
    PhaseSequencer, ProgrammedSequencer, ScheduledEnds, DIM_BITS, ORDER_PHASE_BITS,
};
use hdl::prelude::*;

/// A node without a core that follows superframes: a sequencer and a [`ScheduledNode`] with the
/// same parameters.
#[derive(LogicBlock, Circuit, Default)]
pub struct Node<
    const LINKS: usize,
    const BITS: usize,
    const BUFFERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    pub ends: NodeEnds<LINKS, BITS>,
    sequencer: PhaseSequencer<LINKS>,
    node: ScheduledNode<LINKS, BITS, BUFFERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
}

/// The node of a cube.
pub type CubeNode<
    const DIMS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> = Node<DIMS, DIMS, DIMS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>;

#[with_parameters]
impl Node {
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// Under the conditions of [`ScheduledNode::new`].
    pub fn new(plan: EnginePlan) -> Self {
        Node { node: ScheduledNode::new(plan), ..Default::default() }
    }

    /// Sets the number of counts; see [`ScheduledNode::with_counts`].
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.node = self.node.with_counts(counts);
        self
    }
}

#[with_parameters]
impl Logic for Node {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, node);
        link!(self.ends -> sequencer: phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.ends.scheduled.address.val());
        link!(sequencer -> self.ends: phase, muted, slips);

        link!(sequencer -> node: begin, dim, transmit);
        self.node.mute.next = self.sequencer.muted.val();

        link!(self.ends <-> node: scheduled <-> ends);
    }
}

/// A node with an external schedule. A forwarder decides which message to send, and a frame engine
/// sends it.
///
/// The schedule comes from a sequencer: for superframes in a [`Node`](super::Node), for a
/// programmed order in a [`ProgrammedNode`](super::ProgrammedNode). The number of links and the
/// address width determine the cube or metacube. Buffers have the numbers below `BUFFERS`, and in
/// a cube the injection buffer has the number after them
/// ([`receive_buffers`](super::receive_buffers)). The message memory has `2^ADDRESS_BITS`
/// bytes, `2^OFFSET_BITS` per buffer. Flip-flops mark the full buffers.
#[derive(LogicBlock, Circuit, Default)]
pub struct ScheduledNode<
    const LINKS: usize,
    const BITS: usize,
    const BUFFERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// High in the first clock cycle of a phase.
    pub begin: Signal<In, Bit>,
    /// Link of the phase.
    pub dim: Signal<In, Bits<DIM_BITS>>,
    /// The node transmits in this phase, otherwise it receives.
    pub transmit: Signal<In, Bit>,
    /// The node has lost sync and must release all pins.
    pub mute: Signal<In, Bit>,
    pub ends: ScheduledEnds<LINKS, BITS>,
    frames: FramePort<LINKS, BITS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
    forwarder: Forwarder<OFFSET_BITS, ADDRESS_BITS>,
    messages: MessageMemory<ADDRESS_BITS>,
    buffers: BufferFlags<LINKS, BITS, BUFFERS>,
    occupied: Signal<Local, Bit>,
}

#[with_parameters]
impl ScheduledNode {
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// Under the conditions of [`FramePort::new`] and [`BufferFlags::new`].
    pub fn new(plan: EnginePlan) -> Self {
        let last = last_buffer(LINKS, BITS);
        ScheduledNode {
            frames: FramePort::new(plan),
            forwarder: Forwarder::new(plan.round_robin, injection_buffer(LINKS, BITS), last, BITS),
            messages: MessageMemory::new(),
            buffers: BufferFlags::new(OFFSET_BITS, ADDRESS_BITS),
            ..Default::default()
        }
    }

    /// Sets the number of counts; see [`FramePort::with_counts`].
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.frames = self.frames.with_counts(counts);
        self
    }
}

#[with_parameters]
impl Logic for ScheduledNode {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, frames, forwarder, messages, buffers);
        let transmit = self.transmit.val();
        let address = self.ends.address.val();
        let slot = self.forwarder.slot.val();
        let full = self.buffers.full.val();
        let injected = self.buffers.injected.val();

        link!(self -> frames: begin, dim);
        self.frames.transmit.next = transmit;
        self.frames.reset.next = false;
        self.frames.stamp.next = 0.into();
        link!(self -> frames: mute);
        self.frames.address.next = address;
        link!(self.ends <-> frames: wires);
        self.frames.ready.next = !self.forwarder.busy.val() & !self.ends.hang.val();
        self.frames.send.next = self.forwarder.chosen.val() & !self.ends.hang.val();
        self.frames.slot.next = slot;
        link!(forwarder -> frames: forget);
        link!(buffers -> frames: link_buffer, link_buffer_full);
        link!(frames -> self.ends: outcome);

        self.forwarder.begin.next = self.begin.val() & !self.ends.hang.val();
        self.forwarder.transmit.next = transmit;
        link!(buffers -> forwarder: link_buffer);
        self.forwarder.injected.next = injected;
        self.occupied.next = injected & (slot == injection_buffer(LINKS, BITS) as u64);
        for number in 0..BUFFERS {
            if slot == number as u64 {
                self.occupied.next = self.occupied.val() | full.get_bit(number);
            }
        }
        self.forwarder.occupied.next = self.occupied.val();
        let destination = self.forwarder.destination.val().resized::<BITS>();
        let link = next_link::<LINKS, BITS>(address, destination);
        self.forwarder.home.next = destination == address;
        self.forwarder.wanted.next = (link & self.frames.select.val()).any();
        link!(frames -> forwarder: pending, down);
        link!(self.ends <-> forwarder: host);
        link!(forwarder -> self.ends: out);
        self.ends.out_slot.next = slot;

        link!(forwarder -> messages: busy -> routes);
        link!(forwarder <-> messages: memory <-> router);
        link!(frames <-> messages: memory <-> frames);

        self.buffers.reset.next = false;
        self.buffers.dim.next = self.dim.val();
        self.buffers.crossed.next = self.frames.received_crossed.val();
        link!(frames -> buffers: store, spoil);
        link!(forwarder -> buffers: inject);
        // Frees the buffer that the forwarder visits, or that was sent from.
        self.buffers.free.next = self.frames.free.val() | self.forwarder.release.val();
        self.buffers.freed.next = slot;
    }
}

/// A node without a core that follows a programmed order. Like a [`Node`](super::Node), but its
/// sequencer has a memory for an order of up to `2^PAIR_BITS` pairs of phases, and phases are
/// numbered within this order.
#[derive(LogicBlock, Circuit, Default)]
pub struct ProgrammedNode<
    const LINKS: usize,
    const BITS: usize,
    const BUFFERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
    const PAIR_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    pub order_write: OrderWrite<PAIR_BITS>,
    pub ends: NodeEnds<LINKS, BITS, ORDER_PHASE_BITS>,
    sequencer: ProgrammedSequencer<LINKS, PAIR_BITS>,
    node: ScheduledNode<LINKS, BITS, BUFFERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
}

#[with_parameters]
impl ProgrammedNode {
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// Under the conditions of [`ScheduledNode::new`].
    pub fn new(plan: EnginePlan) -> Self {
        ProgrammedNode { node: ScheduledNode::new(plan), ..Default::default() }
    }

    /// Sets the number of counts; see [`ScheduledNode::with_counts`].
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.node = self.node.with_counts(counts);
        self
    }
}

#[with_parameters]
impl Logic for ProgrammedNode {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, node);
        link!(self.ends -> sequencer: phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.ends.scheduled.address.val());
        link!(self -> sequencer: order_write);
        let pair = self.sequencer.pair.val().resized::<ORDER_PHASE_BITS>();
        self.ends.phase.next = (pair << 1).replace_bit(0, self.sequencer.second.val());
        link!(sequencer -> self.ends: muted, slips);

        link!(sequencer -> node: begin);
        self.node.dim.next = self.sequencer.link.val();
        link!(sequencer -> node: transmit);
        self.node.mute.next = self.sequencer.muted.val();

        link!(self.ends <-> node: scheduled <-> ends);
    }
}
