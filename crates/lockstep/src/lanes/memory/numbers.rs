//! Memories whose lanes mostly request different words.

use super::super::jit::Vector;
use super::groups::{each_lane, first_group, LaneAddresses};
use super::replace_all;
use super::transpose::{from_bits, load, number, number_index, put, store, transpose};
use num_bigint::BigUint;

/// Words of up to 32 bits as numbers, one for each lane, in the order of `transpose`.
///
/// Lanes with different addresses take little more than one load each. If all lanes have the same
/// address, they get the whole row.
#[derive(Clone, Debug)]
pub struct NumberMemory {
    /// Rows of all lanes, by word.
    words: Vec<u8>,
    /// Width of a number in bits, a power of two.
    size: usize,
    /// Rows of the words being read or written.
    moved: Vec<u8>,
    addresses: LaneAddresses,
    /// Number of 64-lane words in a vector.
    vector: usize,
}

/// Calls a method that is generic over the size of the numbers.
macro_rules! sized {
    ($self:ident.$method:ident::<$V:ident, $W:ident>($($argument:expr),*)) => {
        match $self.size {
            8 => $self.$method::<$V, $W, 8>($($argument),*),
            16 => $self.$method::<$V, $W, 16>($($argument),*),
            _ => $self.$method::<$V, $W, 32>($($argument),*),
        }
    };
}

impl NumberMemory {
    /// Largest width in bits.
    pub const WIDEST: usize = 32;
    /// Largest number of words.
    pub const MOST: usize = LaneAddresses::WORDS;

    pub fn new(words: usize, width: usize, vector: usize) -> Self {
        let size = width.next_power_of_two().max(8);
        let rows = row_bytes(vector, size);
        NumberMemory {
            words: vec![0; words * rows],
            size,
            moved: vec![0; rows],
            addresses: LaneAddresses::new(vector),
            vector,
        }
    }

    pub fn get(&self, lane: usize, address: usize) -> u64 {
        let rows = row_bytes(self.vector, self.size);
        let slot = number_index(self.vector, self.size, lane);
        number(self.size, &self.words[address * rows..], slot)
    }

    pub fn set(&mut self, lane: usize, address: usize, value: &BigUint) {
        let rows = row_bytes(self.vector, self.size);
        let slot = number_index(self.vector, self.size, lane);
        let value = value.iter_u64_digits().next().unwrap_or(0);
        put(self.size, &mut self.words[address * rows..], slot, value);
    }

    pub fn set_all(&mut self, address: usize, value: &BigUint) {
        let number = value.iter_u64_digits().next().unwrap_or(0);
        // The number is repeated to fill 64 bits.
        let numbers = number * (u64::MAX / ((1 << self.size) - 1));
        let rows = row_bytes(self.vector, self.size);
        let rows = &mut self.words[address * rows..][..rows];
        rows.as_chunks_mut::<8>().0.fill(numbers.to_le_bytes());
    }

    /// Reads in these lanes. Returns true if the data changed.
    #[inline(always)]
    pub fn read<V: Vector<W>, const W: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &mut [[u64; W]],
    ) -> bool {
        sized!(self.read_sized::<V, W>(address, lanes, data))
    }

    #[inline(always)]
    fn read_sized<V: Vector<W>, const W: usize, const B: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &mut [[u64; W]],
    ) -> bool {
        let bytes = row_bytes(W, B);
        let (first, same) = first_group(address, lanes);
        let mut rows = [lanes; B];
        if lanes.and_not(same).is_zero() {
            load(&self.words[first * bytes..], &mut rows);
        } else {
            let addresses = self.addresses.take(address, lanes);
            let (words, moved) = (&*self.words, &mut *self.moved);
            each_lane(lanes, |lane| {
                let slot = number_index(W, B, lane);
                let word = &words[addresses.of::<W>(lane) * bytes..][..bytes];
                put(B, moved, slot, number(B, word, slot));
            });
            load(moved, &mut rows);
        }
        transpose(&mut rows);
        !replace_all(data, &rows, lanes).is_zero()
    }

    /// Writes in these lanes.
    #[inline(always)]
    pub fn write<V: Vector<W>, const W: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &[[u64; W]],
    ) {
        sized!(self.write_sized::<V, W>(address, lanes, data))
    }

    #[inline(always)]
    fn write_sized<V: Vector<W>, const W: usize, const B: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &[[u64; W]],
    ) {
        let bytes = row_bytes(W, B);
        let mut rows = [lanes; B];
        from_bits(data, &mut rows);
        let (first, same) = first_group(address, lanes);
        if lanes.and_not(same).is_zero() {
            // The mask covers all bits of the numbers of these lanes.
            let mut mask = [lanes; B];
            transpose(&mut mask);
            let words = &mut self.words[first * bytes..][..bytes];
            let mut written = [lanes; B];
            load(words, &mut written);
            for ((old, new), mask) in written.iter_mut().zip(&rows).zip(&mask) {
                *old = old.blend(*new, *mask);
            }
            store(&written, words);
            return;
        }
        store(&rows, &mut self.moved);
        let addresses = self.addresses.take(address, lanes);
        let (words, moved) = (&mut *self.words, &*self.moved);
        each_lane(lanes, |lane| {
            let slot = number_index(W, B, lane);
            let word = &mut words[addresses.of::<W>(lane) * bytes..][..bytes];
            put(B, word, slot, number(B, moved, slot));
        });
    }
}

/// Returns the size of the rows of a word in bytes.
#[inline(always)]
fn row_bytes(vector: usize, size: usize) -> usize {
    8 * vector * size
}
