//! The words that threads read and write together: broadcast bits, and what links
//! carry.

use std::sync::atomic::{AtomicU64, Ordering};

/// What the chunks of lanes tell each other.
///
/// Everything is there twice, for even and for odd clock cycles: all chunks read
/// what holds in the present one and write what holds in the next. No chunk
/// begins a clock cycle before all have done the one before
/// ([`Task`](super::run::Task)), so nothing is read while it is written, and the words
/// themselves need no order.
#[derive(Debug)]
pub struct Blackboard {
    /// 64 bits each.
    broadcasts: [Vec<AtomicU64>; 2],
    /// The words of all lanes, one published bit after the other.
    published: [Vec<AtomicU64>; 2],
    /// By published bit: a clock cycle that is no earlier than the last one before
    /// which some lane's value changed, nor later than the next.
    changes: Vec<AtomicU64>,
    /// The same of all together.
    any_change: AtomicU64,
    /// Words of 64 lanes.
    words: usize,
}

/// A clock cycle, counted from when the machine was made.
pub type Time = u64;

fn side(time: Time) -> usize {
    (time % 2) as usize
}

impl Blackboard {
    pub fn new(broadcasts: usize, published: usize, words: usize) -> Self {
        let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        let broadcasts = broadcasts.div_ceil(64);
        Blackboard {
            broadcasts: [zeros(broadcasts), zeros(broadcasts)],
            published: [zeros(published * words), zeros(published * words)],
            changes: zeros(published),
            any_change: AtomicU64::new(0),
            words,
        }
    }

    /// 64 broadcast bits.
    pub fn broadcast(&self, time: Time, word: usize) -> u64 {
        self.broadcasts[side(time)][word].load(Ordering::Relaxed)
    }

    /// Only one thread does this at a time.
    pub fn set_broadcast(&self, time: Time, bit: usize, value: bool) {
        let word = &self.broadcasts[side(time)][bit / 64];
        let mask = 1 << (bit % 64);
        let old = word.load(Ordering::Relaxed);
        let new = if value { old | mask } else { old & !mask };
        word.store(new, Ordering::Relaxed);
    }

    /// The words of a published bit.
    pub fn published(&self, time: Time, bit: usize) -> impl Fn(usize) -> u64 + '_ {
        let words = &self.published[side(time)][bit * self.words..][..self.words];
        |word| words[word].load(Ordering::Relaxed)
    }

    pub fn publish(&self, time: Time, bit: usize, word: usize, value: u64) {
        self.published[side(time)][bit * self.words + word].store(value, Ordering::Relaxed);
    }

    /// A published bit in some lane is another in this clock cycle than before.
    pub fn set_changed(&self, time: Time, bit: usize) {
        self.changes[bit].store(time, Ordering::Relaxed);
        self.any_change.store(time, Ordering::Relaxed);
    }

    /// Whether some published bit may be another in this clock cycle than before in
    /// some lane. Another chunk may already have noted a change in the next one.
    pub fn has_any_changed(&self, time: Time) -> bool {
        self.any_change.load(Ordering::Relaxed) >= time
    }

    /// The same of one bit.
    pub fn has_changed(&self, time: Time, bit: usize) -> bool {
        self.changes[bit].load(Ordering::Relaxed) >= time
    }
}
