//! The circuit of the designs `cube3` to `cube6`, `metacube` and `programs3` to `programs6`.

use super::groups::GroupShape;
use super::host_port::{ARRIVAL_COUNT_BITS, OUTCOME_COUNT_BITS, RING_SLOT_BITS};
use super::layout::{FIRST_BANK_BITS, NODE_DATA_BITS, WORD_BITS};
use super::{
    HostedCube, HostedCube4, HostedCube5, HostedCube6, HostedMetacube, HostedPrograms,
    HostedPrograms4, HostedPrograms5, HostedPrograms6, TimeMultiplexedCube, TimeMultiplexedCube4,
    TimeMultiplexedCube5, TimeMultiplexedCube6, TimeMultiplexedNodes, TimeMultiplexedPrograms,
    TimeMultiplexedPrograms4, TimeMultiplexedPrograms5, TimeMultiplexedPrograms6,
};
use crate::cm1::Cm1Board;
use crate::shapes::apart;
use crate::tdma::{EnginePlan, DIVIDER_BITS};
use hdl::lower::Circuit;
use hdl::prelude::*;
use interconnect::topology::{Hypercube, Metacube};

/// [`TimeMultiplexedNodes`] as a board design, without the ports that only a simulation uses.
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedNodes<
    const LINKS: usize,
    const BITS: usize,
    const NODES: usize,
    const BUFFERS: usize,
    const CONTEXT_BITS: usize,
    const CORE_BITS: usize,
    const ADDRESS: usize,
    const MORE: usize,
    const MORE_BITS: usize,
    const FIRST: usize = FIRST_BANK_BITS,
    const WORD: usize = WORD_BITS,
    const DIVIDER: usize = DIVIDER_BITS,
    const ARRIVAL: usize = RING_SLOT_BITS,
    const CAME: usize = ARRIVAL_COUNT_BITS,
    const OUTCOME_BITS: usize = OUTCOME_COUNT_BITS,
    const ROOM: usize = NODE_DATA_BITS,
    const LINE: usize = 1,
> {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: the schedule runs, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    nodes: TimeMultiplexedNodes<
        LINKS,
        BITS,
        NODES,
        BUFFERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        OUTCOME_BITS,
        ROOM,
        LINE,
    >,
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const NODES: usize,
        const BUFFERS: usize,
        const CONTEXT_BITS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const DIVIDER: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const OUTCOME_BITS: usize,
        const ROOM: usize,
        const LINE: usize,
    >
    HostedNodes<
        LINKS,
        BITS,
        NODES,
        BUFFERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        OUTCOME_BITS,
        ROOM,
        LINE,
    >
{
    /// Makes the circuit; see [`TimeMultiplexedNodes::new`] for the arguments.
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        HostedNodes {
            nodes: TimeMultiplexedNodes::new(plan, divider, memory),
            ..Default::default()
        }
    }
}

impl<
        const LINKS: usize,
        const BITS: usize,
        const NODES: usize,
        const BUFFERS: usize,
        const CONTEXT_BITS: usize,
        const CORE_BITS: usize,
        const ADDRESS: usize,
        const MORE: usize,
        const MORE_BITS: usize,
        const FIRST: usize,
        const WORD: usize,
        const DIVIDER: usize,
        const ARRIVAL: usize,
        const CAME: usize,
        const OUTCOME_BITS: usize,
        const ROOM: usize,
        const LINE: usize,
    > Logic
    for HostedNodes<
        LINKS,
        BITS,
        NODES,
        BUFFERS,
        CONTEXT_BITS,
        CORE_BITS,
        ADDRESS,
        MORE,
        MORE_BITS,
        FIRST,
        WORD,
        DIVIDER,
        ARRIVAL,
        CAME,
        OUTCOME_BITS,
        ROOM,
        LINE,
    >
{
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, nodes);
        link!(self -> nodes: rx);
        link!(nodes -> self: tx, led);
        // There is no device.
        self.nodes.device_ready.next = false;
        self.nodes.device_read_data.next = 0.into();
    }
}

// The machines for a board, with their host.

/// Shape of a machine on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostedShape {
    /// The 3-cube.
    Cube3,
    /// The 4-cube.
    Cube4,
    /// The 5-cube.
    Cube5,
    /// The 6-cube.
    Cube6,
    /// The 3-cube whose programs come over the line.
    Programs3,
    /// The 4-cube whose programs come over the line.
    Programs4,
    /// The 5-cube whose programs come over the line.
    Programs5,
    /// The 6-cube whose programs come over the line.
    Programs6,
    /// MC(1,1).
    Metacube,
    /// A cube in groups with a core each.
    Groups(GroupShape),
}

impl HostedShape {
    /// Dimensions of the cubes.
    pub const CUBES: &[u32] = &[3, 4, 5, 6, 7, 8, 9];

    /// Dimensions of the cubes whose programs come over the line.
    pub const PROGRAMS: &[u32] = &[3, 4, 5, 6, 7, 8];

    /// Dimensions of a group in the cubes that are too large for one core.
    const GROUP_DIMS: u32 = 6;

    /// Returns the cube with this number of dimensions, if there is one.
    pub fn cube(dims: u32) -> Option<Self> {
        match dims {
            3 => Some(HostedShape::Cube3),
            4 => Some(HostedShape::Cube4),
            5 => Some(HostedShape::Cube5),
            6 => Some(HostedShape::Cube6),
            _ => GroupShape::of(dims, Self::GROUP_DIMS).map(HostedShape::Groups),
        }
    }

    /// Returns the cube with this number of dimensions whose programs come over the line, if there is
    /// one.
    pub fn programs(dims: u32) -> Option<Self> {
        match dims {
            3 => Some(HostedShape::Programs3),
            4 => Some(HostedShape::Programs4),
            5 => Some(HostedShape::Programs5),
            6 => Some(HostedShape::Programs6),
            _ => GroupShape::programs(dims, Self::GROUP_DIMS).map(HostedShape::Groups),
        }
    }

    /// Returns whether the programs of the nodes come over the line.
    pub fn loads_programs(self) -> bool {
        match self {
            HostedShape::Groups(groups) => groups.loads_programs(),
            HostedShape::Programs3
            | HostedShape::Programs4
            | HostedShape::Programs5
            | HostedShape::Programs6 => true,
            _ => false,
        }
    }

    /// Returns the number of nodes that share a core.
    pub fn core_nodes(self) -> u32 {
        match self {
            HostedShape::Groups(groups) => groups.group_nodes(),
            _ => Metacube::from(self).nodes(),
        }
    }

    /// Makes the circuit with the ports of a board: a [`HostedNodes`](super::HostedNodes) or
    /// [`HostedGroups`](super::groups::HostedGroups). The arguments are passed to its `new`.
    pub fn circuit(self, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
        match self {
            HostedShape::Cube3 => apart(|| Box::new(HostedCube::new(plan, divider, memory))),
            HostedShape::Cube4 => apart(|| Box::new(HostedCube4::new(plan, divider, memory))),
            HostedShape::Cube5 => apart(|| Box::new(HostedCube5::new(plan, divider, memory))),
            HostedShape::Cube6 => apart(|| Box::new(HostedCube6::new(plan, divider, memory))),
            HostedShape::Programs3 => {
                apart(|| Box::new(HostedPrograms::new(plan, divider, memory)))
            }
            HostedShape::Programs4 => {
                apart(|| Box::new(HostedPrograms4::new(plan, divider, memory)))
            }
            HostedShape::Programs5 => {
                apart(|| Box::new(HostedPrograms5::new(plan, divider, memory)))
            }
            HostedShape::Programs6 => {
                apart(|| Box::new(HostedPrograms6::new(plan, divider, memory)))
            }
            HostedShape::Metacube => apart(|| Box::new(HostedMetacube::new(plan, divider, memory))),
            HostedShape::Groups(groups) => groups.circuit(plan, divider, memory),
        }
    }

    /// Makes the circuit with the ports for simulation: a
    /// [`TimeMultiplexedNodes`](super::TimeMultiplexedNodes) or
    /// [`GroupedNodes`](super::groups::GroupedNodes).
    ///
    /// # Panics
    /// If the shape is a metacube, which is not observed.
    pub fn observed(self, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
        match self {
            HostedShape::Cube3 => {
                apart(|| Box::new(TimeMultiplexedCube::new(plan, divider, memory)))
            }
            HostedShape::Cube4 => {
                apart(|| Box::new(TimeMultiplexedCube4::new(plan, divider, memory)))
            }
            HostedShape::Cube5 => {
                apart(|| Box::new(TimeMultiplexedCube5::new(plan, divider, memory)))
            }
            HostedShape::Cube6 => {
                apart(|| Box::new(TimeMultiplexedCube6::new(plan, divider, memory)))
            }
            HostedShape::Programs3 => {
                apart(|| Box::new(TimeMultiplexedPrograms::new(plan, divider, memory)))
            }
            HostedShape::Programs4 => {
                apart(|| Box::new(TimeMultiplexedPrograms4::new(plan, divider, memory)))
            }
            HostedShape::Programs5 => {
                apart(|| Box::new(TimeMultiplexedPrograms5::new(plan, divider, memory)))
            }
            HostedShape::Programs6 => {
                apart(|| Box::new(TimeMultiplexedPrograms6::new(plan, divider, memory)))
            }
            HostedShape::Groups(groups) => groups.observed(plan, divider, memory),
            HostedShape::Metacube => panic!("no one looks into the metacube"),
        }
    }
}

impl From<HostedShape> for Metacube {
    fn from(shape: HostedShape) -> Self {
        match shape {
            HostedShape::Cube3 | HostedShape::Programs3 => Hypercube::of(3).into(),
            HostedShape::Cube4 | HostedShape::Programs4 => Hypercube::of(4).into(),
            HostedShape::Cube5 | HostedShape::Programs5 => Hypercube::of(5).into(),
            HostedShape::Cube6 | HostedShape::Programs6 => Hypercube::of(6).into(),
            HostedShape::Metacube => Metacube::of(1, 1),
            HostedShape::Groups(groups) => groups.cube().into(),
        }
    }
}

// The circuit of the design `compare3`.

/// Payload of a message in bytes.
const DATA_BYTES: usize = 8;

/// [`TimeMultiplexedCube`] and a CM-1 as a board design. Each node is also the processor of a chip
/// ([`Cm1Board`]).
#[derive(LogicBlock, Circuit, Default)]
pub struct HostedComparison {
    pub clock: Signal<In, Clock>,
    /// Line from the PC, high when idle, from a flip-flop.
    pub rx: Signal<In, Bit>,
    /// Line to the PC.
    pub tx: Signal<Out, Bit>,
    /// LEDs: the schedule runs, an error, a run has ended.
    pub led: Signal<Out, Bits<8>>,
    cube: TimeMultiplexedCube,
    cm1: Cm1Board,
}

impl HostedComparison {
    /// Number of dimensions of the cube.
    pub const DIMS: usize = 3;

    /// Makes the circuit, with `rows` rows per chip. See [`TimeMultiplexedCube::new`] for the other
    /// arguments.
    ///
    /// # Panics
    /// Under the conditions of [`TimeMultiplexedCube::new`] and [`Cm1Board::new`].
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32], rows: usize) -> Self {
        HostedComparison {
            cube: TimeMultiplexedCube::new(plan, divider, memory),
            cm1: Cm1Board::new(rows, DATA_BYTES),
            ..Default::default()
        }
    }
}

impl Logic for HostedComparison {
    #[kernel]
    fn update(&mut self) {
        clock!(self, clock, cube, cm1);
        link!(self -> cube: rx);
        link!(cube -> self: tx, led);
        self.cm1.request.next = self.cube.device_request.val();
        self.cm1.node.next = self.cube.device_node.val();
        self.cm1.offset.next = self.cube.device_offset.val();
        self.cm1.write.next = self.cube.device_write.val();
        self.cm1.write_data.next = self.cube.device_write_data.val();
        self.cube.device_ready.next = self.cm1.ready.val();
        self.cube.device_read_data.next = self.cm1.read_data.val();
    }
}
