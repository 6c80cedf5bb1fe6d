//! Where everything lies in the memory of all who share a core: one description, which the
//! circuit, the image of the memory and the header of the firmware follow.

/// Bits of the address of a word in the memory of all, and in its first bank.
pub const WORD_BITS: usize = 12;
pub(super) const FIRST_BITS: usize = 11;

/// Words of data of a node, and of its queue.
pub const DATA_WORDS: u64 = 32;
pub const QUEUE_WORDS: u64 = PLACES * MESSAGE_WORDS;

/// Messages in the queue of a node.
pub const PLACES: u64 = 8;

/// Words of a message, with its mark.
pub const MESSAGE_WORDS: u64 = 4;

/// Messages in the ring of all, and the bits of its numbers.
pub const RING_PLACES: u64 = 16;

/// Where the parts begin, in words; the nodes' program is at 0. The host sees its own part
/// at 0, and what is at 0 there.
pub const PROGRAM_WORDS: u64 = 0x200;
pub const NODE_DATA: u64 = PROGRAM_WORDS;
pub const HOST_MEMORY: u64 = 0x400;
pub const HOST_WORDS: u64 = 0x400;
pub const RING: u64 = HOST_MEMORY + HOST_WORDS - RING_PLACES * MESSAGE_WORDS;

/// The queues of `2^bits` nodes: behind their data if that leaves room, else in the second
/// bank.
pub const fn queues(bits: usize) -> u64 {
    let behind = NODE_DATA + (DATA_WORDS << bits);
    if behind + (QUEUE_WORDS << bits) <= HOST_MEMORY {
        // As many as there are nodes, at a place of their own size.
        HOST_MEMORY - (QUEUE_WORDS << bits)
    } else {
        1 << FIRST_BITS
    }
}

/// Words of all for `2^bits` nodes.
pub const fn words(bits: usize) -> u64 {
    let end = queues(bits) + (QUEUE_WORDS << bits);
    if end < 1 << FIRST_BITS {
        1 << FIRST_BITS
    } else {
        end
    }
}

const _: () = assert!(NODE_DATA + (DATA_WORDS << 4) <= HOST_MEMORY);
const _: () = assert!(queues(3) == 0x300 && words(3) == 0x800);
const _: () = assert!(words(4) <= 1 << WORD_BITS);
