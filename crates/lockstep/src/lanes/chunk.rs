//! One chunk of lanes: its frame, its memories, and its part of every clock cycle.

use super::activity::{ActivityBits, GateActivity};
use super::engine::{FrameProgram, LaneEngine};
use super::frame::ChunkFrame;
use super::jit::{compile_segments, MachineCode, Vector, Work};
use super::links::{Blackboard, ClockCycle};
use super::memory::ChunkMemory;
use super::parts::{PartTimes, Stopwatch};
use super::plan::ProbeBit;
use super::segments::{memory_bit, weight, Flag, Mask, Segments, PUBLISHED};
use super::wiring::InputBit;
use super::LanesError;
use std::ops::Range;
use std::sync::Arc;

/// Lanes that are computed together, with all their state.
#[derive(Debug)]
pub struct Chunk {
    number: usize,
    pub frame: ChunkFrame,
    memories: Vec<ChunkMemory>,
    /// Code that skips idle segments, if available.
    segmented: Option<Arc<SegmentedCode>>,
    /// Running activity measurement, if any.
    activity: Option<Box<GateActivity>>,
    /// Broadcast bits published by the frame.
    broadcasts: Vec<u64>,
    /// Published values, one published bit after the other, for even and for odd clock cycles.
    published: [Vec<u64>; 2],
    /// Last clock cycle in which the published bits must be updated. A change affects both sides.
    publish_until: ClockCycle,
    /// Segments to compute in the next clock cycle.
    marked: Mask,
    skip_policy: SkipPolicy,
    /// Times of the parts of its clock cycles, while they are measured.
    pub times: Option<Box<PartTimes>>,
}

impl Chunk {
    /// Creates a chunk with all inputs zero and its state reset.
    pub fn new(engine: &LaneEngine, segmented: Option<Arc<SegmentedCode>>, number: usize) -> Self {
        let plan = &engine.plan;
        let memories = plan.memories.iter().map(|m| ChunkMemory::new(m, engine.width));
        let mut chunk = Chunk {
            number,
            frame: ChunkFrame::new(engine.vectors(), engine.width),
            memories: memories.collect(),
            segmented: None,
            activity: None,
            broadcasts: vec![0; plan.broadcasts.len().div_ceil(64)],
            published: [(); 2].map(|_| vec![0; plan.published.len() * engine.width]),
            publish_until: 0,
            marked: Mask::MAX,
            skip_policy: SkipPolicy::default(),
            times: None,
        };
        for bit in plan.inputs.iter().flatten() {
            if let InputBit::LaneNumber { slot, bit } = *bit {
                chunk.number_lanes(slot, bit);
            }
        }
        chunk.reset(engine);
        chunk.install_code(segmented);
        chunk
    }

    /// Installs other code with the same function.
    pub fn install_code(&mut self, segmented: Option<Arc<SegmentedCode>>) {
        if let Some(segmented) = &segmented {
            self.frame.grow(segmented.code.vectors());
        }
        self.segmented = segmented;
        self.marked = Mask::MAX;
        self.skip_policy = SkipPolicy::default();
    }

    /// Starts an activity measurement with samples `apart` clock cycles apart.
    pub fn start_activity_measurement(
        &mut self,
        engine: &LaneEngine,
        apart: u64,
        time: ClockCycle,
    ) {
        let gates = engine.gates.as_ref();
        let activity = gates.map(|gates| GateActivity::new(gates, engine.width, time, apart));
        self.activity = activity.map(Box::new);
    }

    /// Ends the activity measurement and returns it.
    pub fn end_activity_measurement(&mut self) -> Option<Box<GateActivity>> {
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
    pub fn reset(&mut self, engine: &LaneEngine) {
        for &(_, slot) in &engine.plan.step {
            self.frame.vector_mut(slot).fill(0);
        }
        for (words, plan) in self.memories.iter_mut().zip(&engine.plan.memories) {
            for slot in plan.read_data.iter() {
                self.frame.vector_mut(slot).fill(0);
            }
            words.reset(plan);
        }
        for &slot in &engine.plan.ones {
            self.frame.vector_mut(slot).fill(u64::MAX);
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

    pub fn memory(&self, memory: usize) -> &ChunkMemory {
        &self.memories[memory]
    }

    /// Returns a memory for writing and marks it.
    pub fn memory_mut(&mut self, memory: usize) -> &mut ChunkMemory {
        self.marked |= memory_bit(memory);
        &mut self.memories[memory]
    }

    /// Shows a word that the host has changed in these lanes, if the read port is asynchronous.
    pub fn show_word(&mut self, engine: &LaneEngine, memory: usize, lanes: Range<usize>) {
        let plan = &engine.plan.memories[memory];
        if plan.asynchronous.is_none() {
            return;
        }
        for lane in lanes {
            let words = &self.memories[memory];
            let word = words.get(lane, words.last_address(lane, engine.width));
            for (bit, slot) in (0..).zip(plan.read_data.iter()) {
                self.set_bit(slot, lane, word.bit(bit));
            }
        }
    }

    /// Sets a bit in one lane and marks its readers.
    pub fn set_bit(&mut self, slot: u32, lane: usize, value: bool) {
        let word = &mut self.input(slot)[lane / 64];
        *word &= !(1 << (lane % 64));
        *word |= u64::from(value) << (lane % 64);
    }

    /// Copies changed broadcast bits into the frame.
    pub fn refresh(&mut self, engine: &LaneEngine, blackboard: &Blackboard, time: ClockCycle) {
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
    pub fn update_published(&mut self, engine: &LaneEngine, time: ClockCycle) -> bool {
        if self.marked & PUBLISHED != 0 {
            self.marked ^= PUBLISHED;
            self.publish_until = time + 1;
            engine.publish.run(&mut self.frame);
        }
        time <= self.publish_until
    }

    /// Publishes the values of a clock cycle for the other lanes.
    pub fn publish(&mut self, engine: &LaneEngine, blackboard: &Blackboard, time: ClockCycle) {
        if !self.update_published(engine, time) {
            return;
        }
        let chunk = self;
        engine.simd.run(Publish { chunk, engine, blackboard, time });
    }

    /// Reads the values that other lanes publish in a clock cycle.
    pub fn exchange(&mut self, engine: &LaneEngine, blackboard: &Blackboard, time: ClockCycle) {
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
    pub fn step(&mut self, engine: &LaneEngine, time: ClockCycle) {
        if let (Some(activity), Some(gates)) = (&mut self.activity, &engine.gates) {
            activity.sample(gates, &mut self.frame, engine.simd, time);
        }
        // `segmented` is taken out because it is read while `self` is borrowed mutably.
        let segmented = self.segmented.take();
        match &segmented {
            Some(segmented) if self.skip_policy.should_skip() => {
                self.step_marked(engine, segmented)
            }
            _ => {
                let watch = Stopwatch::start(&self.times);
                engine.step.run(&mut self.frame);
                watch.add_gates(&mut self.times, engine.gates.as_ref().map_or(0, weight));
                self.edge(engine, segmented.as_deref(), Mask::MAX);
                self.marked = Mask::MAX;
            }
        }
        self.segmented = segmented;
    }

    fn step_marked(&mut self, engine: &LaneEngine, segmented: &SegmentedCode) {
        let mut masks = [self.marked | segmented.memories, 0];
        let watch = Stopwatch::start(&self.times);
        if self.marked != 0 || segmented.always != 0 {
            segmented.code.run(&mut self.frame, &mut masks);
        }
        let [done, next] = masks;
        let work = self.skip_policy.record_cycle(done, segmented);
        watch.add_gates(&mut self.times, work);
        self.marked = next | self.edge(engine, Some(segmented), done);
    }

    /// Performs the clock edge of the memories in `done`. Returns the segments to compute in the
    /// next clock cycle.
    fn edge(&mut self, engine: &LaneEngine, segmented: Option<&SegmentedCode>, done: Mask) -> Mask {
        let chunk = self;
        engine.simd.run(MemoryEdges { chunk, engine, segmented, done })
    }

    /// Returns true if a condition holds in some lane.
    pub fn holds(&mut self, engine: &LaneEngine, condition: &FrameProgram) -> bool {
        self.frame.grow(condition.vectors());
        condition.run(&mut self.frame);
        let first = self.number * engine.width;
        let vector = self.frame.vector(engine.plan.stop_slot).iter().enumerate();
        vector.fold(0, |any, (i, word)| any | word & engine.present(first + i)) != 0
    }
}

/// Implementation of [`Chunk::publish`] on vectors.
struct Publish<'a> {
    chunk: &'a mut Chunk,
    engine: &'a LaneEngine,
    blackboard: &'a Blackboard,
    time: ClockCycle,
}

impl Work for Publish<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Vector<W>, const W: usize>(self, zero: V) {
        let (chunk, blackboard, time) = (self.chunk, self.blackboard, self.time);
        let frame = chunk.frame.words_mut().as_chunks::<W>().0;
        let [even, odd] = &mut chunk.published;
        let (now, before) = match time % 2 {
            0 => (even, odd),
            _ => (odd, even),
        };
        let both = now.as_chunks_mut::<W>().0.iter_mut().zip(before.as_chunks::<W>().0);
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
struct MemoryEdges<'a> {
    chunk: &'a mut Chunk,
    engine: &'a LaneEngine,
    segmented: Option<&'a SegmentedCode>,
    done: Mask,
}

impl Work for MemoryEdges<'_> {
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
            let watch = Stopwatch::start(&chunk.times);
            let edge = words.edge(plan, frame, present);
            watch.add_memory(&mut chunk.times, i);
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

/// Clock cycle that computes only the segments whose operands have changed.
#[derive(Debug)]
pub struct SegmentedCode {
    pub code: MachineCode,
    /// Readers of each slot of the plan: segments, and [`PUBLISHED`] for published values.
    readers: Vec<Mask>,
    /// Segments to mark when a memory's read data changes.
    memory_readers: Vec<Mask>,
    /// Memories that are never skipped.
    pub memories: Mask,
    /// By segment.
    pub weights: Vec<u32>,
    /// Weight of the instructions that are always computed.
    pub always: u32,
    /// Weight of computing all instructions.
    pub all: u32,
}

impl SegmentedCode {
    /// Compiles the code. Returns `None` if the backend makes no machine code. If the activity of
    /// the instructions is known, it determines which ones are never skipped.
    ///
    /// # Errors
    /// If memory for the code cannot be allocated.
    pub fn new(
        engine: &LaneEngine,
        activity: Option<&[ActivityBits]>,
    ) -> Result<Option<Arc<Self>>, LanesError> {
        let (Some(isa), Some(gates)) = (engine.backend.isa(engine.width), &engine.gates) else {
            return Ok(None);
        };
        let plan = &engine.plan;
        let mut marks = vec![Flag::default(); plan.slots as usize];
        for (i, memory) in plan.memories.iter().enumerate() {
            for slot in memory.pins() {
                marks[slot as usize].now = memory_bit(i);
            }
        }
        let shown = plan.published_slots();
        for &slot in &shown {
            marks[slot as usize].next = PUBLISHED;
        }
        let others = |slot: u32| marks[slot as usize];
        let mut segments = Segments::new(gates, others, activity, isa.gate_set());
        for &slot in &shown {
            segments.readers[slot as usize] |= PUBLISHED;
        }
        debug_assert!(segments.slots <= engine.slots);
        let memory_readers = plan.memories.iter().map(|memory| {
            let readers = segments.readers[memory.read_data.range()].iter();
            readers.fold(0, |all, readers| all | readers)
        });
        Ok(Some(Arc::new(SegmentedCode {
            code: compile_segments(&segments, isa)?,
            memory_readers: memory_readers.collect(),
            readers: segments.readers,
            memories: segments.memories,
            weights: segments.weights,
            always: segments.always,
            all: weight(gates),
        })))
    }

    /// Returns the readers of a slot of the plan.
    pub fn readers(&self, slot: u32) -> Mask {
        self.readers[slot as usize]
    }

    /// Returns the segments to mark when a memory's read data changes.
    pub fn memory_readers(&self, memory: usize) -> Mask {
        self.memory_readers[memory]
    }
}

// Decides for a chunk whether skipping idle segments pays off.

/// Number of clock cycles between decisions.
const DECISION_CYCLES: u32 = 16;

/// Number of periods without skipping before it is tried again.
const RETRY_PERIODS: u32 = 8;

/// Choice between skipping idle segments and computing all of them. The code that computes all is
/// shorter because it does not detect changes. Results are the same.
#[derive(Clone, Debug, Default)]
pub struct SkipPolicy {
    /// Remaining clock cycles in which everything is computed.
    all_left: u32,
    cycles: u32,
    /// Work done in these clock cycles, in instructions.
    work: u64,
}

impl SkipPolicy {
    pub fn should_skip(&mut self) -> bool {
        match self.all_left {
            0 => true,
            _ => {
                self.all_left -= 1;
                false
            }
        }
    }

    /// Records which segments were computed in a clock cycle. Returns the number of their
    /// instructions.
    pub fn record_cycle(&mut self, done: Mask, segmented: &SegmentedCode) -> u32 {
        let weights = &segmented.weights;
        let mut work = segmented.always;
        let mut left = done;
        while left != 0 {
            let segment = left.trailing_zeros() as usize;
            left &= left - 1;
            // Bits of memories have no weight.
            work += weights.get(segment).copied().unwrap_or(0);
        }
        self.work += u64::from(work);
        self.cycles += 1;
        if self.cycles == DECISION_CYCLES {
            if self.work > u64::from(DECISION_CYCLES) * u64::from(segmented.all) {
                self.all_left = RETRY_PERIODS * DECISION_CYCLES;
            }
            (self.cycles, self.work) = (0, 0);
        }
        work
    }
}
