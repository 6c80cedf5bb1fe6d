//! The numbering of a node's message buffers.
//!
//! In a cube a receive buffer has the number of its link, and the injection buffer follows them. In
//! a metacube a node has a receive buffer for each link and each number of cross edges that a
//! message has passed before the node (`routing::metacube`). This prevents deadlock. The number of
//! a buffer is `count * links + link`. `count` is the number of cross edges that the message will
//! have passed when it leaves, including the link's own if that is a cross edge. A search in
//! ascending order therefore visits the messages by count. No message arrives by a cross edge and
//! leaves with count 0, so the injection buffer has the first of these numbers.

use super::address_links::{class_bits, field_bits};
use super::{DIM_BITS, SLOT_BITS};
use hdl::prelude::*;

/// Width of the number of cross edges that a message has passed.
pub const CROSSED_BITS: usize = 3;

/// Number of buffer numbers for messages from links, a multiple of `links`.
///
/// A message passes up to four cross edges with four classes, and up to two with two classes.
pub const fn receive_buffers(links: usize, bits: usize) -> usize {
    links * cross_edge_counts(links, bits)
}

/// Number of different counts of cross edges that a message may have passed.
const fn cross_edge_counts(links: usize, bits: usize) -> usize {
    2 * class_bits(links, bits) + 1
}

/// Number of the injection buffer.
pub const fn injection_buffer(links: usize, bits: usize) -> usize {
    field_bits(links, bits)
}

/// Highest number of a buffer.
pub const fn last_buffer(links: usize, bits: usize) -> usize {
    if class_bits(links, bits) == 0 {
        injection_buffer(links, bits)
    } else {
        receive_buffers(links, bits) - 1
    }
}

/// Cross edges that the message of a buffer will have passed when it leaves.
pub const fn departure_count(links: usize, bits: usize, register: usize) -> usize {
    if class_bits(links, bits) == 0 {
        0
    } else {
        register / links
    }
}

/// Buffer for a message that arrives on this link and had passed `crossed` cross edges before.
pub const fn arrival_buffer(links: usize, bits: usize, link: usize, crossed: usize) -> usize {
    let is_cross = link >= field_bits(links, bits);
    (crossed + is_cross as usize) * links + link
}

/// Circuit for [`departure_count`].
#[kernel]
pub fn departure_count_bits<const LINKS: usize, const BITS: usize>(
    register: Bits<SLOT_BITS>,
) -> Bits<CROSSED_BITS> {
    let mut crossed = bits::<CROSSED_BITS>(0);
    for count in 1..cross_edge_counts(LINKS, BITS) {
        let reached = register >= (count * LINKS) as u64;
        crossed = if reached {
            bits::<CROSSED_BITS>(count as u64)
        } else {
            crossed
        };
    }
    crossed
}

/// Circuit for [`arrival_buffer`]. A count that no message has, in a damaged frame, is read as 0. Bytes
/// written before the CRC is checked must not overwrite the message of another buffer.
#[kernel]
pub fn receive_buffer<const LINKS: usize, const BITS: usize>(
    link: Bits<DIM_BITS>,
    crossed: Bits<CROSSED_BITS>,
) -> Bits<SLOT_BITS> {
    let mut register = link.resized::<SLOT_BITS>();
    for count in 0..cross_edge_counts(LINKS, BITS) {
        for l in 0..LINKS {
            let counted = (crossed == count as u64) | (count == 0);
            let number = bits::<SLOT_BITS>(arrival_buffer(LINKS, BITS, l, count) as u64);
            register = if (link == l as u64) & counted {
                number
            } else {
                register
            };
        }
    }
    register
}

/// Returns the buffer that gets the turn after a message of this one got a NAK in a metacube. This
/// is the first buffer of the next count, whose buffer at the neighbour may be free. The first
/// count follows the last.
#[kernel]
pub fn turn_after_nak<const LINKS: usize, const BITS: usize>(
    register: Bits<SLOT_BITS>,
) -> Bits<SLOT_BITS> {
    let mut next = bits::<SLOT_BITS>(0);
    for count in 1..cross_edge_counts(LINKS, BITS) {
        let passed = departure_count_bits::<LINKS, BITS>(register) == (count - 1) as u64;
        next = if passed {
            bits::<SLOT_BITS>((count * LINKS) as u64)
        } else {
            next
        };
    }
    next
}
