//! Where things stand in a register of the message memory: a length byte, the payload,
//! and in the last word the state of the link that has the register's number.

/// Bytes at the end of a register that keep the state of its link: its last word.
const LINK_BYTES: u64 = 4;

/// The link's turn, counted from the end of the register.
pub(super) const TURN_FROM_END: u64 = 4;

/// The link's silences in a row, counted from the end of the register.
pub(super) const SILENCES_FROM_END: u64 = 3;

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
