//! What a chip of the torus is built for.

/// How the end of a packet is told from its other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// A byte that is zero, behind the addresses; so data bytes are not zero.
    Zero,
    /// A ninth wire beside the byte; so data bytes are free.
    Wire,
    /// As the paper has it (torus-routing-chip, section 5): the first byte that is zero,
    /// once the packet has left in a dimension. The address of a later
    /// dimension may be that byte: such packets go wrong.
    Naive,
}

impl Tail {
    /// Wires for a byte, 8 or 9.
    pub fn data_wires(self) -> usize {
        match self {
            Tail::Zero | Tail::Naive => 8,
            Tail::Wire => 9,
        }
    }

    /// Data bytes of so many bytes of payload, up to 254: encoded, so that none is zero,
    /// they are one more.
    pub fn data(self, payload: usize) -> usize {
        match self {
            Tail::Zero | Tail::Naive => payload + 1,
            Tail::Wire => payload,
        }
    }
}

/// The plan of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TorusPlan {
    /// Dimensions of the torus, at least one.
    pub dims: usize,
    /// Dimensions of a chip, at least one; the last chip of a node may have fewer.
    pub dims_per_chip: usize,
    /// Virtual channels of a channel, 1 or 2.
    pub channels: usize,
    /// Bytes that a queue holds, at least one.
    pub queue: usize,
    pub tail: Tail,
}

impl TorusPlan {
    /// The paper's chip: two dimensions, two virtual channels, queues of four bytes. A
    /// tail of zero, or a wire for it if there is more than one chip: the first
    /// cannot know how many addresses the later ones take off.
    pub fn new(dims: usize) -> Self {
        TorusPlan {
            dims,
            dims_per_chip: 2,
            channels: 2,
            queue: 4,
            tail: if dims > 2 { Tail::Wire } else { Tail::Zero },
        }
    }

    /// Chips of a node.
    pub fn chips(self) -> usize {
        self.dims.div_ceil(self.dims_per_chip)
    }

    /// Dimensions of a chip of a node.
    pub fn chip_dims(self, chip: usize) -> usize {
        self.dims_per_chip
            .min(self.dims - chip * self.dims_per_chip)
    }
}
