//! Where everything lies in the memory of all who share a core: one description, which the
//! circuit, the image of the memory and the header of the firmware follow.

/// Bits of the address of a word in the memory of up to 16 nodes, and in its first bank.
pub const WORD_BITS: usize = 12;
pub const FIRST_BITS: usize = 11;

/// Bits of the address of a constant behind the second bank, and where those are in the memory of
/// nodes whose programs come over the line. The host's program goes on there.
pub const CONSTANT_BITS: usize = 8;
pub const PROGRAMS_CONSTANTS: u64 = words(3, PROGRAMS_ROOM_BITS);

/// Bits of the address of the last node whose data has room before the host's memory.
const FEW: usize = 4;

/// Bits of the number of a word of a node's data, unless it has more.
pub const ROOM_BITS: usize = 5;

/// The same of nodes whose programs come over the line.
pub const PROGRAMS_ROOM_BITS: usize = 7;

/// Words of the queue of a node.
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

/// Words of data of a node.
pub const fn data_words(room: usize) -> u64 {
    1 << room
}

/// Whether the data of `2^bits` nodes lie between their program and the host's memory.
const fn are_few(bits: usize, room: usize) -> bool {
    bits <= FEW && room == ROOM_BITS
}

/// The data of `2^bits` nodes, of `2^room` words each: behind their program if that leaves room,
/// else behind the host's memory.
pub const fn data(bits: usize, room: usize) -> u64 {
    if are_few(bits, room) {
        PROGRAM_WORDS
    } else {
        HOST_MEMORY + HOST_WORDS
    }
}

/// Behind their data.
const fn data_end(bits: usize, room: usize) -> u64 {
    data(bits, room) + (data_words(room) << bits)
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

/// The queues of `2^bits` nodes with `2^room` words of data each: before the host's memory if
/// there is room, else behind all others.
pub const fn queues(bits: usize, room: usize) -> u64 {
    let of_all = QUEUE_WORDS << bits;
    let before = if are_few(bits, room) {
        data_end(bits, room)
    } else {
        PROGRAM_WORDS
    };
    if bits <= FEW && before + of_all <= HOST_MEMORY {
        // At a place that is a multiple of their own size.
        HOST_MEMORY - of_all
    } else if are_few(bits, room) {
        HOST_MEMORY + HOST_WORDS
    } else {
        data_end(bits, room)
    }
}

/// Words of all for `2^bits` nodes with `2^room` words of data each.
pub const fn words(bits: usize, room: usize) -> u64 {
    let queues_end = queues(bits, room) + (QUEUE_WORDS << bits);
    let mut end = HOST_MEMORY + HOST_WORDS;
    if end < queues_end {
        end = queues_end;
    }
    if end < data_end(bits, room) {
        end = data_end(bits, room);
    }
    end
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

const _: () = assert!(data_end(FEW, ROOM_BITS) <= HOST_MEMORY);
const _: () = assert!(HOST_MEMORY + HOST_WORDS == 1 << FIRST_BITS);
const _: () = assert!(queues(3, ROOM_BITS) == 0x300 && words(3, ROOM_BITS) == 0x800);
const _: () =
    assert!(words(4, ROOM_BITS) <= 1 << WORD_BITS && words(5, ROOM_BITS) == 1 << WORD_BITS);
const _: () = assert!(
    queues(3, PROGRAMS_ROOM_BITS) == 0x300
        && data(3, PROGRAMS_ROOM_BITS) == 0x800
        && words(3, PROGRAMS_ROOM_BITS) == 0xC00
);
// The host sees the queues of all nodes one behind the other.
const _: () = assert!(queues(5, ROOM_BITS) & 0x3FF == 0 && QUEUE_WORDS << 5 == 0x400);
const _: () = assert!(queues(6, ROOM_BITS) == 1 << WORD_BITS);
