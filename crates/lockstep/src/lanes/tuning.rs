//! When a running machine is observed and gets new code.

use super::activity::Activity;
use super::blackboard::Time;
use super::busy::Pairs;
use super::chunk::Chunk;
use super::engine::Engine;
use super::segmented::Segmented;

/// When code is made anew, to suit what the lanes are busy with.
///
/// The first chunk of lanes is observed for a while, and what was found out is taken to
/// hold for all. A machine that runs long is observed again, ever more rarely, for it
/// may have come to do something else.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// When that is due which comes next.
    next: Time,
    observing: bool,
    /// Clock cycles from one look to the next.
    apart: u64,
}

/// Clock cycles from one look to the next, at most.
const APART: u64 = 251;

/// How much later the next time is than the one before.
const LATER: u64 = 4;

impl Tuning {
    /// After so many clock cycles for the first time.
    pub fn new(after: u64) -> Self {
        Tuning {
            next: after.max(1),
            observing: false,
            // So long as the machine ran before, but for short ones.
            apart: (after / u64::from(Pairs::BITS)).clamp(2, APART),
        }
    }

    /// Clock cycles until something is due.
    pub fn left(&self, time: Time) -> u64 {
        (self.next - time).max(1)
    }

    /// Does what is due.
    pub fn tune(&mut self, engine: &Engine, chunks: &mut [Chunk], time: Time) {
        if time < self.next {
            return;
        }
        self.observing ^= true;
        if self.observing {
            self.next = time + Activity::span(self.apart);
            return chunks[0].observe(engine, self.apart, time);
        }
        self.next = time.saturating_mul(LATER);
        let Some(activity) = chunks[0].observed() else {
            return;
        };
        // Without memory for new code, the old one does it too.
        if let Ok(segmented) = Segmented::new(engine, Some(activity.all())) {
            for chunk in chunks {
                chunk.adopt(segmented.clone());
            }
        }
    }
}
