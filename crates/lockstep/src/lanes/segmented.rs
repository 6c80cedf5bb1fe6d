//! Code that skips idle segments, and the readers that each change marks.

use super::activity_bits::ActivityBits;
use super::engine::LaneEngine;
use super::jit::{compile_segments, Isa, MachineCode};
use super::segments::{memory_bit, weight, Flag, Mask, Segments, PUBLISHED};
use super::LanesError;
use std::sync::Arc;

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
        let mut segments = Segments::new(gates, others, activity, isa != Isa::Avx2);
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
