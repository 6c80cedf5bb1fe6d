//! Read-only memories, with one copy of the words for all lanes.

use super::super::jit::Vector;
use super::groups::{each_lane, first_group, LaneAddresses};
use super::transpose::{load, number_index, put, transpose};
use super::{replace, replace_all};
use num_bigint::BigUint;

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

/// Number of distinct addresses that are read as groups. Lanes of a group get the word all at once.
const FEW: usize = 3;

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
        let (mut left, mut groups) = (lanes, 0);
        while !left.is_zero() {
            if groups == FEW && !self.moved.is_empty() {
                let change = self.read_numbers(address, left, data);
                changed = changed.or(change);
                break;
            }
            let (address, same) = first_group(address, left);
            for (data, integer) in data.chunks_mut(64).zip(self.word(address)) {
                for (bit, old) in data.iter_mut().enumerate() {
                    let new = lanes.splat((integer >> bit & 1).wrapping_neg());
                    changed = changed.or(replace(old, new, same));
                }
            }
            left = left.and_not(same);
            groups += 1;
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
