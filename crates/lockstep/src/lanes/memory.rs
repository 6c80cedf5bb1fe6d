use super::cells::{Cells, Group};
use super::frame::Frame;
use super::plan::{MemoryPlan, WritePlan};
use super::transpose::{self, Bytes};
use num_bigint::BigUint;

/// The words of a memory in all lanes of a chunk; of a read-only memory, which
/// is the same in all lanes, they stand here once.
#[derive(Clone, Debug)]
pub struct Words {
    /// 64 bits of the words each, the least significant first.
    columns: Vec<Column>,
    words: usize,
    shared: bool,
    /// The read address of each group of 64 lanes at the last clock edge, bit by
    /// bit, and the lanes that must read again in any case.
    last: Vec<(Vec<u64>, u64)>,
}

/// What a clock edge did in some lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    /// Another word was read than before.
    pub changed: bool,
    pub wrote: bool,
}

/// Up to 64 bits of each word, lane by lane.
#[derive(Clone, Debug)]
struct Column {
    bits: usize,
    cells: Cells,
}

impl Words {
    /// As the memory starts; the chunk has 64 lanes for each of `groups`.
    pub fn new(plan: &MemoryPlan, groups: usize) -> Self {
        let shared = plan.write.is_none();
        let lanes = if shared { 1 } else { 64 * groups };
        let column = |low: usize| {
            let bits = (plan.width - low).min(64);
            let cells = Cells::new(bits, lanes * plan.words);
            Column { bits, cells }
        };
        let mut words = Words {
            columns: (0..plan.width).step_by(64).map(column).collect(),
            words: plan.words,
            shared,
            last: vec![(vec![0; plan.read_address.len()], u64::MAX); groups],
        };
        words.reset(plan);
        words
    }

    /// Back to how the memory starts.
    pub fn reset(&mut self, plan: &MemoryPlan) {
        for (i, column) in self.columns.iter_mut().enumerate() {
            let mut start = vec![0; self.words];
            for (word, init) in start.iter_mut().zip(&plan.init) {
                *word = init.iter_u64_digits().nth(i).unwrap_or(0);
            }
            column.cells.fill(&start);
        }
        self.read_again();
    }

    fn read_again(&mut self) {
        for (_, again) in &mut self.last {
            *again = u64::MAX;
        }
    }

    pub fn is_shared(&self) -> bool {
        self.shared
    }

    fn at(&self, lane: usize, address: usize) -> usize {
        let lane = if self.shared { 0 } else { lane };
        lane * self.words + address
    }

    pub fn get(&self, lane: usize, address: usize) -> BigUint {
        let at = self.at(lane, address);
        let limbs = self.columns.iter().rev().map(|column| column.cells.get(at));
        limbs.fold(BigUint::ZERO, |word, limb| {
            (word << 64u8) | BigUint::from(limb)
        })
    }

    /// Sets a word, whose width the value fits.
    pub fn set(&mut self, lane: usize, address: usize, value: &BigUint) {
        let at = self.at(lane, address);
        let mut limbs = value.iter_u64_digits();
        for column in &mut self.columns {
            column.cells.set(at, limbs.next().unwrap_or(0));
        }
        self.read_again();
    }

    /// The clock edge: reads and then writes, as the slots of the pins say.
    pub fn edge(&mut self, plan: &MemoryPlan, frame: &mut Frame) -> Edge {
        let mut edge = Edge::default();
        for group in 0..self.last.len() {
            let active = self.moved(plan, frame, group);
            if active != 0 {
                edge.changed |= self.read(plan, frame, group, active);
            }
            if let Some(write) = &plan.write {
                let active = frame.vector(write.enable)[group];
                if active != 0 {
                    self.write(write, frame, group, active);
                }
                // The word read may be one of those just written.
                self.last[group].1 = active;
                edge.wrote |= active != 0;
            }
        }
        edge
    }

    /// The lanes of a group that read another word than at the last edge, or
    /// one that may have changed.
    fn moved(&mut self, plan: &MemoryPlan, frame: &Frame, group: usize) -> u64 {
        let (last, again) = &mut self.last[group];
        let mut moved = std::mem::take(again);
        for (last, &slot) in last.iter_mut().zip(&plan.read_address) {
            let now = frame.vector(slot)[group];
            moved |= std::mem::replace(last, now) ^ now;
        }
        moved
    }

    /// Where the lanes of a group are.
    fn group(&self, group: usize) -> Group {
        match self.shared {
            true => Group {
                start: 0,
                stride: 0,
            },
            false => Group {
                start: 64 * group * self.words,
                stride: self.words,
            },
        }
    }

    /// Whether what was read differs from what had been read before.
    fn read(&self, plan: &MemoryPlan, frame: &mut Frame, group: usize, active: u64) -> bool {
        let mut changed = 0;
        let address = &self.last[group].0;
        let same = self.shared && address.iter().all(|bit| *bit == 0 || *bit == u64::MAX);
        let addresses = match same {
            true => [0; 64],
            false => addresses(address.len(), |k| address[k]),
        };
        for (column, slots) in self.columns.iter().zip(plan.read_data.chunks(64)) {
            let mut put = |first: usize, planes: [u64; 8]| {
                for (&slot, bits) in slots[first..].iter().zip(planes) {
                    let vector = &mut frame.vector_mut(slot)[group];
                    let change = (*vector ^ bits) & active;
                    changed |= change;
                    *vector ^= change;
                }
            };
            if same {
                // One word for all.
                let word = column.cells.get(word_of(address) as usize);
                for first in (0..column.bits).step_by(8) {
                    let bit = |k: usize| (word >> (first + k) & 1).wrapping_neg();
                    put(first, std::array::from_fn(bit));
                }
            } else {
                let group = self.group(group);
                column.cells.read(group, &addresses, column.bits, put);
            }
        }
        changed != 0
    }

    fn write(&mut self, plan: &WritePlan, frame: &Frame, group: usize, active: u64) {
        let plane = |slots: &[u32], k: usize| frame.vector(slots[k])[group];
        let addresses = addresses(plan.address.len(), |k| plane(&plan.address, k));
        let place = self.group(group);
        for (column, slots) in self.columns.iter_mut().zip(plan.data.chunks(64)) {
            let mut bytes = [[0; 64]; 8];
            let count = slots.len().div_ceil(8);
            for (k, bytes) in bytes.iter_mut().enumerate().take(count) {
                *bytes = byte(8 * k, slots.len(), |bit| plane(slots, bit));
            }
            let lanes = ones(active);
            column
                .cells
                .write(place, &addresses, &bytes[..count], lanes);
        }
    }
}

/// The address in each lane, from its bits.
fn addresses(bits: usize, plane: impl Fn(usize) -> u64) -> [u32; 64] {
    let mut addresses = [0; 64];
    for first in (0..bits).step_by(8) {
        let bytes = byte(first, bits, &plane);
        for (address, byte) in addresses.iter_mut().zip(bytes) {
            *address |= u32::from(byte) << first;
        }
    }
    addresses
}

/// Up to eight bits in each lane, from this number on.
fn byte(first: usize, bits: usize, plane: impl Fn(usize) -> u64) -> Bytes {
    let plane = |k: usize| {
        if first + k < bits {
            plane(first + k)
        } else {
            0
        }
    };
    transpose::to_bytes(std::array::from_fn(plane))
}

/// The word whose bits are the lowest bits of these.
fn word_of(bits: &[u64]) -> u64 {
    let bits = bits.iter().rev();
    bits.fold(0, |word, bit| word << 1 | bit & 1)
}

/// The positions of the bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            lowest
        })
    })
}
