//! How the registers of a node are numbered.
//!
//! In a cube a receive register has the number of its link, and the injection register
//! comes after them. In a metacube a node has a receive register for each link and each
//! number of cross edges that a message has passed before it (`routing::metacube`), so
//! that no messages wait for each other in a circle. There a number is
//! `count * links + link`, where `count` is the number of cross edges that the message
//! will have passed when it leaves: that of a cross edge is included. So a search in
//! ascending order takes the messages by their counts. No message comes by a cross edge
//! and leaves with count 0; the injection register has the first of these numbers.

use super::place::{class_bits, field_bits};
use super::{DIM_BITS, SLOT_BITS};
use hdl::lower::{kernel, Resize};
use rust_hdl::prelude::*;

/// Width of the number of cross edges that a message has passed.
pub const CROSSED_BITS: usize = 3;

/// Numbers that registers for messages from links may have: a multiple of `links`.
///
/// A message passes up to four cross edges where there are four classes, two where there
/// are two.
pub const fn receive_registers(links: usize, bits: usize) -> usize {
    links * counts(links, bits)
}

/// Different numbers of cross edges that a message may have passed.
const fn counts(links: usize, bits: usize) -> usize {
    2 * class_bits(links, bits) + 1
}

/// The number of the injection register.
pub const fn injection_register(links: usize, bits: usize) -> usize {
    field_bits(links, bits)
}

/// The highest number of a register.
pub const fn last_register(links: usize, bits: usize) -> usize {
    if class_bits(links, bits) == 0 {
        injection_register(links, bits)
    } else {
        receive_registers(links, bits) - 1
    }
}

/// Cross edges that the message of a register will have passed when it leaves.
pub const fn leaves_with(links: usize, bits: usize, register: usize) -> usize {
    if class_bits(links, bits) == 0 {
        0
    } else {
        register / links
    }
}

/// The register for a message that comes by this link and had passed so many cross edges
/// before.
pub const fn arrives_in(links: usize, bits: usize, link: usize, crossed: usize) -> usize {
    let is_cross = link >= field_bits(links, bits);
    (crossed + is_cross as usize) * links + link
}

/// [`leaves_with`] in a circuit.
#[kernel]
pub fn crossed<const LINKS: usize, const BITS: usize>(
    register: Bits<SLOT_BITS>,
) -> Bits<CROSSED_BITS> {
    let mut crossed = bits::<CROSSED_BITS>(0);
    for count in 1..counts(LINKS, BITS) {
        let reached = register >= (count * LINKS) as u64;
        crossed = if reached {
            bits::<CROSSED_BITS>(count as u64)
        } else {
            crossed
        };
    }
    crossed
}

/// [`arrives_in`] in a circuit. A count that no message has, in a frame that was damaged,
/// is taken for 0: what is written before the CRC tells must not meet another register's
/// message.
#[kernel]
pub fn receive_register<const LINKS: usize, const BITS: usize>(
    link: Bits<DIM_BITS>,
    crossed: Bits<CROSSED_BITS>,
) -> Bits<SLOT_BITS> {
    let mut register = link.resized::<SLOT_BITS>();
    for count in 0..counts(LINKS, BITS) {
        for l in 0..LINKS {
            let counted = (crossed == count as u64) | (count == 0);
            let number = bits::<SLOT_BITS>(arrives_in(LINKS, BITS, l, count) as u64);
            register = if (link == l as u64) & counted {
                number
            } else {
                register
            };
        }
    }
    register
}

/// In a metacube, the register whose turn it is after a message of this one was refused:
/// the first of the next count, for the neighbour's register of that count may be free.
/// After the last count comes the first.
#[kernel]
pub fn after_refusal<const LINKS: usize, const BITS: usize>(
    register: Bits<SLOT_BITS>,
) -> Bits<SLOT_BITS> {
    let mut next = bits::<SLOT_BITS>(0);
    for count in 1..counts(LINKS, BITS) {
        let passed = crossed::<LINKS, BITS>(register) == (count - 1) as u64;
        next = if passed {
            bits::<SLOT_BITS>((count * LINKS) as u64)
        } else {
            next
        };
    }
    next
}
