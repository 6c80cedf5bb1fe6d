//! The node and the machine as they go on a board: what only the simulation
//! looks at is left open, so that synthesis removes what only that needs.

use crate::lower::{kernel, Circuit};
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::tdma::{Cube, EnginePlan, Node, Reason, DIVIDER_BITS};
use rust_hdl::prelude::*;

/// Dimensions of the cube that is to fit the chip.
const DIMS: usize = 4;
const NODES: usize = 1 << DIMS;

/// Bits of an offset in a register, and of an address of the message memory.
const OFFSET: usize = 4;
const ADDRESS: usize = 8;

/// A node of the 4-cube. Open: what became of frames, its phase, slips.
#[derive(LogicBlock, Circuit)]
pub struct NodeOnBoard {
    pub clock: Signal<In, Clock>,
    pub phase_clock: Signal<In, Bit>,
    pub sync: Signal<In, Bit>,
    pub address: Signal<In, Bits<DIMS>>,
    pub level: Signal<In, Bits<DIMS>>,
    pub pull: Signal<Out, Bits<DIMS>>,
    pub host_valid: Signal<In, Bit>,
    pub host_data: Signal<In, Bits<8>>,
    pub host_index: Signal<Out, Bits<8>>,
    pub host_taken: Signal<Out, Bit>,
    pub out_valid: Signal<Out, Bit>,
    pub out_data: Signal<Out, Bits<8>>,
    pub out_last: Signal<Out, Bit>,
    pub out_reason: Signal<Out, Reason>,
    node: Node<DIMS, CLOCKS_PER_BIT, OFFSET, ADDRESS>,
}

impl NodeOnBoard {
    /// The arguments are those of [`Node::new`].
    pub fn new(plan: EnginePlan) -> Self {
        NodeOnBoard {
            clock: Signal::default(),
            phase_clock: Signal::default(),
            sync: Signal::default(),
            address: Signal::default(),
            level: Signal::default(),
            pull: Signal::default(),
            host_valid: Signal::default(),
            host_data: Signal::default(),
            host_index: Signal::default(),
            host_taken: Signal::default(),
            out_valid: Signal::default(),
            out_data: Signal::default(),
            out_last: Signal::default(),
            out_reason: Signal::default(),
            node: Node::new(plan),
        }
    }
}

impl Logic for NodeOnBoard {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, node);
        self.node.phase_clock.next = self.phase_clock.val();
        self.node.sync.next = self.sync.val();
        self.node.address.next = self.address.val();
        self.node.level.next = self.level.val();
        self.pull.next = self.node.pull.val();
        self.node.hang.next = false;
        self.node.host_valid.next = self.host_valid.val();
        self.node.host_data.next = self.host_data.val();
        self.host_index.next = self.node.host_index.val();
        self.host_taken.next = self.node.host_taken.val();
        self.out_valid.next = self.node.out_valid.val();
        self.out_data.next = self.node.out_data.val();
        self.out_last.next = self.node.out_last.val();
        self.out_reason.next = self.node.out_reason.val();
    }
}

/// All nodes of the 4-cube with their wires and the phase clock. The wires are
/// inside the chip and undisturbed; the hosts are outside.
#[derive(LogicBlock, Circuit)]
pub struct CubeOnBoard {
    pub clock: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub host_valid: [Signal<In, Bit>; NODES],
    pub host_data: [Signal<In, Bits<8>>; NODES],
    pub host_index: [Signal<Out, Bits<8>>; NODES],
    pub host_taken: [Signal<Out, Bit>; NODES],
    pub out_valid: [Signal<Out, Bit>; NODES],
    pub out_data: [Signal<Out, Bits<8>>; NODES],
    pub out_last: [Signal<Out, Bit>; NODES],
    pub out_reason: [Signal<Out, Reason>; NODES],
    divider: Constant<Bits<DIVIDER_BITS>>,
    cube: Cube<DIMS, CLOCKS_PER_BIT, OFFSET, ADDRESS>,
}

impl CubeOnBoard {
    /// `divider` is that of the phase clock; the others are those of [`Node::new`].
    pub fn new(plan: EnginePlan, divider: u64) -> Self {
        CubeOnBoard {
            clock: Signal::default(),
            enable: Signal::default(),
            host_valid: Default::default(),
            host_data: Default::default(),
            host_index: Default::default(),
            host_taken: Default::default(),
            out_valid: Default::default(),
            out_data: Default::default(),
            out_last: Default::default(),
            out_reason: Default::default(),
            divider: Constant::new(divider.into()),
            cube: Cube::new(plan),
        }
    }
}

impl Logic for CubeOnBoard {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, cube);
        self.cube.enable.next = self.enable.val();
        self.cube.divider.next = self.divider.val();
        for i in 0..NODES {
            self.cube.skip[i].next = false;
            self.cube.hang[i].next = false;
            self.cube.keep[i].next = bits::<DIMS>((1 << DIMS) - 1);
            self.cube.flip[i].next = 0.into();
            self.cube.host_valid[i].next = self.host_valid[i].val();
            self.cube.host_data[i].next = self.host_data[i].val();
            self.host_index[i].next = self.cube.host_index[i].val();
            self.host_taken[i].next = self.cube.host_taken[i].val();
            self.out_valid[i].next = self.cube.out_valid[i].val();
            self.out_data[i].next = self.cube.out_data[i].val();
            self.out_last[i].next = self.cube.out_last[i].val();
            self.out_reason[i].next = self.cube.out_reason[i].val();
        }
    }
}
