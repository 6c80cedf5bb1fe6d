//! The node as a board design, without the ports that only a simulation uses.

use super::{CubeNode, EnginePlan, FromHost, ToHost};
use crate::CLOCKS_PER_BIT;
use hdl::prelude::*;

/// Dimensions of the cube that must fit the chip.
pub const DIMS: usize = 4;

/// Bits of an offset in a buffer, and of an address in the message memory.
const OFFSET_BITS: usize = 4;
const ADDRESS: usize = 8;

/// A node of the 4-cube. Not connected: outcomes of frames, phase, slips.
#[derive(LogicBlock, Circuit, Default)]
pub struct NodeOnBoard {
    pub clock: Signal<In, Clock>,
    pub phase_clock: Signal<In, Bit>,
    pub sync: Signal<In, Bit>,
    pub address: Signal<In, Bits<DIMS>>,
    pub level: Signal<In, Bits<DIMS>>,
    pub pull: Signal<Out, Bits<DIMS>>,
    pub host: FromHost,
    pub out: ToHost,
    node: CubeNode<DIMS, CLOCKS_PER_BIT, OFFSET_BITS, ADDRESS>,
}

impl NodeOnBoard {
    /// Makes the node; see [`CubeNode::new`] for the arguments.
    pub fn new(plan: EnginePlan) -> Self {
        NodeOnBoard { node: CubeNode::new(plan), ..Default::default() }
    }
}

impl Logic for NodeOnBoard {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, node);
        link!(self -> node.ends: phase_clock, sync);
        link!(self -> node.ends.scheduled: address);
        link!(self <-> node.ends.scheduled: host);
        link!(node.ends.scheduled -> self: out);
        self.node.ends.scheduled.wires.level.next = self.level.val();
        self.pull.next = self.node.ends.scheduled.wires.pull.val();
        self.node.ends.scheduled.hang.next = false;
    }
}
