//! What memories hold in all lanes, and what they do at the clock edge.
//!
//! * `planes`: few words, each bit of a word a vector of all lanes;
//! * `numbers`: many words, each a number for each lane;
//! * `fixed`: read-only words, the same in all lanes;
//! * `groups`: the lanes that have the same address;
//! * `transpose`: from bits of lanes to numbers of lanes and back.

mod fixed;
mod groups;
mod numbers;
mod planes;
mod transpose;

use super::jit::Vector;
use super::layout::Slots;
use super::plan::{MemoryPlan, WritePlan};
use fixed::Fixed;
use num_bigint::BigUint;
use numbers::Numbers;
use planes::Planes;

/// Words up to which a memory is kept bit by bit: lanes that ask for the same word
/// get it all at once, and there are no more different addresses than words.
const FEW: usize = 64;

/// The words of a memory in all lanes of a chunk.
#[derive(Clone, Debug)]
pub struct Words {
    contents: Contents,
    /// The address that each lane read last, bit by bit.
    last: Vec<u64>,
    /// The lanes that must read again even if their address is the same.
    again: Vec<u64>,
}

#[derive(Clone, Debug)]
enum Contents {
    Fixed(Fixed),
    Planes(Planes),
    Numbers(Numbers),
}

/// What a clock edge did in some lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    /// Another word was read than before.
    pub changed: bool,
    pub wrote: bool,
}

impl Words {
    /// As the memory starts; a vector has 64 lanes for each of `vector`.
    pub fn new(plan: &MemoryPlan, vector: usize) -> Self {
        let (words, width) = (plan.words, plan.width);
        let contents = if plan.write.is_none() {
            Contents::Fixed(Fixed::new(words, width, vector))
        } else if words <= FEW || width > Numbers::WIDEST || words > Numbers::MOST {
            Contents::Planes(Planes::new(words, width, vector))
        } else {
            Contents::Numbers(Numbers::new(words, width, vector))
        };
        let mut words = Words {
            contents,
            last: vec![0; plan.read_address.count * vector],
            again: vec![u64::MAX; vector],
        };
        words.reset(plan);
        words
    }

    /// Back to how the memory starts.
    pub fn reset(&mut self, plan: &MemoryPlan) {
        let zero = BigUint::ZERO;
        for address in 0..plan.words {
            self.set_all(address, plan.init.get(address).unwrap_or(&zero));
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

    /// Sets a word, whose width the value fits; of a read-only memory in all lanes.
    pub fn set(&mut self, lane: usize, address: usize, value: &BigUint) {
        match &mut self.contents {
            Contents::Fixed(words) => words.set(address, value),
            Contents::Planes(words) => words.set(lane, address, value),
            Contents::Numbers(words) => words.set(lane, address, value),
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

    /// The clock edge: reads and then writes in these lanes, as the slots of the
    /// pins say. The vectors of the frame are as long as the memory's.
    #[inline(always)]
    pub fn edge<V: Vector<W>, const W: usize>(
        &mut self,
        plan: &MemoryPlan,
        frame: &mut [[u64; W]],
        present: V,
    ) -> Edge {
        let lanes_of = |slot: u32, frame: &[[u64; W]]| {
            let lanes = present.load(&frame[slot as usize]);
            lanes.and(present)
        };
        let wanted = plan
            .read_enable
            .map_or(present, |slot| lanes_of(slot, frame));
        let mut changed = false;
        if !wanted.is_zero() {
            let moved = self.moved(rows(frame, plan.read_address), wanted);
            changed = !moved.is_zero() && self.read(rows_mut(frame, plan.read_data), moved);
        }
        let mut wrote = false;
        if let Some(write) = &plan.write {
            let active = lanes_of(write.enable, frame);
            wrote = !active.is_zero();
            if wrote {
                self.write(write, frame, active);
                // The word read may be one of those just written.
                let again = &mut self.again.as_chunks_mut::<W>().0[0];
                active.load(again).or(active).store(again);
            }
        }
        Edge { changed, wrote }
    }

    /// The lanes, of those that want a word, that read another one than they did
    /// last, or one that may have changed since.
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

    /// Whether what was read differs from what had been read before.
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
            Contents::Numbers(words) => words.write(address, lanes, data),
        }
    }
}

/// Puts what was read in these lanes in the place of what was there; the change.
#[inline(always)]
fn replace<V: Vector<W>, const W: usize>(old: &mut [u64; W], new: V, lanes: V) -> V {
    let before = new.load(old);
    let change = before.xor(new).and(lanes);
    before.xor(change).store(old);
    change
}

/// The same of several bits; what has changed in any.
#[inline(always)]
fn replace_all<V: Vector<W>, const W: usize>(old: &mut [[u64; W]], new: &[V], lanes: V) -> V {
    let mut changed = lanes.splat(0);
    for (old, new) in old.iter_mut().zip(new) {
        changed = changed.or(replace(old, *new, lanes));
    }
    changed
}

fn rows<const W: usize>(frame: &[[u64; W]], slots: Slots) -> &[[u64; W]] {
    &frame[slots.range()]
}

fn rows_mut<const W: usize>(frame: &mut [[u64; W]], slots: Slots) -> &mut [[u64; W]] {
    &mut frame[slots.range()]
}
