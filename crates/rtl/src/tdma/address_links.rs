//! Address arithmetic of a cube or metacube: the links of a node.
//!
//! A metacube MC(k, m) has addresses with a class of k bits on top and 2^k fields of m bits
//! (`topology::Metacube`). A cube has no classes and is MC(0, n): one field, whose bits all have a
//! link. The number of links and the address width determine k and m.
use hdl::prelude::*;

/// Width of a class.
pub(super) const CLASS_BITS: usize = 2;

/// Returns k of the metacube with this number of links and address bits; 0 for a cube.
///
/// # Panics
/// If no such shape with up to four classes exists.
pub const fn class_bits(links: usize, bits: usize) -> usize {
    let mut k = 0;
    while k <= CLASS_BITS {
        if links > k && ((links - k) << k) + k == bits {
            return k;
        }
        k += 1;
    }
    panic!("no cube or metacube has so many links and bits of address")
}

/// Returns m of the metacube: the links of a node within its cluster.
pub const fn field_bits(links: usize, bits: usize) -> usize {
    links - class_bits(links, bits)
}

/// Number of classes.
const fn classes(links: usize, bits: usize) -> usize {
    1 << class_bits(links, bits)
}

/// Address bit that a link of a node of this class inverts.
const fn link_bit(links: usize, bits: usize, class: usize, link: usize) -> usize {
    let m = field_bits(links, bits);
    if link < m {
        class * m + link
    } else {
        (m << class_bits(links, bits)) + link - m
    }
}

/// Class of a node.
#[kernel]
fn class_of<const LINKS: usize, const BITS: usize>(address: Bits<BITS>) -> Bits<CLASS_BITS> {
    let mut class = bits::<CLASS_BITS>(0);
    for i in 0..class_bits(LINKS, BITS) {
        class = class.replace_bit(i, address.get_bit(BITS - class_bits(LINKS, BITS) + i));
    }
    class
}

/// Extracts the address bits that the links of a node of this class invert, one per link.
#[kernel]
fn link_bits<const LINKS: usize, const BITS: usize>(
    word: Bits<BITS>,
    class: Bits<CLASS_BITS>,
) -> Bits<LINKS> {
    let mut found = bits::<LINKS>(0);
    for c in 0..classes(LINKS, BITS) {
        let meant = class == c as u64;
        for link in 0..LINKS {
            let bit = word.get_bit(link_bit(LINKS, BITS, c, link));
            found = found.replace_bit(link, found.get_bit(link) | (meant & bit));
        }
    }
    found
}

/// True if the field of this class has a bit set.
#[kernel]
fn has_field<const LINKS: usize, const BITS: usize>(
    word: Bits<BITS>,
    class: Bits<CLASS_BITS>,
) -> Bit {
    let mut found = bits::<1>(0).any();
    for c in 0..classes(LINKS, BITS) {
        let any = (word & field_mask(LINKS, BITS, c)).any();
        let meant = class == c as u64;
        found = if meant { any } else { found };
    }
    found
}

/// Returns the side of each link that a node is on: the address bit that the link inverts.
#[kernel]
pub fn sides<const LINKS: usize, const BITS: usize>(address: Bits<BITS>) -> Bits<LINKS> {
    link_bits::<LINKS, BITS>(address, class_of::<LINKS, BITS>(address))
}

/// Returns the bits of a node's address that the given links of it invert.
#[kernel]
pub fn inverted<const LINKS: usize, const BITS: usize>(
    address: Bits<BITS>,
    links: Bits<LINKS>,
) -> Bits<BITS> {
    let class = class_of::<LINKS, BITS>(address);
    let mut found = bits::<BITS>(0);
    for c in 0..classes(LINKS, BITS) {
        let here = class == c as u64;
        for l in 0..LINKS {
            let at = link_bit(LINKS, BITS, c, l);
            found = found.replace_bit(at, found.get_bit(at) | (here & links.get_bit(l)));
        }
    }
    found
}

/// Returns the node at the other end of a link, which is given one-hot.
#[kernel]
pub fn across<const LINKS: usize, const BITS: usize>(
    address: Bits<BITS>,
    link: Bits<LINKS>,
) -> Bits<BITS> {
    address ^ inverted::<LINKS, BITS>(address, link)
}

/// Returns the link that a message takes next, one-hot, or zero at the destination.
///
/// The link belongs to the lowest bit in which the node's own field differs. If that field is
/// right, it is a cross edge towards a class whose field is wrong (`routing::metacube::next_link`;
/// in a cube: e-cube). The source and the links already passed are not needed.
#[kernel]
pub fn next_link<const LINKS: usize, const BITS: usize>(
    here: Bits<BITS>,
    destination: Bits<BITS>,
) -> Bits<LINKS> {
    let delta = here ^ destination;
    let any = delta.any();
    let class = class_of::<LINKS, BITS>(here);
    let turns = class_of::<LINKS, BITS>(delta);
    let first_wrong = has_field::<LINKS, BITS>(delta, class ^ 1);
    let second_wrong = has_field::<LINKS, BITS>(delta, class ^ 2);
    let both_wrong = has_field::<LINKS, BITS>(delta, class ^ 3);
    // Of two cross edges the second is on a shorter route.
    let second = if class_bits(LINKS, BITS) < 2 {
        false
    } else if turns == 0 {
        second_wrong & !first_wrong & !both_wrong
    } else if turns == 1 {
        second_wrong | both_wrong
    } else if turns == 2 {
        !first_wrong & !both_wrong
    } else {
        second_wrong & !first_wrong
    };
    let differing = link_bits::<LINKS, BITS>(delta, class);
    let mut within_field = bits::<LINKS>(0);
    for link in 0..field_bits(LINKS, BITS) {
        within_field = within_field.replace_bit(link, differing.get_bit(link));
    }
    let mut cross = bits::<LINKS>(0);
    for i in 0..class_bits(LINKS, BITS) {
        let better = if i == 1 { second } else { !second };
        cross = cross.replace_bit(field_bits(LINKS, BITS) + i, any & better);
    }
    if within_field.any() {
        within_field & (!within_field + 1)
    } else {
        cross
    }
}

/// Bits of a field.
const fn field_mask(links: usize, bits: usize, field: usize) -> u64 {
    let m = field_bits(links, bits);
    ((1 << m) - 1) << (field * m)
}
