//! Links between lanes as rotations and masks of whole words, and the values that chunks exchange.

use super::LaneMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// A [`LaneMap`] as moves of bits between words of 64 lanes.
#[derive(Debug)]
pub struct Routes {
    terms: Vec<Term>,
    /// First term of each word, and the end of the last one.
    starts: Vec<u32>,
}

/// Bits of a word that move by the same distance.
#[derive(Clone, Copy, Debug)]
struct Term {
    word: u32,
    rotate: u32,
    /// Mask of the bits after the rotation.
    mask: u64,
}

impl Routes {
    /// Converts a checked map. All lanes must fit in `words`.
    pub fn new(map: &LaneMap, lanes: usize, words: usize) -> Self {
        let mut routes = Routes { terms: vec![], starts: vec![0] };
        for word in 0..words {
            let first = routes.terms.len();
            for bit in (0..64).filter(|bit| 64 * word + bit < lanes) {
                let from = map.from(64 * word + bit);
                let (source, rotate) = ((from / 64) as u32, (bit + 64 - from % 64) as u32 % 64);
                let terms = &mut routes.terms[first..];
                let same = |t: &&mut Term| (t.word, t.rotate) == (source, rotate);
                match terms.iter_mut().find(same) {
                    Some(term) => term.mask |= 1 << bit,
                    None => routes.terms.push(Term { word: source, rotate, mask: 1 << bit }),
                }
            }
            routes.starts.push(routes.terms.len() as u32);
        }
        routes
    }

    /// Returns a word of the values that lanes receive, computed from the words that they publish.
    pub fn word(&self, word: usize, shown: impl Fn(usize) -> u64) -> u64 {
        let terms = self.starts[word] as usize..self.starts[word + 1] as usize;
        self.terms[terms].iter().fold(0, |seen, term| {
            seen | shown(term.word as usize).rotate_left(term.rotate) & term.mask
        })
    }
}

// Words that all threads share: broadcast bits and the values on links.

/// Values that chunks of lanes exchange.
///
/// Every value exists twice, for even and for odd clock cycles. All chunks read the values of the
/// present cycle and write those of the next. No chunk begins a clock cycle before all chunks have
/// finished the previous one ([`ParallelRun`](super::run::ParallelRun)). No word is therefore read while another
/// thread writes it, and relaxed atomic accesses suffice.
#[derive(Debug)]
pub struct Blackboard {
    /// 64 bits in each word.
    broadcasts: [Vec<AtomicU64>; 2],
    /// Words of all lanes, one published bit after the other.
    published: [Vec<AtomicU64>; 2],
    /// By published bit: the last clock cycle in which some lane differs from the cycle before.
    /// Another chunk may already have recorded the next clock cycle.
    changes: Vec<AtomicU64>,
    /// Latest of `changes` over all published bits.
    any_change: AtomicU64,
    /// Number of 64-lane words.
    words: usize,
}

/// Clock cycle, counted from the creation of the machine.
pub type ClockCycle = u64;

fn parity(time: ClockCycle) -> usize {
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

    /// Returns 64 broadcast bits.
    pub fn broadcast(&self, time: ClockCycle, word: usize) -> u64 {
        self.broadcasts[parity(time)][word].load(Ordering::Relaxed)
    }

    /// Sets a broadcast bit. Only one thread may do this at a time.
    pub fn set_broadcast(&self, time: ClockCycle, bit: usize, value: bool) {
        let word = &self.broadcasts[parity(time)][bit / 64];
        let mask = 1 << (bit % 64);
        let old = word.load(Ordering::Relaxed);
        let new = if value { old | mask } else { old & !mask };
        word.store(new, Ordering::Relaxed);
    }

    /// Returns a function that reads the words of a published bit.
    pub fn published(&self, time: ClockCycle, bit: usize) -> impl Fn(usize) -> u64 + '_ {
        let words = &self.published[parity(time)][bit * self.words..][..self.words];
        |word| words[word].load(Ordering::Relaxed)
    }

    pub fn publish(&self, time: ClockCycle, bit: usize, word: usize, value: u64) {
        self.published[parity(time)][bit * self.words + word].store(value, Ordering::Relaxed);
    }

    /// Records that a published bit differs in some lane from the previous clock cycle.
    pub fn set_changed(&self, time: ClockCycle, bit: usize) {
        self.changes[bit].store(time, Ordering::Relaxed);
        self.any_change.store(time, Ordering::Relaxed);
    }

    /// Returns true if some published bit may differ in some lane from the previous clock cycle.
    /// Another chunk may already have recorded a change for the next one.
    pub fn has_any_changed(&self, time: ClockCycle) -> bool {
        self.any_change.load(Ordering::Relaxed) >= time
    }

    /// Returns true if this published bit may differ in some lane from the previous clock cycle.
    pub fn has_changed(&self, time: ClockCycle, bit: usize) -> bool {
        self.changes[bit].load(Ordering::Relaxed) >= time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_follow_the_lane_map() {
        let lanes = 200;
        let shown: Vec<u64> =
            (0..4).map(|i| 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(i + 1)).collect();
        let maps = [
            LaneMap::Xor(0),
            LaneMap::Xor(7),
            LaneMap::from_fn(lanes, |i| (i + 1) % lanes),
            LaneMap::from_fn(lanes, |i| (i * 77 + 3) % lanes),
        ];
        let bit = |words: &[u64], lane: usize| words[lane / 64] >> (lane % 64) & 1;
        for map in maps {
            let routes = Routes::new(&map, lanes, 4);
            let seen: Vec<u64> = (0..4).map(|w| routes.word(w, |i| shown[i])).collect();
            for lane in 0..lanes {
                assert_eq!(bit(&seen, lane), bit(&shown, map.from(lane)), "{map:?} {lane}");
            }
            assert_eq!(seen[3] >> 8, 0, "no lanes there");
        }
    }
}
