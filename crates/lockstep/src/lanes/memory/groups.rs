//! Addresses requested by lanes: groups of equal addresses, and each address as a number.

use super::super::jit::Vector;
use super::transpose::{from_bits, number, number_index, store};

/// Returns the address of the first of these lanes, and the lanes that share it. The addresses are
/// passed bit by bit.
#[inline(always)]
pub fn first_group<V: Vector<W>, const W: usize>(address: &[[u64; W]], lanes: V) -> (usize, V) {
    let words = lanes.words();
    let word = words.iter().position(|word| *word != 0).unwrap_or(0);
    let lane = words[word].trailing_zeros() % 64;
    let (mut value, mut same) = (0, lanes);
    for (k, bits) in address.iter().enumerate() {
        let bit = bits[word] >> lane & 1;
        value |= (bit as usize) << k;
        let others = lanes.splat(bit.wrapping_sub(1));
        same = same.and(lanes.load(bits).xor(others));
    }
    (value, same)
}

#[inline(always)]
pub fn each_lane<V: Vector<W>, const W: usize>(lanes: V, mut act: impl FnMut(usize)) {
    for (i, word) in lanes.words().into_iter().enumerate() {
        let mut left = word;
        while left != 0 {
            act(64 * i + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

/// Address of each lane as a number.
#[derive(Clone, Debug)]
pub struct LaneAddresses(Vec<u8>);

/// Width of an address in bits.
const BITS: usize = 16;

impl LaneAddresses {
    /// Number of words in the largest memory that these addresses support.
    pub const WORDS: usize = 1 << BITS;

    /// Creates addresses for vectors of `vector` words of 64 lanes.
    pub fn new(vector: usize) -> Self {
        LaneAddresses(vec![0; 8 * vector * BITS])
    }

    /// Converts addresses from bits to numbers.
    #[inline(always)]
    pub fn take<V: Vector<W>, const W: usize>(
        &mut self,
        address: &[[u64; W]],
        zero: V,
    ) -> Numbered<'_> {
        let mut rows = [zero; BITS];
        from_bits(address, &mut rows);
        store(&rows, &mut self.0);
        Numbered(&self.0)
    }
}

/// Result of [`LaneAddresses::take`].
#[derive(Clone, Copy)]
pub struct Numbered<'a>(&'a [u8]);

impl Numbered<'_> {
    #[inline(always)]
    pub fn of<const W: usize>(self, lane: usize) -> usize {
        number(BITS, self.0, number_index(W, BITS, lane)) as usize
    }
}
