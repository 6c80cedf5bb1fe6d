//! Sizes of groups by name, the const parameters that follow from them, and the machines that exist.

use super::{GroupedNodes, HostedGroups};
use crate::hosted::layout::{
    MESSAGE_WORDS, NODE_DATA_BITS, PROGRAMS_NODE_DATA_BITS, PROGRAM_WORDS, QUEUE_WORDS,
};
use crate::hosted::sizes::address_bits;
use crate::hosted::{Ports, OFFSET_BITS};
use crate::shapes::apart;
use crate::tdma::{receive_buffers, EnginePlan};
use hdl::lower::Circuit;
use interconnect::topology::Hypercube;

/// Sizes of [`GroupedNodes`]. [`sized_groups!`](crate::sized_groups) makes a type of them. All other
/// sizes follow.
#[derive(Clone, Copy, Debug)]
pub struct GroupSizes {
    /// Dimensions of the cube.
    pub dims: usize,
    /// Dimensions of a group: a group has `2^local` nodes, and the lower `local` bits of an address
    /// are the node within its group.
    pub local: usize,
    /// Width of the divider of the phase clock, which counts the clock cycles of half a phase.
    pub divider_bits: usize,
    /// Address bits of a word of a node's data.
    pub node_data_bits: usize,
    /// Up to `2^line_bits - 1` bytes from the PC can wait for the host.
    pub line_bits: usize,
}

/// Address bits of a word of the host's memory, which has 16 KB.
pub const GROUPED_HOST_BITS: usize = 12;

impl GroupSizes {
    /// Number of const parameters.
    pub const COUNT: usize = 19;

    /// Returns the sizes of a machine whose programs route.
    pub const fn routing(dims: usize, local: usize) -> Self {
        GroupSizes { dims, local, divider_bits: 24, node_data_bits: NODE_DATA_BITS, line_bits: 4 }
    }

    /// Returns the sizes of a machine whose programs come over the line. Each node has 512 bytes of
    /// data.
    pub const fn programs(dims: usize, local: usize) -> Self {
        GroupSizes {
            node_data_bits: PROGRAMS_NODE_DATA_BITS,
            line_bits: 9,
            ..GroupSizes::routing(dims, local)
        }
    }

    /// Width of a slot number of a group's ring. The ring has a slot for each node, and at least 16.
    pub const fn ring_bits(self) -> usize {
        if self.local < 4 {
            4
        } else {
            self.local
        }
    }

    /// Returns the const parameters of [`GroupedNodes`], in their order.
    pub const fn parameters(self) -> [usize; Self::COUNT] {
        let (dims, local, ring) = (self.dims, self.local, self.ring_bits());
        let upper = dims - local;
        let buffers = receive_buffers(dims, dims);
        [
            dims,
            local,
            1 << local,
            upper,
            1 << upper,
            buffers,
            local + 5,
            // The buffers of received messages and the one of the host's message.
            OFFSET_BITS + address_bits(buffers as u64 + 1),
            ring,
            ring + 1,
            address_bits(PROGRAM_WORDS + (MESSAGE_WORDS << ring)),
            local + self.node_data_bits,
            local + address_bits(QUEUE_WORDS),
            self.node_data_bits,
            ring + address_bits(MESSAGE_WORDS),
            self.divider_bits,
            dims + 1,
            GROUPED_HOST_BITS,
            self.line_bits,
        ]
    }
}

/// Returns the type of [`GroupedNodes`](crate::hosted::groups::GroupedNodes) or
/// [`HostedGroups`](crate::hosted::groups::HostedGroups) with constant
/// [`GroupSizes`](crate::hosted::groups::GroupSizes).
#[macro_export]
macro_rules! sized_groups {
    ($nodes:ident, $sizes:expr) => {
        $crate::sized_groups!($nodes, $sizes, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18)
    };
    ($nodes:ident, $sizes:expr, $($at:literal)*) => {
        $nodes<$({ $crate::hosted::groups::GroupSizes::parameters($sizes)[$at] }),*>
    };
}

/// A cube in groups that exists as a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupShape {
    dims: u32,
    local: u32,
    work: Work,
}

/// What the nodes execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// The program `route`, which is in the memory.
    Routing,
    /// Programs that come over the line.
    Programs,
}

/// Defines the shapes that exist: work of the nodes, dimensions of the cube and of each group.
macro_rules! group_shapes {
    ($($work:ident($dims:literal, $local:literal))*) => {
        impl GroupShape {
            const ALL: &[Self] = &[$(GroupShape { dims: $dims, local: $local, work: Work::$work }),*];

            pub(in crate::hosted) fn make(self, ports: Ports, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
                match (self.work, self.dims, self.local) {
                    $((Work::$work, $dims, $local) => {
                        const SIZES: GroupSizes =
                            GroupShape { dims: $dims, local: $local, work: Work::$work }.sizes();
                        match ports {
                            Ports::Board => apart(|| {
                                Box::new(<sized_groups!(HostedGroups, SIZES)>::new(plan, divider, memory))
                            }),
                            Ports::Simulation => apart(|| {
                                Box::new(<sized_groups!(GroupedNodes, SIZES)>::new(plan, divider, memory))
                            }),
                        }
                    })*
                    _ => unreachable!("{self:?} is not in the list"),
                }
            }
        }
    };
}

group_shapes! {
    Routing(4, 2)
    Routing(5, 4)
    Routing(7, 6)
    Routing(8, 6)
    Routing(9, 6)
    Programs(4, 2)
    Programs(7, 6)
    Programs(8, 6)
}

impl GroupShape {
    /// Returns the cube with this number of dimensions in groups of `2^local` nodes that route, if
    /// there is one.
    pub fn of(dims: u32, local: u32) -> Option<Self> {
        Self::listed(dims, local, Work::Routing)
    }

    /// Returns the cube with this number of dimensions in groups of `2^local` nodes whose programs
    /// come over the line, if there is one.
    pub fn programs(dims: u32, local: u32) -> Option<Self> {
        Self::listed(dims, local, Work::Programs)
    }

    fn listed(dims: u32, local: u32, work: Work) -> Option<Self> {
        let shape = GroupShape { dims, local, work };
        Self::ALL.contains(&shape).then_some(shape)
    }

    /// Returns whether the programs of the nodes come over the line.
    pub fn loads_programs(self) -> bool {
        self.work == Work::Programs
    }

    /// The cube.
    pub fn cube(self) -> Hypercube {
        Hypercube::of(self.dims)
    }

    /// Number of nodes of a group.
    pub fn group_nodes(self) -> u32 {
        1 << self.local
    }

    /// Sizes of the circuit.
    pub const fn sizes(self) -> GroupSizes {
        let (dims, local) = (self.dims as usize, self.local as usize);
        match self.work {
            Work::Routing => GroupSizes::routing(dims, local),
            Work::Programs => GroupSizes::programs(dims, local),
        }
    }
}
