//! One chunk of lanes: its frame, its memories, and its part of every clock cycle.

use super::activity::Activity;
use super::blackboard::{Blackboard, Time};
use super::engine::Engine;
use super::frame::Frame;
use super::jit::{Vector, Work};
use super::memory::Words;
use super::pace::Pace;
use super::plan::ProbeBit;
use super::program::Program;
use super::segmented::Segmented;
use super::segments::{memory_bit, Mask, SHOWN};
use super::sources::InputBit;
use std::sync::Arc;

/// Lanes that are computed together, with all their state.
#[derive(Debug)]
pub struct Chunk {
    number: usize,
    pub frame: Frame,
    memories: Vec<Words>,
    /// Code that skips idle segments, if available.
    segmented: Option<Arc<Segmented>>,
    /// Running activity measurement, if any.
    activity: Option<Box<Activity>>,
    /// Broadcast bits shown by the frame.
    broadcasts: Vec<u64>,
    /// Published values, one published bit after the other, for even and for odd clock cycles.
    shown: [Vec<u64>; 2],
    /// Last clock cycle in which `shown` must be updated. A change affects both sides.
    show_until: Time,
    /// Segments to compute in the next clock cycle.
    marked: Mask,
    pace: Pace,
}

impl Chunk {
    /// Creates a chunk with all inputs zero and its state reset.
    pub fn new(engine: &Engine, segmented: Option<Arc<Segmented>>, number: usize) -> Self {
        let plan = &engine.plan;
        let memories = plan.memories.iter().map(|m| Words::new(m, engine.width));
        let mut chunk = Chunk {
            number,
            frame: Frame::new(engine.vectors(), engine.width),
            memories: memories.collect(),
            segmented: None,
            activity: None,
            broadcasts: vec![0; plan.broadcasts.len().div_ceil(64)],
            shown: [(); 2].map(|_| vec![0; plan.published.len() * engine.width]),
            show_until: 0,
            marked: Mask::MAX,
            pace: Pace::default(),
        };
        for bit in plan.inputs.iter().flatten() {
            if let InputBit::LaneNumber { slot, bit } = *bit {
                chunk.number_lanes(slot, bit);
            }
        }
        chunk.reset(engine);
        chunk.adopt(segmented);
        chunk
    }

    /// Installs other code with the same function.
    pub fn adopt(&mut self, segmented: Option<Arc<Segmented>>) {
        if let Some(segmented) = &segmented {
            self.frame.grow(segmented.code.vectors());
        }
        self.segmented = segmented;
        self.marked = Mask::MAX;
        self.pace = Pace::default();
    }

    /// Starts an activity measurement with samples `apart` clock cycles apart.
    pub fn observe(&mut self, engine: &Engine, apart: u64, time: Time) {
        let gates = engine.gates.as_ref();
        let activity = gates.map(|gates| Activity::new(gates, engine.width, time, apart));
        self.activity = activity.map(Box::new);
    }

    /// Ends the activity measurement and returns it.
    pub fn observed(&mut self) -> Option<Box<Activity>> {
        self.activity.take()
    }

    /// Returns the segments that read a slot of the plan.
    fn readers(&self, slot: u32) -> Mask {
        let segmented = self.segmented.as_ref();
        segmented.map_or(Mask::MAX, |s| s.readers(slot))
    }

    fn number_lanes(&mut self, slot: u32, bit: u32) {
        let vector = self.frame.vector_mut(slot);
        let first = 64 * vector.len() * self.number;
        for (i, word) in vector.iter_mut().enumerate() {
            let lane = |j: usize| first + 64 * i + j;
            let is_set = |j: &usize| lane(*j).checked_shr(bit).unwrap_or(0) & 1 == 1;
            *word = (0..64).filter(is_set).map(|j| 1 << j).sum();
        }
    }

    /// Sets registers and memories to their initial values.
    pub fn reset(&mut self, engine: &Engine) {
        for &(_, slot) in &engine.plan.step {
            self.frame.vector_mut(slot).fill(0);
        }
        for &slot in &engine.plan.ones {
            self.frame.vector_mut(slot).fill(u64::MAX);
        }
        for (words, plan) in self.memories.iter_mut().zip(&engine.plan.memories) {
            for slot in plan.read_data.iter() {
                self.frame.vector_mut(slot).fill(0);
            }
            words.reset(plan);
        }
        self.marked = Mask::MAX;
    }

    /// Returns the vector of an input for writing and marks its readers.
    pub fn input(&mut self, slot: u32) -> &mut [u64] {
        self.marked |= self.readers(slot);
        self.frame.vector_mut(slot)
    }

    /// Returns a bit of a signal in one lane. `word` and `mask` select the lane in the vectors.
    pub fn bit(&self, bit: ProbeBit, word: usize, mask: u64) -> bool {
        match bit {
            ProbeBit::Constant(value) => value,
            ProbeBit::Slot { slot, inverted, .. } => {
                (self.frame.vector(slot)[word] & mask != 0) != inverted
            }
        }
    }

    pub fn memory(&self, memory: usize) -> &Words {
        &self.memories[memory]
    }

    /// Returns a memory for writing and marks it.
    pub fn memory_mut(&mut self, memory: usize) -> &mut Words {
        self.marked |= memory_bit(memory);
        &mut self.memories[memory]
    }

    /// Copies changed broadcast bits into the frame.
    pub fn refresh(&mut self, engine: &Engine, blackboard: &Blackboard, time: Time) {
        for i in 0..self.broadcasts.len() {
            let now = blackboard.broadcast(time, i);
            let mut changed = std::mem::replace(&mut self.broadcasts[i], now) ^ now;
            while changed != 0 {
                let bit = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                let slot = engine.plan.broadcasts[64 * i + bit];
                let value = (now >> bit & 1).wrapping_neg();
                self.frame.vector_mut(slot).fill(value);
                self.marked |= self.readers(slot);
            }
        }
    }

    /// Updates the published values. Returns true if they may differ from those two clock cycles
    /// before.
    pub fn update_shown(&mut self, engine: &Engine, time: Time) -> bool {
        if self.marked & SHOWN != 0 {
            self.marked ^= SHOWN;
            self.show_until = time + 1;
            engine.publish.run(&mut self.frame);
        }
        time <= self.show_until
    }

    /// Publishes the values of a clock cycle for the other lanes.
    pub fn publish(&mut self, engine: &Engine, blackboard: &Blackboard, time: Time) {
        if !self.update_shown(engine, time) {
            return;
        }
        let chunk = self;
        engine.simd.run(Publish {
            chunk,
            engine,
            blackboard,
            time,
        });
    }

    /// Reads the values that other lanes publish in a clock cycle.
    pub fn exchange(&mut self, engine: &Engine, blackboard: &Blackboard, time: Time) {
        if !blackboard.has_any_changed(time) {
            return;
        }
        let first = self.number * engine.width;
        for (i, link) in engine.plan.links.iter().enumerate() {
            if !blackboard.has_changed(time, link.published) {
                continue;
            }
            let routes = engine.routes(i);
            let shown = blackboard.published(time, link.published);
            let mut changed = 0;
            for (w, word) in self.frame.vector_mut(link.slot).iter_mut().enumerate() {
                let now = routes.word(first + w, &shown);
                changed |= std::mem::replace(word, now) ^ now;
            }
            if changed != 0 {
                self.marked |= self.readers(link.slot);
            }
        }
    }

    /// Performs the clock edge.
    pub fn step(&mut self, engine: &Engine, time: Time) {
        if let (Some(activity), Some(gates)) = (&mut self.activity, &engine.gates) {
            activity.look(gates, &mut self.frame, engine.simd, time);
        }
        // `segmented` is taken out because it is read while `self` is borrowed mutably.
        let segmented = self.segmented.take();
        match &segmented {
            Some(segmented) if self.pace.skips() => self.step_marked(engine, segmented),
            _ => {
                engine.step.run(&mut self.frame);
                self.edge(engine, segmented.as_deref(), Mask::MAX);
                self.marked = Mask::MAX;
            }
        }
        self.segmented = segmented;
    }

    fn step_marked(&mut self, engine: &Engine, segmented: &Segmented) {
        let mut masks = [self.marked | segmented.memories, 0];
        if self.marked != 0 || segmented.always != 0 {
            segmented.code.run(&mut self.frame, &mut masks);
        }
        let [done, next] = masks;
        self.pace.count(done, segmented);
        self.marked = next | self.edge(engine, Some(segmented), done);
    }

    /// Performs the clock edge of the memories in `done`. Returns the segments to compute in the
    /// next clock cycle.
    fn edge(&mut self, engine: &Engine, segmented: Option<&Segmented>, done: Mask) -> Mask {
        let chunk = self;
        engine.simd.run(Edges {
            chunk,
            engine,
            segmented,
            done,
        })
    }

    /// Returns true if a condition holds in some lane.
    pub fn holds(&mut self, engine: &Engine, condition: &Program) -> bool {
        self.frame.grow(condition.vectors());
        condition.run(&mut self.frame);
        let first = self.number * engine.width;
        let vector = self.frame.vector(engine.plan.watch).iter().enumerate();
        vector.fold(0, |any, (i, word)| any | word & engine.present(first + i)) != 0
    }
}

/// Implementation of [`Chunk::publish`] on vectors.
struct Publish<'a> {
    chunk: &'a mut Chunk,
    engine: &'a Engine,
    blackboard: &'a Blackboard,
    time: Time,
}

impl Work for Publish<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Vector<W>, const W: usize>(self, zero: V) {
        let (chunk, blackboard, time) = (self.chunk, self.blackboard, self.time);
        let frame = chunk.frame.words_mut().as_chunks::<W>().0;
        let [even, odd] = &mut chunk.shown;
        let (now, before) = match time % 2 {
            0 => (even, odd),
            _ => (odd, even),
        };
        let both = now
            .as_chunks_mut::<W>()
            .0
            .iter_mut()
            .zip(before.as_chunks::<W>().0);
        let published = self.engine.plan.published.iter().zip(both);
        for (number, (&(slot, inverted), (now, before))) in published.enumerate() {
            let flip = zero.splat(if inverted { u64::MAX } else { 0 });
            let vector = zero.load(&frame[slot as usize]).xor(flip);
            let is_stale = !zero.load(now).xor(vector).is_zero();
            if is_stale {
                vector.store(now);
                for (i, word) in now.iter().enumerate() {
                    blackboard.publish(time, number, chunk.number * W + i, *word);
                }
            }
            if is_stale || !zero.load(before).xor(vector).is_zero() {
                blackboard.set_changed(time, number);
            }
        }
    }
}

/// Implementation of [`Chunk::edge`] on vectors.
struct Edges<'a> {
    chunk: &'a mut Chunk,
    engine: &'a Engine,
    segmented: Option<&'a Segmented>,
    done: Mask,
}

impl Work for Edges<'_> {
    type Result = Mask;

    #[inline(always)]
    fn run<V: Vector<W>, const W: usize>(self, zero: V) -> Mask {
        let (chunk, engine) = (self.chunk, self.engine);
        let frame = chunk.frame.words_mut().as_chunks_mut::<W>().0;
        let first = chunk.number * W;
        let present = zero.load(&std::array::from_fn(|i| engine.present(first + i)));
        let mut next = 0;
        let memories = chunk.memories.iter_mut().zip(&engine.plan.memories);
        for (i, (words, plan)) in memories.enumerate() {
            let bit = memory_bit(i);
            if bit != 0 && self.done & bit == 0 {
                continue;
            }
            let edge = words.edge(plan, frame, present);
            if edge.wrote {
                // The next read may need the written word.
                next |= bit;
            }
            if edge.changed {
                next |= self.segmented.map_or(0, |s| s.memory_readers(i));
            }
        }
        next
    }
}
