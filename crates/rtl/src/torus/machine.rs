//! The node of a torus for a plan that is known only at run time.

use super::TorusNode;
use hdl::lower::Circuit;

/// Makes the [`TorusNode`] of a plan.
pub fn node(plan: TorusPlan) -> Box<dyn Circuit> {
    match (plan.tail.data_wires(), plan.channels) {
        (8, 1) => Box::new(TorusNode::<8, 1>::new(plan)),
        (8, _) => Box::new(TorusNode::<8, 2>::new(plan)),
        (_, 1) => Box::new(TorusNode::<9, 1>::new(plan)),
        (_, _) => Box::new(TorusNode::<9, 2>::new(plan)),
    }
}

// The parameters of a torus node.

/// Encoding of the end of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// A zero byte after the addresses. Data bytes must not be zero.
    Zero,
    /// A ninth wire beside the byte. Data bytes may have any value.
    Wire,
    /// The rule of the paper (torus-routing-chip, section 5): the first zero byte after the packet
    /// has left in a dimension. The address of a later dimension may be zero, and such packets are
    /// misrouted.
    Naive,
}

impl Tail {
    /// Width of a byte with its tail wire: 8 or 9.
    pub fn data_wires(self) -> usize {
        match self {
            Tail::Zero | Tail::Naive => 8,
            Tail::Wire => 9,
        }
    }

    /// Number of data bytes for `payload` bytes of payload, at most 254. The encoding without zeros
    /// adds one byte.
    pub fn data(self, payload: usize) -> usize {
        match self {
            Tail::Zero | Tail::Naive => payload + 1,
            Tail::Wire => payload,
        }
    }
}

/// Parameters of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TorusPlan {
    /// Number of dimensions of the torus, at least one.
    pub dims: usize,
    /// Number of dimensions of a chip, at least one. The last chip of a node may have fewer.
    pub dims_per_chip: usize,
    /// Number of virtual channels of a channel, 1 or 2.
    pub channels: usize,
    /// Capacity of a queue in bytes, at least one.
    pub queue: usize,
    pub tail: Tail,
}

impl TorusPlan {
    /// Parameters of the paper's chip: two dimensions, two virtual channels, queues of four bytes.
    /// One chip uses the zero tail. Several chips use the tail wire, because the first chip cannot
    /// know how many addresses the later chips strip.
    pub fn new(dims: usize) -> Self {
        TorusPlan {
            dims,
            dims_per_chip: 2,
            channels: 2,
            queue: 4,
            tail: if dims > 2 { Tail::Wire } else { Tail::Zero },
        }
    }

    /// Number of chips of a node.
    pub fn chips(self) -> usize {
        self.dims.div_ceil(self.dims_per_chip)
    }

    /// Number of dimensions of a chip of a node.
    pub fn chip_dims(self, chip: usize) -> usize {
        self.dims_per_chip.min(self.dims - chip * self.dims_per_chip)
    }
}
