//! Bits of words of 64 lanes against words of each lane.

/// The words of 64 lanes whose bit `k` is in `plane(k)`.
pub fn words(bits: usize, plane: impl Fn(usize) -> u64) -> [u64; 64] {
    let mut words = [0; 64];
    for low in (0..bits).step_by(8) {
        let block = std::array::from_fn(|k| if low + k < bits { plane(low + k) } else { 0 });
        for (lanes, bytes) in words.chunks_mut(8).zip(transpose(block)) {
            for (word, byte) in lanes.iter_mut().zip(bytes.to_le_bytes()) {
                *word |= u64::from(byte) << low;
            }
        }
    }
    words
}

/// Gives `plane(k, bits)` for each bit `k` of the words of 64 lanes.
pub fn planes(words: &[u64; 64], bits: usize, mut plane: impl FnMut(usize, u64)) {
    for low in (0..bits).step_by(8) {
        let block = std::array::from_fn(|j| {
            let bytes: [u8; 8] = std::array::from_fn(|i| (words[8 * j + i] >> low) as u8);
            u64::from_le_bytes(bytes)
        });
        let block = transpose_back(block);
        for (k, &bits) in block.iter().enumerate().take(bits - low) {
            plane(low + k, bits);
        }
    }
}

/// Bit `i` of byte `j` of word `k` goes to bit `k` of byte `i` of word `j`.
fn transpose(block: [u64; 8]) -> [u64; 8] {
    exchange_bytes(block).map(exchange_bits)
}

fn transpose_back(block: [u64; 8]) -> [u64; 8] {
    exchange_bytes(block.map(exchange_bits))
}

/// Byte `j` of word `k` goes to byte `k` of word `j`.
fn exchange_bytes(mut block: [u64; 8]) -> [u64; 8] {
    const STAGES: [(usize, u32, u64); 3] = [
        (4, 32, 0x0000_0000_FFFF_FFFF),
        (2, 16, 0x0000_FFFF_0000_FFFF),
        (1, 8, 0x00FF_00FF_00FF_00FF),
    ];
    for (distance, shift, mask) in STAGES {
        for i in (0..8).filter(|i| i & distance == 0) {
            let swap = (block[i] >> shift ^ block[i + distance]) & mask;
            block[i] ^= swap << shift;
            block[i + distance] ^= swap;
        }
    }
    block
}

/// Bit `i` of byte `k` goes to bit `k` of byte `i`.
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
        for bits in [1, 7, 8, 11, 33, 64] {
            let lane = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits);
            let expected: [u64; 64] = std::array::from_fn(|i| lane(i as u64));
            let mut found = vec![0; bits];
            planes(&expected, bits, |k, plane| found[k] = plane);
            for (k, plane) in found.iter().enumerate() {
                let bit = |i: usize| (expected[i] >> k & 1) << i;
                assert_eq!(*plane, (0..64).map(bit).sum::<u64>());
            }
            assert_eq!(words(bits, |k| found[k]), expected);
        }
    }
}
