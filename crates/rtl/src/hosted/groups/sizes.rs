//! Sizes of groups by name, the const parameters that follow from them, and the machines that exist.

use super::{GroupedNodes, HostedGroups};
use crate::hosted::layout::{MESSAGE_WORDS, NODE_DATA_BITS, PROGRAM_WORDS, QUEUE_WORDS};
use crate::hosted::sizes::address_bits;
use crate::hosted::OFFSET_BITS;
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
    /// Bits of the number of a node within its group: each group is a cube of `local` dimensions.
    pub local: usize,
    /// Bits of the divider of the phase clock: of half a phase in clock cycles.
    pub divider_bits: usize,
    /// Bits of the address of a word of a node's data.
    pub node_data_bits: usize,
    /// Bits of the number of bytes from the PC that can wait for the host.
    pub line_bits: usize,
}

/// Bits of the address of a word in the host's memory: 16 KB.
pub const GROUPED_HOST_BITS: usize = 12;

impl GroupSizes {
    /// Number of const parameters.
    pub const COUNT: usize = 19;

    /// Returns the sizes of a machine whose programs route.
    pub const fn routing(dims: usize, local: usize) -> Self {
        GroupSizes {
            dims,
            local,
            divider_bits: 24,
            node_data_bits: NODE_DATA_BITS,
            line_bits: 4,
        }
    }

    /// Bits of the number of a slot of a group's ring: 16 slots, or one for each node.
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
}

/// Makes the circuit of a shape: a row for each one that exists.
macro_rules! for_groups {
    ($shape:expr, $nodes:ident, $arguments:expr, [$(($dims:literal, $local:literal))*]) => {
        match ($shape.dims, $shape.local) {
            $(($dims, $local) => apart(|| {
                const SIZES: GroupSizes = GroupSizes::routing($dims, $local);
                let (plan, divider, memory) = $arguments;
                Box::new(<sized_groups!($nodes, SIZES)>::new(plan, divider, memory))
            }),)*
            (dims, local) => panic!("there are no groups of {local} dimensions in a cube of {dims}"),
        }
    };
}

impl GroupShape {
    /// Dimensions of the cube and of each group.
    const ALL: &[(u32, u32)] = &[(4, 2), (5, 4), (7, 6), (8, 6), (9, 6)];

    /// Returns the cube with this number of dimensions in groups of `2^local` nodes, if there is
    /// one.
    pub fn of(dims: u32, local: u32) -> Option<Self> {
        Self::ALL
            .contains(&(dims, local))
            .then_some(GroupShape { dims, local })
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
    pub fn sizes(self) -> GroupSizes {
        GroupSizes::routing(self.dims as usize, self.local as usize)
    }

    /// Makes the circuit with the ports of a board: [`HostedGroups`].
    pub fn circuit(self, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
        let arguments = (plan, divider, memory);
        for_groups!(
            self,
            HostedGroups,
            arguments,
            [(4, 2)(5, 4)(7, 6)(8, 6)(9, 6)]
        )
    }

    /// Makes the circuit with the ports for simulation: [`GroupedNodes`].
    pub fn observed(self, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
        let arguments = (plan, divider, memory);
        for_groups!(
            self,
            GroupedNodes,
            arguments,
            [(4, 2)(5, 4)(7, 6)(8, 6)(9, 6)]
        )
    }
}
