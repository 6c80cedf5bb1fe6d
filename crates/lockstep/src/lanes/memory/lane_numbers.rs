//! Conversion between bits of lanes and numbers of lanes, and lanes that have the same address.
//!
//! `B` is a power of two. Numbers of up to `B` bits, one for each lane, take `B` rows. A row is a
//! vector of one bit for each lane. A word of row `r` holds the numbers of lanes `r`, `r + B`, ..
//! of its 64 lanes, `B` bits each. Squares of `B` by `B` bits are transposed together. Row `b` then
//! holds bit `b` of all lanes, in order.

use super::super::jit::Vector;

/// Exchanges numbers and bits. `B` is 8, 16 or 32.
///
/// The rows are read and written twice, because few of them fit in registers together.
#[inline(always)]
pub fn transpose<V: Vector<W>, const W: usize, const B: usize>(rows: &mut [V; B]) {
    match B {
        32 => {
            for row in 0..8 {
                let mut four = [rows[row], rows[row + 8], rows[row + 16], rows[row + 24]];
                exchange(&mut four, 0, 2, 16);
                exchange(&mut four, 1, 3, 16);
                exchange(&mut four, 0, 1, 8);
                exchange(&mut four, 2, 3, 8);
                [rows[row], rows[row + 8], rows[row + 16], rows[row + 24]] = four;
            }
        }
        16 => {
            for row in 0..8 {
                let mut two = [rows[row], rows[row + 8]];
                exchange(&mut two, 0, 1, 8);
                [rows[row], rows[row + 8]] = two;
            }
        }
        _ => {}
    }
    for eight in rows.as_chunks_mut::<8>().0 {
        let mut rows = *eight;
        for row in [0, 1, 2, 3] {
            exchange(&mut rows, row, row + 4, 4);
        }
        for row in [0, 1, 4, 5] {
            exchange(&mut rows, row, row + 2, 2);
        }
        for row in [0, 2, 4, 6] {
            exchange(&mut rows, row, row + 1, 1);
        }
        *eight = rows;
    }
}

/// Exchanges the upper `half` bits of every `2 * half` bits in row `low` with the lower ones in row
/// `high`.
#[inline(always)]
fn exchange<V: Vector<W>, const W: usize, const R: usize>(
    rows: &mut [V; R],
    low: usize,
    high: usize,
    half: u32,
) {
    let (a, b) = (rows[low], rows[high]);
    let lower_bits = a.splat(u64::MAX / ((1 << half) + 1));
    let differ = a.down(half).xor(b).and(lower_bits);
    rows[low] = a.xor(differ.up(half));
    rows[high] = b.xor(differ);
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
    match size {
        8 => rows[slot].into(),
        16 => u16::from_le_bytes(rows.as_chunks().0[slot]).into(),
        _ => u32::from_le_bytes(rows.as_chunks().0[slot]).into(),
    }
}

/// Writes a number of `size` bits at a position of stored rows.
#[inline(always)]
pub fn put(size: usize, rows: &mut [u8], slot: usize, number: u64) {
    match size {
        8 => rows[slot] = number as u8,
        16 => rows.as_chunks_mut().0[slot] = (number as u16).to_le_bytes(),
        _ => rows.as_chunks_mut().0[slot] = (number as u32).to_le_bytes(),
    }
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
