//! Sizes of time-multiplexed nodes by name, and the const parameters that follow from them.

use super::host_port::{OUTCOME_COUNT_BITS, RING_SLOT_BITS};
use super::layout::{
    memory_words, ring_slots, FIRST_BANK_BITS, NODE_DATA_BITS, PROGRAMS_NODE_DATA_BITS, WORD_BITS,
};
use super::OFFSET_BITS;
use crate::tdma::{receive_buffers, DIVIDER_BITS};

/// Sizes of [`TimeMultiplexedNodes`](super::TimeMultiplexedNodes) and [`HostedNodes`](super::HostedNodes).
/// [`sized_nodes!`](crate::sized_nodes) makes a type of them. All other sizes follow.
///
/// ```
/// use rtl::hosted::{HostedNodes, NodeSizes};
///
/// const SIZES: NodeSizes = NodeSizes {
///     second_bank: true,
///     ..NodeSizes::cube(4)
/// };
/// type Nodes = rtl::sized_nodes!(HostedNodes, SIZES);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NodeSizes {
    /// Links of a node.
    pub links: usize,
    /// Bits of the address of a node.
    pub bits: usize,
    /// The memory beyond 2,048 words is a second bank. Otherwise the first bank has all words.
    pub second_bank: bool,
    /// Bits of the divider of the phase clock: of half a phase in clock cycles.
    pub divider_bits: usize,
    /// Bits of the address of a word of a node's data.
    pub node_data_bits: usize,
    /// Bits of the number of bytes from the PC that can wait for the host.
    pub line_bits: usize,
}

impl NodeSizes {
    /// Number of const parameters.
    pub const COUNT: usize = 17;

    /// Returns the sizes for a cube of up to 4 dimensions.
    pub const fn cube(dims: usize) -> Self {
        NodeSizes {
            links: dims,
            bits: dims,
            second_bank: false,
            divider_bits: DIVIDER_BITS,
            node_data_bits: NODE_DATA_BITS,
            line_bits: 1,
        }
    }

    /// Returns the sizes for a cube whose programs come over the line. Each node has 512 bytes of
    /// data. Up to 511 bytes from the PC can wait for the host.
    pub const fn programs(dims: usize) -> Self {
        NodeSizes { node_data_bits: PROGRAMS_NODE_DATA_BITS, line_bits: 9, ..NodeSizes::cube(dims) }
    }

    /// Returns the const parameters of [`TimeMultiplexedNodes`](super::TimeMultiplexedNodes), in their order.
    pub const fn parameters(self) -> [usize; Self::COUNT] {
        let (links, bits) = (self.links, self.bits);
        let buffers = receive_buffers(links, bits);
        let context_bits = bits + 1;
        let words = memory_words(bits, self.node_data_bits);
        let all_word_bits = address_bits(words);
        let (banks, bank_bits, first_bank_bits) = match self.second_bank {
            true => (4, address_bits(words - (1 << FIRST_BANK_BITS)), FIRST_BANK_BITS),
            false => (0, 1, all_word_bits),
        };
        let ring_bits = address_bits(ring_slots(bits));
        let large_ring = ring_bits > RING_SLOT_BITS;
        [
            links,
            bits,
            1 << bits,
            buffers,
            context_bits,
            context_bits + 5,
            // The buffers of received messages and the one of the host's message.
            OFFSET_BITS + address_bits(buffers as u64 + 1),
            banks,
            bank_bits,
            first_bank_bits,
            if all_word_bits > WORD_BITS { all_word_bits } else { WORD_BITS },
            self.divider_bits,
            ring_bits,
            ring_bits + 1,
            OUTCOME_COUNT_BITS + large_ring as usize,
            self.node_data_bits,
            self.line_bits,
        ]
    }
}

/// Returns the number of bits that address this many words.
pub(super) const fn address_bits(words: u64) -> usize {
    words.next_power_of_two().trailing_zeros() as usize
}

/// Returns the type of [`TimeMultiplexedNodes`](crate::hosted::TimeMultiplexedNodes) or [`HostedNodes`](crate::hosted::HostedNodes)
/// with constant [`NodeSizes`](crate::hosted::NodeSizes).
#[macro_export]
macro_rules! sized_nodes {
    ($nodes:ident, $sizes:expr) => {
        $crate::sized_nodes!($nodes, $sizes, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    ($nodes:ident, $sizes:expr, $($at:literal)*) => {
        $nodes<$({ $crate::hosted::NodeSizes::parameters($sizes)[$at] }),*>
    };
}
