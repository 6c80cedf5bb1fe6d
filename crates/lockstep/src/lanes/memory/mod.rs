//! Contents of memories in all lanes, and their behaviour at the clock edge.
//!
//! * `storage`: words as bit vectors of all lanes, words as one number for each lane, and read-only
//!   words that all lanes share.
//! * `lane_numbers`: conversion between bits of lanes and numbers of lanes, and lanes that have the
//!   same address.

mod lane_numbers;
mod storage;

use super::frame::WordSlots;
use super::jit::Vector;
use super::plan::{MemoryPlace, MemoryPlan, WritePlan};
use num_bigint::BigUint;
use storage::{NumberMemory, PlaneMemory, RomMemory};

/// Largest number of words for which a memory is stored bit by bit. Lanes that request the same
/// word get it all at once, and there are at most as many addresses as words.
const FEW: usize = 64;

/// Returns true if the lanes find their words of such a memory one by one, so that parts of a word
/// are worth finding together.
pub fn may_have_parts(words: usize, width: usize) -> bool {
    (FEW + 1..=NumberMemory::MOST).contains(&words) && width <= NumberMemory::WIDEST
}

/// Words of a memory in all lanes of a chunk.
#[derive(Clone, Debug)]
pub struct ChunkMemory {
    contents: Contents,
    /// Address that each lane read last, bit by bit.
    last: Vec<u64>,
    /// Lanes that must read again even if their address is the same.
    again: Vec<u64>,
}

#[derive(Clone, Debug)]
enum Contents {
    Fixed(RomMemory),
    Planes(PlaneMemory),
    Numbers(NumberMemory),
}

/// Effect of a clock edge in some lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    /// The read data changed.
    pub changed: bool,
    pub wrote: bool,
}

impl ChunkMemory {
    /// Creates the initial contents. A vector has `vector` words of 64 lanes.
    pub fn new(plan: &MemoryPlan, vector: usize) -> Self {
        let (words, width) = (plan.words, plan.width);
        let contents = if plan.write.is_none() {
            Contents::Fixed(RomMemory::new(words, width, vector))
        } else if may_have_parts(words, width) {
            Contents::Numbers(NumberMemory::new(words, width, vector))
        } else {
            Contents::Planes(PlaneMemory::new(words, width, vector))
        };
        let mut words = ChunkMemory {
            contents,
            last: vec![0; plan.read_address.count * vector],
            again: vec![u64::MAX; vector],
        };
        words.reset(plan);
        words
    }

    /// Restores the initial contents.
    pub fn reset(&mut self, plan: &MemoryPlan) {
        let zero = BigUint::ZERO;
        for address in 0..plan.words {
            self.set_all(address, plan.init.get(address).unwrap_or(&zero));
        }
        let vector = self.again.len();
        for (bit, lanes) in self.last.chunks_mut(vector).enumerate() {
            let address = plan.asynchronous.unwrap_or(0) as u64;
            lanes.fill((address >> bit & 1).wrapping_neg());
        }
    }

    pub fn is_shared(&self) -> bool {
        matches!(self.contents, Contents::Fixed(_))
    }

    pub fn get(&self, lane: usize, address: usize) -> BigUint {
        match &self.contents {
            Contents::Fixed(words) => words.get(address),
            Contents::Planes(words) => words.get(lane, address),
            Contents::Numbers(words) => words.get(lane, address).into(),
        }
    }

    /// Sets a word, in all lanes if the memory is read-only. The value must fit the width.
    pub fn set(&mut self, lane: usize, address: usize, value: &BigUint) {
        match &mut self.contents {
            Contents::Fixed(words) => words.set(address, value),
            Contents::Planes(words) => words.set(lane, address, value),
            Contents::Numbers(words) => words.set(lane, address, value),
        }
        self.again.fill(u64::MAX);
    }

    /// Sets some bits of a word in all lanes.
    pub fn set_part_of_all(&mut self, place: MemoryPlace, address: usize, value: &BigUint) {
        match &mut self.contents {
            Contents::Numbers(words) => words.set_bits(address, place.low, place.width, value),
            _ => self.set_all(address, value),
        }
        self.again.fill(u64::MAX);
    }

    /// Sets a word in all lanes.
    pub fn set_all(&mut self, address: usize, value: &BigUint) {
        match &mut self.contents {
            Contents::Fixed(words) => words.set(address, value),
            Contents::Planes(words) => words.set_all(address, value),
            Contents::Numbers(words) => words.set_all(address, value),
        }
        self.again.fill(u64::MAX);
    }

    /// Returns the address of the read data of a lane.
    pub fn last_address(&self, lane: usize, vector: usize) -> usize {
        let bits = self.last.chunks(vector).enumerate();
        let bits = bits.map(|(i, lanes)| (lanes[lane / 64] >> (lane % 64) & 1) << i);
        bits.sum::<u64>() as usize
    }

    /// Performs the clock edge in these lanes: reads, then writes, according to the slots of the
    /// pins. An asynchronous read port reads after the write, at the next address. The
    /// vectors of the frame have the same length as those of the memory.
    #[inline(always)]
    pub fn edge<V: Vector<W>, const W: usize>(
        &mut self,
        plan: &MemoryPlan,
        frame: &mut [[u64; W]],
        present: V,
    ) -> Edge {
        let (changed, wrote);
        if plan.asynchronous.is_some() {
            wrote = self.write_edge(plan, frame, present);
            changed = self.read_edge(plan, frame, present);
        } else {
            changed = self.read_edge(plan, frame, present);
            wrote = self.write_edge(plan, frame, present);
        }
        Edge { changed, wrote }
    }

    /// Reads at the clock edge. Returns true if the data changed.
    #[inline(always)]
    fn read_edge<V: Vector<W>, const W: usize>(
        &mut self,
        plan: &MemoryPlan,
        frame: &mut [[u64; W]],
        present: V,
    ) -> bool {
        let enable = plan.read_enable;
        let wanted = enable.map_or(present, |slot| lanes_of(slot, frame, present));
        if wanted.is_zero() {
            return false;
        }
        let moved = self.moved(rows(frame, plan.read_address), wanted);
        !moved.is_zero() && self.read(rows_mut(frame, plan.read_data), moved)
    }

    /// Writes at the clock edge. Returns true if a lane wrote.
    #[inline(always)]
    fn write_edge<V: Vector<W>, const W: usize>(
        &mut self,
        plan: &MemoryPlan,
        frame: &[[u64; W]],
        present: V,
    ) -> bool {
        let Some(write) = &plan.write else {
            return false;
        };
        let mut active = present.splat(0);
        for part in &write.parts {
            active = active.or(lanes_of(part.enable, frame, present));
        }
        if active.is_zero() {
            return false;
        }
        self.write(write, frame, active);
        // The word read last may be one of those just written.
        let again = &mut self.again.as_chunks_mut::<W>().0[0];
        active.load(again).or(active).store(again);
        true
    }

    /// Returns the reading lanes whose address changed since their last read, or whose word may
    /// have changed.
    #[inline(always)]
    fn moved<V: Vector<W>, const W: usize>(&mut self, address: &[[u64; W]], wanted: V) -> V {
        let again = &mut self.again.as_chunks_mut::<W>().0[0];
        let mut moved = wanted.load(again);
        moved.and_not(wanted).store(again);
        for (last, now) in self.last.as_chunks_mut::<W>().0.iter_mut().zip(address) {
            let (before, now) = (wanted.load(last), wanted.load(now));
            moved = moved.or(before.xor(now));
            before.blend(now, wanted).store(last);
        }
        moved.and(wanted)
    }

    /// Reads in these lanes. Returns true if the data changed.
    #[inline(always)]
    fn read<V: Vector<W>, const W: usize>(&mut self, data: &mut [[u64; W]], lanes: V) -> bool {
        let address = self.last.as_chunks::<W>().0;
        match &mut self.contents {
            Contents::Fixed(words) => words.read(address, lanes, data),
            Contents::Planes(words) => words.read(address, lanes, data),
            Contents::Numbers(words) => words.read(address, lanes, data),
        }
    }

    #[inline(always)]
    fn write<V: Vector<W>, const W: usize>(
        &mut self,
        pins: &WritePlan,
        frame: &[[u64; W]],
        lanes: V,
    ) {
        let (address, data) = (rows(frame, pins.address), rows(frame, pins.data));
        match &mut self.contents {
            Contents::Fixed(_) => unreachable!("it has no write port"),
            Contents::Planes(words) => words.write(address, lanes, data),
            Contents::Numbers(words) => {
                let [_, _, ..] = &pins.parts[..] else {
                    return words.write(address, lanes, data, None);
                };
                let mut enabled = [lanes; NumberMemory::WIDEST];
                let mut bits = enabled.iter_mut();
                for part in &pins.parts {
                    let of_part = lanes.load(&frame[part.enable as usize]).and(lanes);
                    for bit in bits.by_ref().take(part.width) {
                        *bit = of_part;
                    }
                }
                words.write(address, lanes, data, Some(&enabled));
            }
        }
    }
}

/// Returns the present lanes in which a bit is set.
#[inline(always)]
fn lanes_of<V: Vector<W>, const W: usize>(slot: u32, frame: &[[u64; W]], present: V) -> V {
    present.load(&frame[slot as usize]).and(present)
}

/// Replaces the old data in these lanes and returns the changed bits.
#[inline(always)]
fn replace<V: Vector<W>, const W: usize>(old: &mut [u64; W], new: V, lanes: V) -> V {
    let before = new.load(old);
    let change = before.xor(new).and(lanes);
    before.xor(change).store(old);
    change
}

/// Replaces several bits in these lanes. Returns the lanes in which any of them changed.
#[inline(always)]
fn replace_all<V: Vector<W>, const W: usize>(old: &mut [[u64; W]], new: &[V], lanes: V) -> V {
    let mut changed = lanes.splat(0);
    for (old, new) in old.iter_mut().zip(new) {
        changed = changed.or(replace(old, *new, lanes));
    }
    changed
}

fn rows<const W: usize>(frame: &[[u64; W]], slots: WordSlots) -> &[[u64; W]] {
    &frame[slots.range()]
}

fn rows_mut<const W: usize>(frame: &mut [[u64; W]], slots: WordSlots) -> &mut [[u64; W]] {
    &mut frame[slots.range()]
}
