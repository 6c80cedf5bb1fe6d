//! Fingerprint for comparing engines whose outputs are too many to store: the FNV hash with 64 bits
//! (FNV-1a, word by word).

/// Multiplier of FNV-1a.
pub const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

/// Initial value of the hash.
pub const FNV_BASIS: u64 = 0xCBF2_9CE4_8422_2325;

/// Adds a word to the hash.
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FNV_PRIME)
}
