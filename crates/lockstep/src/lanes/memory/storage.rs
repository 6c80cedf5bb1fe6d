//! Stores the words of a memory in one of three forms: bit vectors of all lanes, one number for
//! each lane, or read-only words that all lanes share.

use super::super::jit::Vector;
use super::lane_numbers::{
    each_lane, first_group, from_bits, load, number, number_index, put, store, transpose,
    LaneAddresses,
};
use super::{replace, replace_all};
use num_bigint::BigUint;

/// Words in the layout of the frame: each bit of a word is a vector of all lanes.
///
/// Lanes that request the same word get it all at once. No operation works lane by lane.
#[derive(Clone, Debug)]
pub struct PlaneMemory {
    /// Vectors of the bits of each word.
    bits: Vec<u64>,
    /// Width of a word in bits.
    width: usize,
    /// Number of 64-lane words in a vector.
    vector: usize,
}

/// Number of bits of a word that are read together.
const TOGETHER: usize = 8;

/// Number of addresses that are read together.
const GROUPS: usize = 16;

impl PlaneMemory {
    pub fn new(words: usize, width: usize, vector: usize) -> Self {
        PlaneMemory { bits: vec![0; words * width * vector], width, vector }
    }

    pub fn get(&self, lane: usize, address: usize) -> BigUint {
        let mut word = BigUint::ZERO;
        for bit in 0..self.width {
            let lanes = self.bits[self.at(lane, address, bit)];
            word.set_bit(bit as u64, lanes >> (lane % 64) & 1 == 1);
        }
        word
    }

    pub fn set(&mut self, lane: usize, address: usize, value: &BigUint) {
        for bit in 0..self.width {
            let at = self.at(lane, address, bit);
            let lanes = &mut self.bits[at];
            *lanes &= !(1 << (lane % 64));
            *lanes |= u64::from(value.bit(bit as u64)) << (lane % 64);
        }
    }

    pub fn set_all(&mut self, address: usize, value: &BigUint) {
        let word = self.width * self.vector;
        let word = &mut self.bits[address * word..][..word];
        for (bit, lanes) in (0..).zip(word.chunks_exact_mut(self.vector)) {
            lanes.fill(u64::from(value.bit(bit)).wrapping_neg());
        }
    }

    fn at(&self, lane: usize, address: usize, bit: usize) -> usize {
        (address * self.width + bit) * self.vector + lane / 64
    }

    /// Reads in these lanes. Returns true if the data changed.
    #[inline(always)]
    pub fn read<V: Vector<W>, const W: usize>(
        &self,
        address: &[[u64; W]],
        lanes: V,
        data: &mut [[u64; W]],
    ) -> bool {
        let (mut left, mut changed) = (lanes, lanes.splat(0));
        while !left.is_zero() {
            let mut groups = [(0, left); GROUPS];
            let mut count = 0;
            while count < GROUPS && !left.is_zero() {
                groups[count] = first_group(address, left);
                left = left.and_not(groups[count].1);
                count += 1;
            }
            changed = changed.or(self.read_groups(&groups[..count], lanes, data));
        }
        !changed.is_zero()
    }

    #[inline(always)]
    fn read_groups<V: Vector<W>, const W: usize>(
        &self,
        groups: &[(usize, V)],
        zero: V,
        data: &mut [[u64; W]],
    ) -> V {
        let (mut all, mut changed) = (zero.splat(0), zero.splat(0));
        for (_, lanes) in groups {
            all = all.or(*lanes);
        }
        let bits = self.bits.as_chunks::<W>().0;
        let (blocks, rest) = data.as_chunks_mut::<TOGETHER>();
        let first_of_rest = TOGETHER * blocks.len();
        for (block, data) in blocks.iter_mut().enumerate() {
            let mut new = [zero.splat(0); TOGETHER];
            for (address, lanes) in groups {
                let word = &bits[address * self.width + TOGETHER * block..][..TOGETHER];
                for (new, bit) in new.iter_mut().zip(word) {
                    *new = new.or(lanes.load(bit).and(*lanes));
                }
            }
            changed = changed.or(replace_all(data, &new, all));
        }
        for (bit, old) in (first_of_rest..).zip(rest) {
            let mut new = zero.splat(0);
            for (address, lanes) in groups {
                new = new.or(lanes.load(&bits[address * self.width + bit]).and(*lanes));
            }
            changed = changed.or(replace(old, new, all));
        }
        changed
    }

    /// Writes in these lanes.
    #[inline(always)]
    pub fn write<V: Vector<W>, const W: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &[[u64; W]],
    ) {
        let bits = self.bits.as_chunks_mut::<W>().0;
        let mut left = lanes;
        while !left.is_zero() {
            let (address, lanes) = first_group(address, left);
            left = left.and_not(lanes);
            let word = &mut bits[address * self.width..][..data.len()];
            for (old, new) in word.iter_mut().zip(data) {
                replace(old, lanes.load(new), lanes);
            }
        }
    }
}

// Memories whose lanes mostly request different words.

/// Words of up to 32 bits as numbers, one for each lane, in the order of
/// `lane_numbers::transpose`.
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
    /// Rows of the bits being written.
    masks: Vec<u8>,
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
            masks: vec![0; rows],
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

    /// Sets some bits of a word in all lanes.
    pub fn set_bits(&mut self, address: usize, low: usize, width: usize, value: &BigUint) {
        let new = value.iter_u64_digits().next().unwrap_or(0) << low;
        let mask = ((1 << width) - 1) << low;
        let rows = row_bytes(self.vector, self.size);
        let rows = &mut self.words[address * rows..][..rows];
        for slot in 0..8 * rows.len() / self.size {
            let old = number(self.size, rows, slot);
            put(self.size, rows, slot, (old & !mask) | new);
        }
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
                let word = addresses.of::<W>(lane) * 64 * W;
                put(B, moved, slot, number(B, words, word + slot));
            });
            load(moved, &mut rows);
        }
        transpose(&mut rows);
        !replace_all(data, &rows, lanes).is_zero()
    }

    /// Writes in these lanes. `enabled` holds the lanes that write each bit, unless all of them
    /// write whole words.
    #[inline(always)]
    pub fn write<V: Vector<W>, const W: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &[[u64; W]],
        enabled: Option<&[V; Self::WIDEST]>,
    ) {
        sized!(self.write_sized::<V, W>(address, lanes, data, enabled))
    }

    #[inline(always)]
    fn write_sized<V: Vector<W>, const W: usize, const B: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &[[u64; W]],
        enabled: Option<&[V; Self::WIDEST]>,
    ) {
        let bytes = row_bytes(W, B);
        let mut rows = [lanes; B];
        from_bits(data, &mut rows);
        let (first, same) = first_group(address, lanes);
        let is_same = lanes.and_not(same).is_zero();
        let mut masks = [lanes; B];
        if let Some(enabled) = enabled {
            masks.copy_from_slice(&enabled[..B]);
        }
        if is_same || enabled.is_some() {
            transpose(&mut masks);
        }
        if is_same {
            let words = &mut self.words[first * bytes..][..bytes];
            let mut written = [lanes; B];
            load(words, &mut written);
            for ((old, new), mask) in written.iter_mut().zip(&rows).zip(&masks) {
                *old = old.blend(*new, *mask);
            }
            store(&written, words);
            return;
        }
        store(&rows, &mut self.moved);
        let addresses = self.addresses.take(address, lanes);
        let (words, moved) = (&mut *self.words, &*self.moved);
        if enabled.is_none() {
            each_lane(lanes, |lane| {
                let slot = number_index(W, B, lane);
                let at = addresses.of::<W>(lane) * 64 * W + slot;
                put(B, words, at, number(B, moved, slot));
            });
            return;
        }
        store(&masks, &mut self.masks);
        let masks = &*self.masks;
        each_lane(lanes, |lane| {
            let slot = number_index(W, B, lane);
            let at = addresses.of::<W>(lane) * 64 * W + slot;
            let mask = number(B, masks, slot);
            let new = (number(B, words, at) & !mask) | (number(B, moved, slot) & mask);
            put(B, words, at, new);
        });
    }
}

/// Returns the size of the rows of a word in bytes.
#[inline(always)]
fn row_bytes(vector: usize, size: usize) -> usize {
    8 * vector * size
}

/// Words of a read-only memory, shared by all lanes.
#[derive(Clone, Debug)]
pub struct RomMemory {
    /// 64-bit integers of each word, the least significant first.
    integers: Vec<u64>,
    /// Width of a word in bits.
    width: usize,
    /// Rows of the words being read. Empty for words that do not use rows.
    moved: Vec<u8>,
    addresses: LaneAddresses,
}

/// Number of lanes with the same address for which the word is read at once.
const LARGE_GROUP: u32 = 32;

/// Widest word, in bits, that is read through rows.
const ROWS: usize = 32;

impl RomMemory {
    pub fn new(words: usize, width: usize, vector: usize) -> Self {
        let has_rows = width <= ROWS && words <= LaneAddresses::WORDS;
        RomMemory {
            integers: vec![0; words * width.div_ceil(64)],
            width,
            moved: vec![0; if has_rows { 8 * vector * ROWS } else { 0 }],
            addresses: LaneAddresses::new(vector),
        }
    }

    fn word(&self, address: usize) -> &[u64] {
        let limbs = self.width.div_ceil(64);
        &self.integers[address * limbs..][..limbs]
    }

    pub fn get(&self, address: usize) -> BigUint {
        let digits = self.word(address).iter().flat_map(|integer| {
            let (low, high) = (*integer as u32, (*integer >> 32) as u32);
            [low, high]
        });
        BigUint::new(digits.collect())
    }

    pub fn set(&mut self, address: usize, value: &BigUint) {
        let limbs = self.width.div_ceil(64);
        let word = &mut self.integers[address * limbs..][..limbs];
        word.fill(0);
        for (integer, digit) in word.iter_mut().zip(value.iter_u64_digits()) {
            *integer = digit;
        }
    }

    /// Reads in these lanes. Returns true if the data changed.
    #[inline(always)]
    pub fn read<V: Vector<W>, const W: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &mut [[u64; W]],
    ) -> bool {
        let mut changed = lanes.splat(0);
        let mut left = lanes;
        while !left.is_zero() {
            let (word, same) = first_group(address, left);
            // A word takes as long for few lanes as for many.
            let is_large = same.count() >= LARGE_GROUP || same.count() == left.count();
            if !is_large && !self.moved.is_empty() {
                let change = self.read_numbers(address, left, data);
                changed = changed.or(change);
                break;
            }
            for (data, integer) in data.chunks_mut(64).zip(self.word(word)) {
                for (bit, old) in data.iter_mut().enumerate() {
                    let new = lanes.splat((integer >> bit & 1).wrapping_neg());
                    changed = changed.or(replace(old, new, same));
                }
            }
            left = left.and_not(same);
        }
        !changed.is_zero()
    }

    #[inline(always)]
    fn read_numbers<V: Vector<W>, const W: usize>(
        &mut self,
        address: &[[u64; W]],
        lanes: V,
        data: &mut [[u64; W]],
    ) -> V {
        let addresses = self.addresses.take(address, lanes);
        let (integers, moved) = (&*self.integers, &mut *self.moved);
        each_lane(lanes, |lane| {
            let word = integers[addresses.of::<W>(lane)];
            put(ROWS, moved, number_index(W, ROWS, lane), word);
        });
        let mut rows = [lanes; ROWS];
        load(moved, &mut rows);
        transpose(&mut rows);
        replace_all(data, &rows, lanes)
    }
}
