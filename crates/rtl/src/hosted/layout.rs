//! The memory layout of nodes and host with a shared core. The circuit, the memory image and the
//! firmware header all derive from this description.

/// Address bits of a word in the memory of up to 16 nodes, and of a word in its first bank.
pub const WORD_BITS: usize = 12;
pub const FIRST_BANK_BITS: usize = 11;

/// Address bits of a constant after the second bank. Start of the constants in the memory of nodes
/// whose programs come over the line; they are a continuation of the host's program.
pub const CONSTANT_BITS: usize = 8;
pub const PROGRAMS_CONSTANTS: u64 = memory_words(3, PROGRAMS_NODE_DATA_BITS);

/// Largest address width of nodes whose programs come over the line and whose host needs no more words
/// than those constants.
const FEW_PROGRAMS_BITS: usize = 3;

/// Largest address width of nodes whose data fit before the host's memory.
const SMALL_MACHINE_BITS: usize = 4;

/// Address bits of a word of a node's data, in the usual layout.
pub const NODE_DATA_BITS: usize = 5;

/// Address bits of a word of a node's data, for nodes whose programs come over the line.
pub const PROGRAMS_NODE_DATA_BITS: usize = 7;

/// Number of words of a node's queue, and address bits of one of them.
pub const QUEUE_WORDS: u64 = QUEUE_SLOTS * MESSAGE_WORDS;
pub const QUEUE_WORD_BITS: u64 = QUEUE_WORDS.trailing_zeros() as u64;

/// Number of messages in a node's queue.
pub const QUEUE_SLOTS: u64 = 8;

/// Number of words of a message, including its mark.
pub const MESSAGE_WORDS: u64 = 4;

/// Number of messages in the ring of `2^bits` nodes.
pub const fn ring_slots(bits: usize) -> u64 {
    if bits <= SMALL_MACHINE_BITS {
        16
    } else {
        64
    }
}

/// Sizes and start of the parts, in words. The nodes' program is at 0. The host sees its own part
/// at 0 and the nodes' program in its place.
pub const PROGRAM_WORDS: u64 = 0x200;
pub const HOST_MEMORY: u64 = 0x400;
pub const HOST_WORDS: u64 = 0x400;

/// Number of words of the host's program after its memory, in machines of 16 and more nodes whose
/// programs come over the line (`firmware/board/frames_large.ld`).
pub const MORE_HOST_WORDS: u64 = 0x400;

/// Number of words of data of a node.
pub const fn data_words(room: usize) -> u64 {
    1 << room
}

/// Whether the data of `2^bits` nodes are between their program and the host's memory.
const fn data_precede_host(bits: usize, room: usize) -> bool {
    bits <= SMALL_MACHINE_BITS && room == NODE_DATA_BITS
}

/// Whether [`MORE_HOST_WORDS`] follow the host's memory. The queues and then the data are behind them.
const fn host_has_more(bits: usize, room: usize) -> bool {
    bits > FEW_PROGRAMS_BITS && room == PROGRAMS_NODE_DATA_BITS
}

/// Start of the data of `2^bits` nodes with `2^room` words each: after their program if there is
/// room, otherwise after the host's memory. A multiple of the size of all data.
pub const fn data_start(bits: usize, room: usize) -> u64 {
    if data_precede_host(bits, room) {
        PROGRAM_WORDS
    } else if host_has_more(bits, room) {
        let end = queues_start(bits, room) + (QUEUE_WORDS << bits);
        end.next_multiple_of(data_words(room) << bits)
    } else {
        HOST_MEMORY + HOST_WORDS
    }
}

/// End of the data of all nodes.
const fn data_end(bits: usize, room: usize) -> u64 {
    data_start(bits, room) + (data_words(room) << bits)
}

/// Start of the ring: at the end of the host's memory. A large ring is before that memory, where
/// small machines have the data of the nodes.
pub const fn ring_start(bits: usize) -> u64 {
    let end = if bits <= SMALL_MACHINE_BITS { HOST_MEMORY + HOST_WORDS } else { HOST_MEMORY };
    end - ring_slots(bits) * MESSAGE_WORDS
}

/// Start of the queues of `2^bits` nodes with `2^room` words of data each: before the host's memory
/// if there is room, otherwise after all other parts. A multiple of the size of all queues.
pub const fn queues_start(bits: usize, room: usize) -> u64 {
    let of_all = QUEUE_WORDS << bits;
    if host_has_more(bits, room) {
        return (HOST_MEMORY + HOST_WORDS + MORE_HOST_WORDS).next_multiple_of(of_all);
    }
    let before = if data_precede_host(bits, room) { data_end(bits, room) } else { PROGRAM_WORDS };
    if bits <= SMALL_MACHINE_BITS && before + of_all <= HOST_MEMORY {
        // The start is a multiple of the size of all queues.
        HOST_MEMORY - of_all
    } else if data_precede_host(bits, room) {
        HOST_MEMORY + HOST_WORDS
    } else {
        data_end(bits, room)
    }
}

/// Number of words of the whole memory for `2^bits` nodes with `2^room` words of data each.
pub const fn memory_words(bits: usize, room: usize) -> u64 {
    let queues_end = queues_start(bits, room) + (QUEUE_WORDS << bits);
    let mut end = HOST_MEMORY + HOST_WORDS;
    if end < queues_end {
        end = queues_end;
    }
    if end < data_end(bits, room) {
        end = data_end(bits, room);
    }
    end
}

/// Returns the address at which the host sees a word. The host's memory and the words at 0 are
/// exchanged. Words beyond [`WORD_BITS`] keep their address.
pub const fn host_address(word: u64) -> u64 {
    if word < 1 << WORD_BITS {
        word ^ HOST_MEMORY
    } else {
        word
    }
}

const _: () = assert!(data_end(SMALL_MACHINE_BITS, NODE_DATA_BITS) <= HOST_MEMORY);
const _: () = assert!(HOST_MEMORY + HOST_WORDS == 1 << FIRST_BANK_BITS);
const _: () =
    assert!(queues_start(3, NODE_DATA_BITS) == 0x300 && memory_words(3, NODE_DATA_BITS) == 0x800);
const _: () = assert!(
    memory_words(4, NODE_DATA_BITS) <= 1 << WORD_BITS
        && memory_words(5, NODE_DATA_BITS) == 1 << WORD_BITS
);
const _: () = assert!(
    queues_start(3, PROGRAMS_NODE_DATA_BITS) == 0x300
        && data_start(3, PROGRAMS_NODE_DATA_BITS) == 0x800
        && memory_words(3, PROGRAMS_NODE_DATA_BITS) == 0xC00
);
const _: () = assert!(
    queues_start(4, PROGRAMS_NODE_DATA_BITS) == 0xC00
        && data_start(4, PROGRAMS_NODE_DATA_BITS) == 0x1000
        && memory_words(4, PROGRAMS_NODE_DATA_BITS) == 0x1800
);
const _: () = assert!(
    queues_start(5, PROGRAMS_NODE_DATA_BITS) == 0xC00
        && data_start(5, PROGRAMS_NODE_DATA_BITS) == 0x1000
        && memory_words(5, PROGRAMS_NODE_DATA_BITS) == 0x2000
);
const _: () = assert!(
    queues_start(6, PROGRAMS_NODE_DATA_BITS) == 0x1000
        && data_start(6, PROGRAMS_NODE_DATA_BITS) == 0x2000
        && memory_words(6, PROGRAMS_NODE_DATA_BITS) == 0x4000
);
// The queues of all nodes are contiguous for the host.
const _: () = assert!(queues_start(5, NODE_DATA_BITS) & 0x3FF == 0 && QUEUE_WORDS << 5 == 0x400);
const _: () = assert!(queues_start(6, NODE_DATA_BITS) == 1 << WORD_BITS);
