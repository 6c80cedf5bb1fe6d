//! Measures what the time of a clock cycle is spent on.

use super::machine::LaneMachine;
use super::plan::MemoryWords;
use std::time::{Duration, Instant};

/// Times of the parts of a clock cycle, summed over clock cycles and chunks of lanes.
#[derive(Clone, Debug, Default)]
pub struct CycleParts {
    /// Number of clock cycles.
    pub clock_cycles: u64,
    /// Number of chunks of lanes.
    pub chunks: usize,
    /// Number of lanes that an instruction computes.
    pub chunk_lanes: usize,
    /// Time of everything, without that of the measurement itself. Links, helper and marks of
    /// changes take what is not in the parts below.
    pub all: Duration,
    /// Time of the gates, including loads and stores of registers.
    pub gates: Duration,
    /// Number of gates and stored bits that were computed.
    pub instructions: u64,
    /// Name and time of each memory. Memories that are accessed together have one time.
    pub memories: Vec<(String, Duration)>,
}

impl LaneMachine {
    /// Runs this many clock cycles in the calling thread and measures the parts of them.
    pub fn measure_parts(&mut self, clock_cycles: u64) -> CycleParts {
        let memories = self.memory_names();
        for chunk in &mut self.chunks {
            chunk.times = Some(Box::new(PartTimes::new(memories.len())));
        }
        let start = Instant::now();
        self.clock_alone(clock_cycles);
        let mut parts = CycleParts {
            clock_cycles,
            chunks: self.chunks.len(),
            chunk_lanes: 64 * self.engine.width,
            all: start.elapsed(),
            memories: memories.into_iter().map(|name| (name, Duration::ZERO)).collect(),
            ..CycleParts::default()
        };
        let empty = empty_measurement();
        for chunk in &mut self.chunks {
            let Some(times) = chunk.times.take() else {
                continue;
            };
            parts.instructions += times.instructions;
            let mut add = |sum: &mut Duration, part: PartTime| {
                *sum += part.time.saturating_sub(empty * part.measurements);
                // A measurement lasts about as long again outside of the measured time.
                parts.all = parts.all.saturating_sub(2 * empty * part.measurements);
            };
            add(&mut parts.gates, times.gates);
            for (sum, part) in parts.memories.iter_mut().zip(times.memories) {
                add(&mut sum.1, part);
            }
        }
        parts
    }

    /// Returns the names of the memories of the netlist in each memory of the plan.
    fn memory_names(&self) -> Vec<String> {
        let plan = &self.engine.plan;
        let mut names = vec![String::new(); plan.memories.len()];
        for (memory, place) in self.netlist.memories.iter().zip(&plan.memory_places) {
            if let MemoryWords::Memory(place) = place {
                let name = &mut names[place.memory];
                if name.is_empty() {
                    *name = memory.name.clone();
                }
            }
        }
        names
    }
}

/// Returns the shortest time of a measurement of nothing.
fn empty_measurement() -> Duration {
    let empty = (0..1_000).map(|_| Instant::now().elapsed());
    empty.min().unwrap_or_default()
}

/// Measured time of one part.
#[derive(Clone, Copy, Debug, Default)]
struct PartTime {
    time: Duration,
    measurements: u32,
}

/// Times of the parts of a chunk's clock cycles.
#[derive(Debug)]
pub struct PartTimes {
    gates: PartTime,
    instructions: u64,
    memories: Vec<PartTime>,
}

impl PartTimes {
    fn new(memories: usize) -> Self {
        PartTimes {
            gates: PartTime::default(),
            instructions: 0,
            memories: vec![PartTime::default(); memories],
        }
    }
}

/// Measures one part, if the parts are measured.
pub struct Stopwatch(Option<Instant>);

impl Stopwatch {
    #[inline(always)]
    pub fn start(times: &Option<Box<PartTimes>>) -> Self {
        Stopwatch(times.is_some().then(Instant::now))
    }

    /// Adds the time of the gates of a clock cycle, and the number of their instructions.
    #[inline(always)]
    pub fn add_gates(self, times: &mut Option<Box<PartTimes>>, instructions: u32) {
        if let (Some(start), Some(times)) = (self.0, times) {
            times.instructions += u64::from(instructions);
            times.gates.add(start);
        }
    }

    #[inline(always)]
    pub fn add_memory(self, times: &mut Option<Box<PartTimes>>, memory: usize) {
        if let (Some(start), Some(times)) = (self.0, times) {
            times.memories[memory].add(start);
        }
    }
}

impl PartTime {
    fn add(&mut self, start: Instant) {
        self.time += start.elapsed();
        self.measurements += 1;
    }
}
