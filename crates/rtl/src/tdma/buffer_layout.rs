//! The layout of a buffer in the message memory: a length byte, then the payload. The last word
//! stores the state of the link with the buffer's number.

use super::SLOT_BITS;
use hdl::prelude::*;

/// Number of bytes at the end of a buffer for the state of its link: one word.
const LINK_STATE_BYTES: u64 = 4;

/// Byte of a buffer that stores the turn of its link.
pub(super) const fn turn_offset(offset_bits: usize) -> u64 {
    (1 << offset_bits) - LINK_STATE_BYTES
}

/// Byte of a buffer that stores the number of consecutive timeouts of its link.
pub(super) const fn timeouts_offset(offset_bits: usize) -> u64 {
    turn_offset(offset_bits) + 1
}

/// Address of a byte of a buffer.
#[kernel]
pub(super) fn byte_address<const OFFSET_BITS: usize, const ADDRESS_BITS: usize>(
    register: Bits<SLOT_BITS>,
    offset: Bits<OFFSET_BITS>,
) -> Bits<ADDRESS_BITS> {
    (register.resized::<ADDRESS_BITS>() << (OFFSET_BITS as u64)) | offset.resized::<ADDRESS_BITS>()
}

/// Returns whether a buffer of `2^offset_bits` bytes holds a length, `payload` bytes of payload
/// including the destination, and the state of a link.
pub fn buffer_fits(offset_bits: usize, payload: u64) -> bool {
    1 + payload + LINK_STATE_BYTES <= 1 << offset_bits
}

/// Checks that a message memory of `2^address_bits` bytes has room for `registers` buffers of
/// `2^offset_bits` bytes.
///
/// # Panics
/// If the memory is too small.
pub(super) fn check_memory(registers: usize, offset_bits: usize, address_bits: usize) {
    assert!(
        registers << offset_bits <= 1 << address_bits,
        "{registers} registers of {} bytes are to fit a memory of {}",
        1 << offset_bits,
        1 << address_bits
    );
}
