//! The fingerprint by which engines are compared where their outputs are too many
//! to be kept: the FNV hash of 64 bits (FNV-1a, word by word).

/// The multiplier.
pub const PRIME: u64 = 0x0000_0100_0000_01B3;

/// Where the hash begins.
pub const BASIS: u64 = 0xCBF2_9CE4_8422_2325;

/// The hash, one word further.
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(PRIME)
}
