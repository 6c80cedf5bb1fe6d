use super::super::jit::Vector;
use super::groups::{each_lane, first_group, Addresses};
use super::replace;
use super::transpose::{load, number, place, put, store, transpose};
use num_bigint::BigUint;

/// Words of up to 32 bits as numbers, one for each lane, in the order of `transpose`.
///
/// Lanes with different addresses take little more than a load each. Lanes that all
/// have the same address get the whole row.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// For each word rows of all lanes.
    words: Vec<u8>,
    /// Bytes of such rows.
    row: usize,
    /// Bits of a number: a power of two.
    size: usize,
    /// Rows of what is read or written.
    moved: Vec<u8>,
    addresses: Addresses,
    /// Words of 64 lanes in a vector.
    vector: usize,
}

/// Calls a method for the size of the numbers.
macro_rules! sized {
    ($self:ident.$method:ident::<$V:ident, $W:ident>($($argument:expr),*)) => {
        match $self.size {
            8 => $self.$method::<$V, $W, 8>($($argument),*),
            16 => $self.$method::<$V, $W, 16>($($argument),*),
            _ => $self.$method::<$V, $W, 32>($($argument),*),
        }
    };
}

impl Numbers {
    /// In bits.
    pub const WIDEST: usize = 32;
    /// Words.
    pub const MOST: usize = Addresses::WORDS;

    pub fn new(words: usize, width: usize, vector: usize) -> Self {
        let size = width.next_power_of_two().max(8);
        let row = 8 * vector * size;
        Numbers {
            words: vec![0; words * row],
            row,
            size,
            moved: vec![0; row],
            addresses: Addresses::new(vector),
            vector,
        }
    }

    pub fn get(&self, lane: usize, address: usize) -> u32 {
        let (start, bytes) = self.at(lane, address);
        let mut number = [0; 4];
        number[..bytes].copy_from_slice(&self.words[start..][..bytes]);
        u32::from_le_bytes(number)
    }

    pub fn set(&mut self, lane: usize, address: usize, value: &BigUint) {
        let (start, bytes) = self.at(lane, address);
        let number = value.iter_u32_digits().next().unwrap_or(0).to_le_bytes();
        self.words[start..][..bytes].copy_from_slice(&number[..bytes]);
    }

    pub fn set_all(&mut self, address: usize, value: &BigUint) {
        let number = value.iter_u64_digits().next().unwrap_or(0);
        // As often as it fits.
        let numbers = number * (u64::MAX / ((1 << self.size) - 1));
        let row = &mut self.words[address * self.row..][..self.row];
        row.as_chunks_mut::<8>().0.fill(numbers.to_le_bytes());
    }

    /// The first byte of a word, and how many it has.
    fn at(&self, lane: usize, address: usize) -> (usize, usize) {
        let place = match (self.vector, self.size) {
            (2, 8) => place::<2, 8>(lane),
            (2, 16) => place::<2, 16>(lane),
            (2, _) => place::<2, 32>(lane),
            (4, 8) => place::<4, 8>(lane),
            (4, 16) => place::<4, 16>(lane),
            (4, _) => place::<4, 32>(lane),
            (_, 8) => place::<8, 8>(lane),
            (_, 16) => place::<8, 16>(lane),
            (_, _) => place::<8, 32>(lane),
        };
        let bytes = self.size / 8;
        (address * self.row + place * bytes, bytes)
    }

    /// Whether what was read in these lanes differs from the data before.
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
        let (first, same) = first_group(address, lanes);
        let mut rows = [lanes; B];
        if lanes.and_not(same).is_zero() {
            load(&self.words[first * self.row..], &mut rows);
        } else {
            let addresses = self.addresses.take(address, lanes);
            let (words, moved, row) = (&*self.words, &mut *self.moved, self.row);
            each_lane(lanes, |lane| {
                let place = place::<W, B>(lane);
                let word = &words[addresses.of::<W>(lane) * row..][..row];
                put::<B>(moved, place, number::<B>(word, place));
            });
            load(moved, &mut rows);
        }
        transpose(&mut rows);
        let mut changed = lanes.splat(0);
        for (old, new) in data.iter_mut().zip(&rows) {
            changed = changed.or(replace(old, *new, lanes));
        }
        !changed.is_zero()
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
        let mut rows = [lanes.splat(0); B];
        for (row, bits) in rows.iter_mut().zip(data) {
            *row = lanes.load(bits);
        }
        transpose(&mut rows);
        let (first, same) = first_group(address, lanes);
        if lanes.and_not(same).is_zero() {
            // All bits of the numbers of these lanes.
            let mut mask = [lanes; B];
            transpose(&mut mask);
            let words = &mut self.words[first * self.row..][..self.row];
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
        let (words, moved, row) = (&mut *self.words, &*self.moved, self.row);
        each_lane(lanes, |lane| {
            let place = place::<W, B>(lane);
            let word = &mut words[addresses.of::<W>(lane) * row..][..row];
            put::<B>(word, place, number::<B>(moved, place));
        });
    }
}
