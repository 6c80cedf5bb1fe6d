//! The node of a TDMA machine with a programmed order that forwards in hardware.

use super::place::sides;
use super::{
    EnginePlan, FrameOutcome, FromHost, OrderWrite, ProgrammedSequencer, ScheduledNode, ToHost,
    WireEnds, COUNT_BITS, ORDER_PHASE_BITS, SLOT_BITS,
};
use hdl::lower::{kernel, Circuit, Resize};
use rust_hdl::prelude::*;

/// A node without a core that follows a programmed order: as a [`Node`](super::Node), but its
/// sequencer has a memory for an order of up to `2^PAIR_BITS` pairs of phases.
#[derive(LogicBlock, Circuit, Default)]
pub struct ProgrammedNode<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
    const PAIR_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    /// Rises at the beginning of every phase.
    pub phase_clock: Signal<In, Bit>,
    /// High in the first phase of the order.
    pub sync: Signal<In, Bit>,
    pub order_write: OrderWrite<PAIR_BITS>,
    /// The address of the node.
    pub address: Signal<In, Bits<BITS>>,
    pub wires: WireEnds<LINKS>,
    /// The forwarder stands still: a core that hangs.
    pub hang: Signal<In, Bit>,
    pub host: FromHost,
    pub out: ToHost,
    /// The register that it was in.
    pub out_slot: Signal<Out, Bits<SLOT_BITS>>,
    pub outcome: FrameOutcome,
    /// The phase under way, counted in the order, as far as the node knows.
    pub phase: Signal<Out, Bits<ORDER_PHASE_BITS>>,
    /// The node is out of step with the schedule.
    pub muted: Signal<Out, Bit>,
    /// Times it fell out of step.
    pub slips: Signal<Out, Bits<COUNT_BITS>>,
    sequencer: ProgrammedSequencer<LINKS, PAIR_BITS>,
    node: ScheduledNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
        const PAIR_BITS: usize,
    > ProgrammedNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS, PAIR_BITS>
{
    /// # Panics
    /// As [`ScheduledNode::new`].
    pub fn new(plan: EnginePlan) -> Self {
        ProgrammedNode {
            node: ScheduledNode::new(plan),
            ..Default::default()
        }
    }

    /// As [`ScheduledNode::with_counts`].
    #[must_use]
    pub fn with_counts(mut self, counts: u64) -> Self {
        self.node = self.node.with_counts(counts);
        self
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
        const PAIR_BITS: usize,
    > Logic
    for ProgrammedNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS, PAIR_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, node);
        link!(self, sequencer, phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.address.val());
        link!(self, sequencer, order_write);
        let pair = self.sequencer.pair.val().resized::<ORDER_PHASE_BITS>();
        self.phase.next = (pair << 1).replace_bit(0, self.sequencer.second.val());
        link!(self, sequencer, muted, slips);

        join!(self, sequencer, node, begin);
        self.node.dim.next = self.sequencer.link.val();
        join!(self, sequencer, node, transmit);
        self.node.mute.next = self.sequencer.muted.val();

        link!(self, node, address, wires, hang, host, out, out_slot, outcome);
    }
}
