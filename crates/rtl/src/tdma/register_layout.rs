//! Where things stand in a register of the message memory: a length byte, the payload,
//! and in the last word the state of the link that has the register's number.

use super::SLOT_BITS;
use hdl::lower::{kernel, Resize};
use rust_hdl::prelude::*;

/// Bytes at the end of a register that keep the state of its link: its last word.
const LINK_BYTES: u64 = 4;

/// The byte of a register that keeps its link's turn.
pub(super) const fn turn_offset(offset_bits: usize) -> u64 {
    (1 << offset_bits) - LINK_BYTES
}

/// The byte of a register that keeps its link's silences in a row.
pub(super) const fn silences_offset(offset_bits: usize) -> u64 {
    turn_offset(offset_bits) + 1
}

/// The address of a byte of a register.
#[kernel]
pub(super) fn byte_address<const OFFSET_BITS: usize, const ADDRESS_BITS: usize>(
    register: Bits<SLOT_BITS>,
    offset: Bits<OFFSET_BITS>,
) -> Bits<ADDRESS_BITS> {
    (register.resized::<ADDRESS_BITS>() << (OFFSET_BITS as u64)) | offset.resized::<ADDRESS_BITS>()
}

/// Whether a register of `2^offset_bits` bytes holds a length, a payload of so many
/// bytes, its destination included, and the state of a link.
pub fn register_holds(offset_bits: usize, payload: u64) -> bool {
    1 + payload + LINK_BYTES <= 1 << offset_bits
}

/// Checks that a message memory of `2^address_bits` bytes has room for so many registers
/// of `2^offset_bits` bytes.
///
/// # Panics
/// If it has not.
pub(super) fn check_memory(registers: usize, offset_bits: usize, address_bits: usize) {
    assert!(
        registers << offset_bits <= 1 << address_bits,
        "{registers} registers of {} bytes are to fit a memory of {}",
        1 << offset_bits,
        1 << address_bits
    );
}
