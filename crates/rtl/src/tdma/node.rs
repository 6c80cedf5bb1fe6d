//! The node of a TDMA machine that forwards in hardware.

use super::address_links::sides;
use super::{EnginePlan, NodeEnds, PhaseSequencer, ScheduledNode};
use hdl::prelude::*;

/// A node without a core that follows superframes: a sequencer and a [`ScheduledNode`] with the
/// same parameters.
#[derive(LogicBlock, Circuit, Default)]
pub struct Node<
    const LINKS: usize,
    const BITS: usize,
    const REGISTERS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> {
    pub clock: Signal<In, Clock>,
    pub ends: NodeEnds<LINKS, BITS>,
    sequencer: PhaseSequencer<LINKS>,
    node: ScheduledNode<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>,
}

/// The node of a cube.
pub type CubeNode<
    const DIMS: usize,
    const CLOCKS: usize,
    const OFFSET_BITS: usize,
    const ADDRESS_BITS: usize,
> = Node<DIMS, DIMS, DIMS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>;

impl<
        const LINKS: usize,
        const BITS: usize,
        const REGISTERS: usize,
        const CLOCKS: usize,
        const OFFSET_BITS: usize,
        const ADDRESS_BITS: usize,
    > Node<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    /// Makes a node for a plan.
    ///
    /// # Panics
    /// Under the conditions of [`ScheduledNode::new`].
    pub fn new(plan: EnginePlan) -> Self {
        Node {
            node: ScheduledNode::new(plan),
            ..Default::default()
        }
    }

    /// Sets the number of counts; see [`ScheduledNode::with_counts`].
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
    > Logic for Node<LINKS, BITS, REGISTERS, CLOCKS, OFFSET_BITS, ADDRESS_BITS>
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, sequencer, node);
        link!(self.ends, sequencer, phase_clock, sync);
        self.sequencer.sides.next = sides::<LINKS, BITS>(self.ends.scheduled.address.val());
        link!(self.ends, sequencer, phase, muted, slips);

        join!(self, sequencer, node, begin, dim, transmit);
        self.node.mute.next = self.sequencer.muted.val();

        link!(self.ends, node, scheduled => ends);
    }
}
