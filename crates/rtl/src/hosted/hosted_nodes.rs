//! The circuit of the designs `cube3` to `cube6`, `metacube` and `programs3` to `programs6`.

use super::groups::GroupShape;
use super::host_port::{ARRIVAL_COUNT_BITS, OUTCOME_COUNT_BITS, RING_SLOT_BITS};
use super::layout::{FIRST_BANK_BITS, NODE_DATA_BITS, WORD_BITS};
use super::{NodeSizes, Ports, TimeMultiplexedNodes};
use crate::cm1::Cm1Board;
use crate::shapes::{apart, shape};
use crate::sized_nodes;
use crate::tdma::{EnginePlan, DIVIDER_BITS};
use hdl::lower::Circuit;
use hdl::prelude::*;
use interconnect::topology::Metacube;

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

#[with_parameters]
impl HostedNodes {
    /// Makes the circuit; see [`TimeMultiplexedNodes::new`] for the arguments.
    pub fn new(plan: EnginePlan, divider: u64, memory: &[u32]) -> Self {
        HostedNodes {
            nodes: TimeMultiplexedNodes::new(plan, divider, memory),
            ..Default::default()
        }
    }
}

#[with_parameters]
impl Logic for HostedNodes {
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

/// Defines the machines whose nodes share one core, and their sizes.
macro_rules! hosted_shapes {
    ($($(#[$doc:meta])* $shape:ident($sizes:expr))*) => {
        /// Shape of a machine on a board.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum HostedShape {
            $($(#[$doc])* $shape,)*
            /// A cube in groups with a core each.
            Groups(GroupShape),
        }

        impl HostedShape {
            const ONE_CORE: &[Self] = &[$(HostedShape::$shape),*];

            /// Sizes of a machine whose nodes share one core, or the shape of its groups.
            fn sizes(self) -> Result<NodeSizes, GroupShape> {
                match self {
                    $(HostedShape::$shape => Ok($sizes),)*
                    HostedShape::Groups(groups) => Err(groups),
                }
            }

            fn make(self, ports: Ports, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
                match self {
                    $(HostedShape::$shape => {
                        const SIZES: NodeSizes = $sizes;
                        match ports {
                            Ports::Board => apart(|| {
                                Box::new(<sized_nodes!(HostedNodes, SIZES)>::new(plan, divider, memory))
                            }),
                            Ports::Simulation => apart(|| {
                                Box::new(<sized_nodes!(TimeMultiplexedNodes, SIZES)>::new(plan, divider, memory))
                            }),
                        }
                    })*
                    HostedShape::Groups(groups) => groups.make(ports, plan, divider, memory),
                }
            }
        }
    };
}

/// Only an ECP5 has room for this memory, which is one bank.
const fn large_programs(dims: usize) -> NodeSizes {
    NodeSizes { divider_bits: 19, ..NodeSizes::programs(dims) }
}

hosted_shapes! {
    /// The 3-cube.
    Cube3(NodeSizes::cube(3))
    /// The 4-cube.
    Cube4(NodeSizes { second_bank: true, ..NodeSizes::cube(4) })
    /// The 5-cube.
    Cube5(NodeSizes { divider_bits: 17, ..NodeSizes::cube(5) })
    /// The 6-cube.
    Cube6(NodeSizes { divider_bits: 19, ..NodeSizes::cube(6) })
    /// The 3-cube whose programs come over the line.
    Programs3(NodeSizes { second_bank: true, ..NodeSizes::programs(3) })
    /// The 4-cube whose programs come over the line.
    Programs4(large_programs(4))
    /// The 5-cube whose programs come over the line.
    Programs5(large_programs(5))
    /// The 6-cube whose programs come over the line.
    Programs6(large_programs(6))
    /// MC(1,1).
    Metacube(NodeSizes { links: 2, ..NodeSizes::cube(3) })
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
        let groups = GroupShape::of(dims, Self::GROUP_DIMS);
        Self::one_core(dims, false).or(groups.map(HostedShape::Groups))
    }

    /// Returns the cube with this number of dimensions whose programs come over the line, if there is
    /// one.
    pub fn programs(dims: u32) -> Option<Self> {
        let groups = GroupShape::programs(dims, Self::GROUP_DIMS);
        Self::one_core(dims, true).or(groups.map(HostedShape::Groups))
    }

    /// Returns the cube with one core.
    fn one_core(dims: u32, loads_programs: bool) -> Option<Self> {
        let is_it = |shape: &HostedShape| {
            let same = |sizes: NodeSizes| [sizes.links, sizes.bits] == [dims as usize; 2];
            shape.sizes().is_ok_and(same) && shape.loads_programs() == loads_programs
        };
        Self::ONE_CORE.iter().copied().find(is_it)
    }

    /// Returns whether the programs of the nodes come over the line.
    pub fn loads_programs(self) -> bool {
        match self.sizes() {
            // A program comes in frames at the speed of the line. Only the machines that load
            // programs can therefore queue more than one byte (`NodeSizes::programs`).
            Ok(sizes) => sizes.line_bits > 1,
            Err(groups) => groups.loads_programs(),
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
        self.make(Ports::Board, plan, divider, memory)
    }

    /// Makes the circuit with the ports for simulation: a
    /// [`TimeMultiplexedNodes`](super::TimeMultiplexedNodes) or
    /// [`GroupedNodes`](super::groups::GroupedNodes).
    pub fn observed(self, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
        self.make(Ports::Simulation, plan, divider, memory)
    }
}

impl From<HostedShape> for Metacube {
    fn from(hosted: HostedShape) -> Self {
        match hosted.sizes() {
            Ok(sizes) => shape(sizes.links, sizes.bits),
            Err(groups) => groups.cube().into(),
        }
    }
}

// The circuit of the design `compare3`.

/// Nodes of the 3-cube, with the core that they share.
type TimeMultiplexedCube = sized_nodes!(TimeMultiplexedNodes, NodeSizes::cube(3));

/// Payload of a message in bytes.
const DATA_BYTES: usize = 8;

/// The 3-cube and a CM-1 as a board design. Each node is also the processor of a chip
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

    /// Makes the circuit, with `rows` rows per chip. See [`TimeMultiplexedNodes::new`] for the other
    /// arguments.
    ///
    /// # Panics
    /// Under the conditions of [`TimeMultiplexedNodes::new`] and [`Cm1Board::new`].
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
