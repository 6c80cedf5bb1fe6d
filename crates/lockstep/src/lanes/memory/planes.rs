//! Memories of few words, stored as bit vectors of all lanes.

use super::super::jit::Vector;
use super::groups::first_group;
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
        PlaneMemory {
            bits: vec![0; words * width * vector],
            width,
            vector,
        }
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
