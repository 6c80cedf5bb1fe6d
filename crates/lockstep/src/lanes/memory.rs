use super::frame::Frame;
use super::plan::{MemoryPlan, WritePlan};
use super::transpose;
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

#[derive(Clone, Debug)]
enum Cells {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
    Doubles(Vec<u64>),
}

impl Cells {
    fn new(bits: usize, cells: usize) -> Self {
        match bits {
            0..=8 => Cells::Bytes(vec![0; cells]),
            9..=16 => Cells::Halves(vec![0; cells]),
            17..=32 => Cells::Words(vec![0; cells]),
            _ => Cells::Doubles(vec![0; cells]),
        }
    }

    /// These words in every lane.
    fn fill(&mut self, words: &[u64]) {
        fn each<T>(cells: &mut [T], words: &[u64], narrow: impl Fn(u64) -> T) {
            for lane in cells.chunks_mut(words.len()) {
                for (cell, &word) in lane.iter_mut().zip(words) {
                    *cell = narrow(word);
                }
            }
        }
        match self {
            Cells::Bytes(cells) => each(cells, words, |word| word as u8),
            Cells::Halves(cells) => each(cells, words, |word| word as u16),
            Cells::Words(cells) => each(cells, words, |word| word as u32),
            Cells::Doubles(cells) => each(cells, words, |word| word),
        }
    }

    fn get(&self, at: usize) -> u64 {
        match self {
            Cells::Bytes(cells) => cells[at].into(),
            Cells::Halves(cells) => cells[at].into(),
            Cells::Words(cells) => cells[at].into(),
            Cells::Doubles(cells) => cells[at],
        }
    }

    fn set(&mut self, at: usize, value: u64) {
        match self {
            Cells::Bytes(cells) => cells[at] = value as u8,
            Cells::Halves(cells) => cells[at] = value as u16,
            Cells::Words(cells) => cells[at] = value as u32,
            Cells::Doubles(cells) => cells[at] = value,
        }
    }
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

    /// Whether what was read differs from what had been read before.
    fn read(&self, plan: &MemoryPlan, frame: &mut Frame, group: usize, active: u64) -> bool {
        let mut changed = 0;
        let addresses = &self.last[group].0;
        let same = self.shared && addresses.iter().all(|bit| *bit == 0 || *bit == u64::MAX);
        let addresses = match same {
            // One word for all.
            true => [word_of(addresses); 64],
            false => transpose::words(addresses.len(), |k| addresses[k]),
        };
        for (column, slots) in self.columns.iter().zip(plan.read_data.chunks(64)) {
            let mut put = |k: usize, bits: u64| {
                let vector = &mut frame.vector_mut(slots[k])[group];
                let change = (*vector ^ bits) & active;
                changed |= change;
                *vector ^= change;
            };
            if same {
                let word = column.cells.get(addresses[0] as usize);
                (0..column.bits).for_each(|k| put(k, (word >> k & 1).wrapping_neg()));
                continue;
            }
            let mut words = [0; 64];
            for lane in ones(active) {
                words[lane] = column
                    .cells
                    .get(self.at(64 * group + lane, addresses[lane] as usize));
            }
            transpose::planes(&words, column.bits, put);
        }
        changed != 0
    }

    fn write(&mut self, plan: &WritePlan, frame: &Frame, group: usize, active: u64) {
        let plane = |slots: &[u32], k: usize| frame.vector(slots[k])[group];
        let addresses = transpose::words(plan.address.len(), |k| plane(&plan.address, k));
        for (i, slots) in plan.data.chunks(64).enumerate() {
            let words = transpose::words(slots.len(), |k| plane(slots, k));
            for lane in ones(active) {
                let at = self.at(64 * group + lane, addresses[lane] as usize);
                self.columns[i].cells.set(at, words[lane]);
            }
        }
    }
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
