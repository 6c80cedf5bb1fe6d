//! Bits of words of 64 lanes, eight bits at a time, against a byte of each lane.

/// A byte of each lane.
pub type Bytes = [u8; 64];

/// The bytes whose bit `k` is in word `k`.
pub fn to_bytes(planes: [u64; 8]) -> Bytes {
    let mut bytes = [0; 64];
    let words = exchange_bytes(planes).map(exchange_bits);
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// The words whose word `k` has bit `k` of each byte.
pub fn to_planes(bytes: &Bytes) -> [u64; 8] {
    let word = |i: usize| std::array::from_fn(|j| bytes[8 * i + j]);
    let words = std::array::from_fn(|i| u64::from_le_bytes(word(i)));
    exchange_bytes(words.map(exchange_bits))
}

/// Byte `j` of word `k` goes to byte `k` of word `j`.
#[inline]
fn exchange_bytes(mut block: [u64; 8]) -> [u64; 8] {
    const STAGES: [(usize, u32, u64); 3] = [
        (4, 32, 0x0000_0000_FFFF_FFFF),
        (2, 16, 0x0000_FFFF_0000_FFFF),
        (1, 8, 0x00FF_00FF_00FF_00FF),
    ];
    for (distance, shift, mask) in STAGES {
        for pair in 0..4 {
            let i = pair / distance * 2 * distance + pair % distance;
            let swap = (block[i] >> shift ^ block[i + distance]) & mask;
            block[i] ^= swap << shift;
            block[i + distance] ^= swap;
        }
    }
    block
}

/// Bit `i` of byte `k` goes to bit `k` of byte `i`.
#[inline]
fn exchange_bits(mut x: u64) -> u64 {
    const STAGES: [(u32, u64); 3] = [
        (7, 0x00AA_00AA_00AA_00AA),
        (14, 0x0000_CCCC_0000_CCCC),
        (28, 0x0000_0000_F0F0_F0F0),
    ];
    for (shift, mask) in STAGES {
        let swap = (x ^ x >> shift) & mask;
        x ^= swap ^ swap << shift;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let byte = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
        let bytes: Bytes = std::array::from_fn(|i| byte(i) as u8);
        let planes = to_planes(&bytes);
        for (k, plane) in planes.iter().enumerate() {
            let bit = |i: usize| u64::from(bytes[i] >> k & 1) << i;
            assert_eq!(*plane, (0..64).map(bit).sum::<u64>());
        }
        assert_eq!(to_bytes(planes), bytes);
    }
}
