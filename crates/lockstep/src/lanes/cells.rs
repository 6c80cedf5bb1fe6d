//! The words of memories, in integers that they fit.

use super::transpose::{self, Bytes};

/// Up to 64 bits of each word of a memory, lane by lane.
#[derive(Clone, Debug)]
pub enum Cells {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
    Doubles(Vec<u64>),
}

/// Does the same for integers of each size.
macro_rules! each_size {
    ($cells:expr, $list:ident => $do:expr) => {
        match $cells {
            Cells::Bytes($list) => $do,
            Cells::Halves($list) => $do,
            Cells::Words($list) => $do,
            Cells::Doubles($list) => $do,
        }
    };
}

/// An integer that holds a word.
trait Cell: Copy + Default + Into<u64> {
    fn narrow(value: u64) -> Self;

    fn byte(self, k: usize) -> u8 {
        (self.into() >> (8 * k)) as u8
    }
}

macro_rules! cell {
    ($($type:ty)*) => {
        $(impl Cell for $type {
            fn narrow(value: u64) -> Self {
                value as $type
            }
        })*
    };
}

cell!(u8 u16 u32 u64);

/// A group of 64 lanes: the cell of the first one's word 0, and how many cells
/// further the next lane's is.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub start: usize,
    pub stride: usize,
}

impl Cells {
    pub fn new(bits: usize, cells: usize) -> Self {
        match bits {
            0..=8 => Cells::Bytes(vec![0; cells]),
            9..=16 => Cells::Halves(vec![0; cells]),
            17..=32 => Cells::Words(vec![0; cells]),
            _ => Cells::Doubles(vec![0; cells]),
        }
    }

    /// These words in every lane.
    pub fn fill(&mut self, words: &[u64]) {
        fn fill<T: Cell>(cells: &mut [T], words: &[u64]) {
            for lane in cells.chunks_mut(words.len()) {
                for (cell, &word) in lane.iter_mut().zip(words) {
                    *cell = T::narrow(word);
                }
            }
        }
        each_size!(self, cells => fill(cells, words))
    }

    pub fn get(&self, at: usize) -> u64 {
        fn get<T: Cell>(cells: &[T], at: usize) -> u64 {
            cells[at].into()
        }
        each_size!(self, cells => get(cells, at))
    }

    pub fn set(&mut self, at: usize, value: u64) {
        fn set<T: Cell>(cells: &mut [T], at: usize, value: u64) {
            cells[at] = T::narrow(value);
        }
        each_size!(self, cells => set(cells, at, value))
    }

    /// Reads a word in each lane and gives `put` all the bits: eight at a time, from
    /// the number of the first on.
    pub fn read(
        &self,
        group: Group,
        addresses: &[u32; 64],
        bits: usize,
        put: impl FnMut(usize, [u64; 8]),
    ) {
        fn read<T: Cell>(
            cells: &[T],
            group: Group,
            addresses: &[u32; 64],
            bits: usize,
            mut put: impl FnMut(usize, [u64; 8]),
        ) {
            let mut words = [T::default(); 64];
            let mut lane = group.start;
            for (word, &address) in words.iter_mut().zip(addresses) {
                *word = cells[lane + address as usize];
                lane += group.stride;
            }
            for k in 0..bits.div_ceil(8) {
                put(8 * k, transpose::to_planes(&words.map(|word| word.byte(k))));
            }
        }
        each_size!(self, cells => read(cells, group, addresses, bits, put))
    }

    /// Writes a word in each of these lanes.
    pub fn write(
        &mut self,
        group: Group,
        addresses: &[u32; 64],
        bytes: &[Bytes],
        lanes: impl Iterator<Item = usize>,
    ) {
        fn write<T: Cell>(
            cells: &mut [T],
            group: Group,
            addresses: &[u32; 64],
            bytes: &[Bytes],
            lanes: impl Iterator<Item = usize>,
        ) {
            for lane in lanes {
                let bytes = bytes.iter().rev();
                let word = bytes.fold(0, |word, bytes| word << 8 | u64::from(bytes[lane]));
                let at = group.start + lane * group.stride + addresses[lane] as usize;
                cells[at] = T::narrow(word);
            }
        }
        each_size!(self, cells => write(cells, group, addresses, bytes, lanes))
    }
}
