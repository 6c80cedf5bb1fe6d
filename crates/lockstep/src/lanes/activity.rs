//! Measures the activity of each gate, so that the code can be adapted to it.

use super::chunk::{Chunk, SegmentedCode};
use super::engine::LaneEngine;
use super::frame::ChunkFrame;
use super::gates::GateList;
use super::jit::{Simd, Vector, Work};
use super::links::ClockCycle;

/// Activity of each instruction, sampled on one chunk of lanes in pairs of clock cycles. An
/// instruction is active if an operand changed in some lane.
///
/// A sample computes the values of all instructions one after the other. A sample takes longer than
/// a clock cycle, but samples are rare.
#[derive(Debug)]
pub struct GateActivity {
    /// Values at the last sample, by slot and then by instruction.
    values: Vec<u64>,
    /// For each value, whether it differed between the last two samples.
    changed: Vec<bool>,
    /// By instruction.
    busy: Vec<ActivityBits>,
    samples: u32,
    /// Clock cycle of the first sample.
    since: ClockCycle,
    /// Distance between pairs in clock cycles.
    apart: u64,
}

impl GateActivity {
    /// Creates a measurement that starts at clock cycle `since`. Pairs are `apart` clock cycles
    /// apart, at least 2.
    pub fn new(gates: &GateList, width: usize, since: ClockCycle, apart: u64) -> Self {
        let values = gates.slots as usize + gates.gates.len();
        GateActivity {
            values: vec![0; values * width],
            changed: vec![false; values],
            busy: vec![0; gates.gates.len()],
            samples: 0,
            since,
            apart,
        }
    }

    /// Returns the duration of a measurement in clock cycles.
    pub fn span(apart: u64) -> u64 {
        u64::from(ActivityBits::BITS) * apart
    }

    /// Samples a chunk before a clock edge if a sample is due.
    pub fn sample(
        &mut self,
        gates: &GateList,
        frame: &mut ChunkFrame,
        simd: Simd,
        time: ClockCycle,
    ) {
        if (time - self.since) % self.apart < 2 && self.samples < 2 * ActivityBits::BITS {
            let activity = self;
            simd.run(ActivitySample { activity, gates, frame });
        }
    }

    /// Returns the activity of each instruction.
    pub fn all(&self) -> &[ActivityBits] {
        &self.busy
    }
}

/// Implementation of [`GateActivity::sample`] on vectors.
struct ActivitySample<'a> {
    activity: &'a mut GateActivity,
    gates: &'a GateList,
    frame: &'a mut ChunkFrame,
}

impl Work for ActivitySample<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Vector<W>, const W: usize>(self, zero: V) {
        let (activity, gates) = (self.activity, self.gates);
        let values = activity.values.as_chunks_mut::<W>().0;
        let slots = &self.frame.words_mut().as_chunks::<W>().0[..gates.slots as usize];
        for (slot, now) in slots.iter().enumerate() {
            activity.changed[slot] = values[slot] != *now;
            values[slot] = *now;
        }
        for (value, gate) in (slots.len()..).zip(&gates.gates) {
            let mut args = [zero; 3];
            for (vector, arg) in args.iter_mut().zip(gate.args()) {
                *vector = zero.load(&values[*arg as usize]);
            }
            let now = gate.op.apply(args);
            activity.changed[value] = !now.xor(zero.load(&values[value])).is_zero();
            now.store(&mut values[value]);
        }
        // Only the second sample of a pair sees a change from one clock cycle to the next.
        if activity.samples % 2 == 1 {
            let changed = &activity.changed;
            for (busy, gate) in activity.busy.iter_mut().zip(&gates.gates) {
                let any = gate.args().iter().any(|arg| changed[*arg as usize]);
                *busy |= ActivityBits::from(any) << (activity.samples / 2);
            }
        }
        activity.samples += 1;
    }
}

// Observed activity of an instruction, used to partition the gates into segments.

/// Sampled pairs of clock cycles, one bit each. A bit is set if the instruction was active.
pub type ActivityBits = u64;

/// Returns the fraction of active pairs, from 0 to 1. The result is never 0 because an idle
/// instruction may become active later.
pub fn active_share(busy: ActivityBits) -> f32 {
    (busy.count_ones() as f32 + 0.5) / (ActivityBits::BITS as f32 + 0.5)
}

/// Schedule of activity measurements, each followed by new code that suits the activity.
///
/// The first chunk of lanes is measured for a while. Its activity is assumed for all chunks. A
/// machine that runs long is measured again at growing intervals because its activity may change.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Clock cycle of the next action.
    next: ClockCycle,
    observing: bool,
    /// Clock cycles between samples.
    sample_distance: u64,
}

/// Largest number of clock cycles between samples.
const MAX_SAMPLE_DISTANCE: u64 = 251;

/// Factor from the end of a measurement to the start of the next one, in clock cycles since the
/// creation of the machine.
const REMEASURE_FACTOR: u64 = 4;

impl Tuning {
    /// Schedules the first measurement after this many clock cycles.
    pub fn new(after: u64) -> Self {
        Tuning {
            next: after.max(1),
            observing: false,
            // The measurement takes as long as the machine ran before, within limits.
            sample_distance: (after / u64::from(ActivityBits::BITS)).clamp(2, MAX_SAMPLE_DISTANCE),
        }
    }

    /// Returns the number of clock cycles until the next action.
    pub fn left(&self, time: ClockCycle) -> u64 {
        (self.next - time).max(1)
    }

    /// Performs the action that is due, if any.
    pub fn tune(&mut self, engine: &LaneEngine, chunks: &mut [Chunk], time: ClockCycle) {
        if time < self.next {
            return;
        }
        self.observing ^= true;
        if self.observing {
            self.next = time + GateActivity::span(self.sample_distance);
            return chunks[0].start_activity_measurement(engine, self.sample_distance, time);
        }
        self.next = time.saturating_mul(REMEASURE_FACTOR);
        let Some(activity) = chunks[0].end_activity_measurement() else {
            return;
        };
        // If memory for new code is not available, the old code remains valid.
        if let Ok(segmented) = SegmentedCode::new(engine, Some(activity.all())) {
            for chunk in chunks {
                chunk.install_code(segmented.clone());
            }
        }
    }
}
