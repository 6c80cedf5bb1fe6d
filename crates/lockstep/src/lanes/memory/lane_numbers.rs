//! Conversion between bits of lanes and numbers of lanes, and lanes that have the same address.
//!
//! `B` is a power of two. Numbers of up to `B` bits, one for each lane, take `B` rows. A row is a
//! vector of one bit for each lane. A word of row `r` holds the numbers of lanes `r`, `r + B`, ..
//! of its 64 lanes, `B` bits each. Squares of `B` by `B` bits are transposed together. Row `b` then
//! holds bit `b` of all lanes, in order.

use super::super::jit::Vector;

/// Exchanges numbers and bits.
#[inline(always)]
pub fn transpose<V: Vector<W>, const W: usize, const B: usize>(rows: &mut [V; B]) {
    for stage in (0..B.ilog2()).rev() {
        let half = 1 << stage;
        let low = rows[0].splat(u64::MAX / ((1 << half) + 1));
        for row in (0..B).filter(|row| row & half == 0) {
            let (a, b) = (rows[row], rows[row + half]);
            let differ = a.down(half as u32).xor(b).and(low);
            rows[row] = a.xor(differ.up(half as u32));
            rows[row + half] = b.xor(differ);
        }
    }
}

/// Converts bits to numbers. Missing bits are zero.
#[inline(always)]
pub fn from_bits<V: Vector<W>, const W: usize, const B: usize>(
    bits: &[[u64; W]],
    rows: &mut [V; B],
) {
    *rows = [rows[0].splat(0); B];
    for (row, bits) in rows.iter_mut().zip(bits) {
        *row = row.load(bits);
    }
    transpose(rows);
}

/// Returns the position of a lane's number, counted in numbers of `size` bits. A vector has
/// `vector` words of 64 lanes.
#[inline(always)]
pub fn number_index(vector: usize, size: usize, lane: usize) -> usize {
    let (word, lane) = (lane / 64, lane % 64);
    let (row, column) = (lane % size, lane / size);
    (row * vector + word) * (64 / size) + column
}

/// Returns the number of `size` bits at a position of stored rows.
#[inline(always)]
pub fn number(size: usize, rows: &[u8], slot: usize) -> u64 {
    let bytes = size / 8;
    let mut number = [0; 8];
    number[..bytes].copy_from_slice(&rows[slot * bytes..][..bytes]);
    u64::from_le_bytes(number)
}

/// Writes a number of `size` bits at a position of stored rows.
#[inline(always)]
pub fn put(size: usize, rows: &mut [u8], slot: usize, number: u64) {
    let bytes = size / 8;
    rows[slot * bytes..][..bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
}

/// Loads stored rows into vectors.
#[inline(always)]
pub fn load<V: Vector<W>, const W: usize, const B: usize>(from: &[u8], rows: &mut [V; B]) {
    for (row, bytes) in rows.iter_mut().zip(from.chunks_exact(8 * W)) {
        let mut words = [0; W];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        *row = row.load(&words);
    }
}

#[inline(always)]
pub fn store<V: Vector<W>, const W: usize, const B: usize>(rows: &[V; B], into: &mut [u8]) {
    for (row, bytes) in rows.iter().zip(into.chunks_exact_mut(8 * W)) {
        let words = row.words();
        for (word, bytes) in words.iter().zip(bytes.as_chunks_mut::<8>().0) {
            *bytes = word.to_le_bytes();
        }
    }
}

// Addresses requested by lanes: groups of equal addresses, and each address as a number.

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

#[cfg(test)]
mod tests {
    use super::super::super::jit::PortableVector;
    use super::*;

    fn check_round_trip<const B: usize>() {
        const W: usize = 2;
        let mut rows = vec![0; 8 * W * B];
        // The multiplier makes the numbers of different lanes differ in all bits somewhere.
        let of = |lane: usize| (lane as u64 + 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - B);
        for lane in 0..64 * W {
            put(B, &mut rows, number_index(W, B, lane), of(lane));
        }
        let mut bits = [PortableVector([0; W]); B];
        load(&rows, &mut bits);
        transpose(&mut bits);
        for lane in 0..64 * W {
            for (bit, row) in bits.iter().enumerate() {
                assert_eq!(row.0[lane / 64] >> (lane % 64) & 1, of(lane) >> bit & 1);
            }
        }
        transpose(&mut bits);
        let mut back = vec![0; 8 * W * B];
        store(&bits, &mut back);
        assert_eq!(back, rows);
        assert_eq!(number(B, &back, number_index(W, B, 77)), of(77));
    }

    #[test]
    fn transpose_exchanges_numbers_and_bits() {
        check_round_trip::<8>();
        check_round_trip::<16>();
        check_round_trip::<32>();
    }
}
