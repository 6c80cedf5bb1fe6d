//! Measures the activity of each gate, so that the code can be adapted to it.

use super::blackboard::Time;
use super::busy::Pairs;
use super::frame::Frame;
use super::gates::Gates;
use super::jit::{Simd, Vector, Work};

/// Activity of each instruction, sampled on one chunk of lanes in pairs of clock cycles. An
/// instruction is active if an operand changed in some lane.
///
/// A sample computes the values of all instructions one after the other. A sample takes longer than
/// a clock cycle, but samples are rare.
#[derive(Debug)]
pub struct Activity {
    /// Values at the last sample, by slot and then by instruction.
    values: Vec<u64>,
    /// For each value, whether it differed between the last two samples.
    changed: Vec<bool>,
    /// By instruction.
    busy: Vec<Pairs>,
    looks: u32,
    /// Clock cycle of the first sample.
    since: Time,
    /// Distance between pairs in clock cycles.
    apart: u64,
}

impl Activity {
    /// Creates a measurement that starts at clock cycle `since`. Pairs are `apart` clock cycles
    /// apart, at least 2.
    pub fn new(gates: &Gates, width: usize, since: Time, apart: u64) -> Self {
        let values = gates.slots as usize + gates.gates.len();
        Activity {
            values: vec![0; values * width],
            changed: vec![false; values],
            busy: vec![0; gates.gates.len()],
            looks: 0,
            since,
            apart,
        }
    }

    /// Returns the duration of a measurement in clock cycles.
    pub fn span(apart: u64) -> u64 {
        u64::from(Pairs::BITS) * apart
    }

    /// Samples a chunk before a clock edge if a sample is due.
    pub fn look(&mut self, gates: &Gates, frame: &mut Frame, simd: Simd, time: Time) {
        if (time - self.since) % self.apart < 2 && self.looks < 2 * Pairs::BITS {
            let activity = self;
            simd.run(Look {
                activity,
                gates,
                frame,
            });
        }
    }

    /// Returns the activity of each instruction.
    pub fn all(&self) -> &[Pairs] {
        &self.busy
    }
}

/// Implementation of [`Activity::look`] on vectors.
struct Look<'a> {
    activity: &'a mut Activity,
    gates: &'a Gates,
    frame: &'a mut Frame,
}

impl Work for Look<'_> {
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
        if activity.looks % 2 == 1 {
            let changed = &activity.changed;
            for (busy, gate) in activity.busy.iter_mut().zip(&gates.gates) {
                let any = gate.args().iter().any(|arg| changed[*arg as usize]);
                *busy |= Pairs::from(any) << (activity.looks / 2);
            }
        }
        activity.looks += 1;
    }
}
