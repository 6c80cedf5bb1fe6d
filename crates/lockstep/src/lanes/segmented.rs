//! The code that skips segments, and who wakes which of them.

use super::busy::Pairs;
use super::engine::Engine;
use super::jit::{compile_segments, Code, Isa};
use super::segments::{memory_bit, weight, Flag, Mask, Segments, SHOWN};
use super::LanesError;
use std::sync::Arc;

/// A clock cycle that is computed as far as something has changed.
#[derive(Debug)]
pub struct Segmented {
    pub code: Code,
    /// Who asks for each slot of the plan: segments, and whoever sees what is shown.
    readers: Vec<Mask>,
    /// What is marked if a memory has read something else.
    memory_readers: Vec<Mask>,
    /// Memories that are never skipped.
    pub memories: Mask,
    /// By segment.
    pub weights: Vec<u32>,
    /// Of what is always done.
    pub always: u32,
    /// The weight of computing all at once.
    pub all: u32,
}

impl Segmented {
    /// Absent if the backend makes no code. What is known of the activity of the
    /// instructions, if anything, says which are never skipped.
    ///
    /// # Errors
    /// If there is no memory for the code.
    pub fn new(
        engine: &Engine,
        activity: Option<&[Pairs]>,
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
        let shown = plan.shown();
        for &slot in &shown {
            marks[slot as usize].next = SHOWN;
        }
        let others = |slot: u32| marks[slot as usize];
        let mut segments = Segments::new(gates, others, activity, isa != Isa::Avx2);
        for &slot in &shown {
            segments.readers[slot as usize] |= SHOWN;
        }
        debug_assert!(segments.slots <= engine.slots);
        let memory_readers = plan.memories.iter().map(|memory| {
            let readers = segments.readers[memory.read_data.range()].iter();
            readers.fold(0, |all, readers| all | readers)
        });
        Ok(Some(Arc::new(Segmented {
            code: compile_segments(&segments, isa)?,
            memory_readers: memory_readers.collect(),
            readers: segments.readers,
            memories: segments.memories,
            weights: segments.weights,
            always: segments.always,
            all: weight(gates),
        })))
    }

    /// Who asks for a slot of the plan.
    pub fn readers(&self, slot: u32) -> Mask {
        self.readers[slot as usize]
    }

    /// What is marked if a memory has read something else.
    pub fn memory_readers(&self, memory: usize) -> Mask {
        self.memory_readers[memory]
    }
}
