//! Where everything lies in the memory of all who share a core: one description, which the
//! circuit, the image of the memory and the header of the firmware follow.

/// Bits of the address of a word in the memory of up to 16 nodes, and in its first bank.
pub const WORD_BITS: usize = 12;
pub const FIRST_BITS: usize = 11;

/// Bits of the address of the last node whose data has room before the host's memory.
const FEW: usize = 4;

/// Words of data of a node, and of its queue.
pub const DATA_WORDS: u64 = 32;
pub const QUEUE_WORDS: u64 = PLACES * MESSAGE_WORDS;

/// Messages in the queue of a node.
pub const PLACES: u64 = 8;

/// Words of a message, with its mark.
pub const MESSAGE_WORDS: u64 = 4;

/// Messages in the ring of all `2^bits` nodes.
pub const fn ring_places(bits: usize) -> u64 {
    if bits <= FEW {
        16
    } else {
        64
    }
}

/// Where the parts begin, in words; the nodes' program is at 0. The host sees its own part
/// at 0, and what is at 0 there.
pub const PROGRAM_WORDS: u64 = 0x200;
pub const HOST_MEMORY: u64 = 0x400;
pub const HOST_WORDS: u64 = 0x400;

/// The data of `2^bits` nodes: behind their program if that leaves room, else behind the
/// host's memory.
pub const fn data(bits: usize) -> u64 {
    if bits <= FEW {
        PROGRAM_WORDS
    } else {
        HOST_MEMORY + HOST_WORDS
    }
}

/// The ring: at the end of the host's memory, or if it is large before that memory, where
/// nodes that are few have their data.
pub const fn ring(bits: usize) -> u64 {
    let end = if bits <= FEW {
        HOST_MEMORY + HOST_WORDS
    } else {
        HOST_MEMORY
    };
    end - ring_places(bits) * MESSAGE_WORDS
}

/// The queues of `2^bits` nodes: behind their data if that leaves room before the host's
/// memory, else behind all others.
pub const fn queues(bits: usize) -> u64 {
    let behind = data(bits) + (DATA_WORDS << bits);
    if bits > FEW {
        behind
    } else if behind + (QUEUE_WORDS << bits) <= HOST_MEMORY {
        // As many as there are nodes, at a place of their own size.
        HOST_MEMORY - (QUEUE_WORDS << bits)
    } else {
        HOST_MEMORY + HOST_WORDS
    }
}

/// Words of all for `2^bits` nodes.
pub const fn words(bits: usize) -> u64 {
    let end = queues(bits) + (QUEUE_WORDS << bits);
    if end < HOST_MEMORY + HOST_WORDS {
        HOST_MEMORY + HOST_WORDS
    } else {
        end
    }
}

/// Where the host sees a word: its own memory at 0, and what is there in the place of that.
/// Behind the words with [`WORD_BITS`] it sees what is there.
pub const fn host_sees(word: u64) -> u64 {
    if word < 1 << WORD_BITS {
        word ^ HOST_MEMORY
    } else {
        word
    }
}

const _: () = assert!(data(FEW) + (DATA_WORDS << FEW) <= HOST_MEMORY);
const _: () = assert!(HOST_MEMORY + HOST_WORDS == 1 << FIRST_BITS);
const _: () = assert!(queues(3) == 0x300 && words(3) == 0x800);
const _: () = assert!(words(4) <= 1 << WORD_BITS && words(5) == 1 << WORD_BITS);
// The host sees the queues of all nodes one behind the other.
const _: () = assert!(queues(5) & 0x3FF == 0 && QUEUE_WORDS << 5 == 0x400);
const _: () = assert!(queues(6) == 1 << WORD_BITS);
