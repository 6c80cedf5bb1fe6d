use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What the chunks of lanes tell each other.
///
/// Everything is there twice: in a clock cycle all chunks read one side, and
/// write on the other what holds in the next. Between clock cycles is a
/// [barrier](Shared::meet), so nothing is read while it is written, and the words
/// themselves need no order.
#[derive(Debug)]
pub struct Shared {
    /// 64 bits each.
    broadcasts: [Vec<AtomicU64>; 2],
    /// The words of all lanes, one published bit after the other.
    published: [Vec<AtomicU64>; 2],
    /// Words of 64 lanes.
    words: usize,
    /// A thread has seen a reason to stop.
    pub stop: AtomicBool,
    threads: usize,
    arrived: AtomicUsize,
    meetings: AtomicUsize,
}

/// Which of the two holds in a clock cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side(usize);

impl Side {
    pub const FIRST: Side = Side(0);

    pub fn other(self) -> Side {
        Side(1 - self.0)
    }
}

/// Times to look before others get the processor.
const PATIENCE: usize = 2_000;

impl Shared {
    pub fn new(broadcasts: usize, published: usize, words: usize, threads: usize) -> Self {
        let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        let broadcasts = broadcasts.div_ceil(64);
        Shared {
            broadcasts: [zeros(broadcasts), zeros(broadcasts)],
            published: [zeros(published * words), zeros(published * words)],
            words,
            stop: AtomicBool::new(false),
            threads,
            arrived: AtomicUsize::new(0),
            meetings: AtomicUsize::new(0),
        }
    }

    /// 64 broadcast bits.
    pub fn broadcast(&self, side: Side, word: usize) -> u64 {
        self.broadcasts[side.0][word].load(Ordering::Relaxed)
    }

    /// Only one thread does this at a time.
    pub fn set_broadcast(&self, side: Side, bit: usize, value: bool) {
        let word = &self.broadcasts[side.0][bit / 64];
        let mask = 1 << (bit % 64);
        let old = word.load(Ordering::Relaxed);
        let new = if value { old | mask } else { old & !mask };
        word.store(new, Ordering::Relaxed);
    }

    /// The words of a published bit.
    pub fn published(&self, side: Side, bit: usize) -> impl Fn(usize) -> u64 + '_ {
        let words = &self.published[side.0][bit * self.words..][..self.words];
        |word| words[word].load(Ordering::Relaxed)
    }

    pub fn publish(&self, side: Side, bit: usize, word: usize, value: u64) {
        self.published[side.0][bit * self.words + word].store(value, Ordering::Relaxed);
    }

    /// Waits until all threads are here. What they did before, all see after.
    pub fn meet(&self) {
        if self.threads == 1 {
            return;
        }
        let meeting = self.meetings.load(Ordering::Relaxed);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.meetings
                .store(meeting.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.meetings.load(Ordering::Acquire) == meeting {
            looks += 1;
            match looks < PATIENCE {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }
}
