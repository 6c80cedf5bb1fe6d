//! Measures how busy each gate of a machine is, so that its code can be made to suit.

use super::blackboard::Time;
use super::busy::Pairs;
use super::frame::Frame;
use super::gates::Gates;
use super::jit::{Simd, Vector, Work};

/// Which instructions have something to do, found by a look at a chunk of lanes in
/// some pairs of clock cycles: those of which an operand has changed in some lane.
///
/// The values of all instructions are computed for that one after the other, which
/// takes longer than a clock cycle does but is done rarely.
#[derive(Debug)]
pub struct Activity {
    /// By slot and then by instruction, as they were at the last look.
    values: Vec<u64>,
    /// Which of them were other ones at the look before that.
    changed: Vec<bool>,
    /// By instruction.
    busy: Vec<Pairs>,
    looks: u32,
    /// The clock cycle of the first look.
    since: Time,
    /// From one pair to the next, in clock cycles.
    apart: u64,
}

impl Activity {
    /// To be found out from a clock cycle on. Pairs are so many clock cycles apart, two at
    /// least.
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

    /// For how long the chunk is looked at, in clock cycles.
    pub fn span(apart: u64) -> u64 {
        u64::from(Pairs::BITS) * apart
    }

    /// Looks at a chunk before a clock edge, if it is time to.
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

    /// When each instruction had something to do.
    pub fn all(&self) -> &[Pairs] {
        &self.busy
    }
}

/// [`Activity::look`] on vectors.
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
        // The second of a pair.
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
