//! Classifies instructions by activity, so that whole segments can be idle.

use super::super::busy::{share, Pairs};
use std::collections::HashMap;

/// Classes of instructions that are active in nearly the same clock cycles.
pub struct Kinds {
    /// Kind of each instruction.
    pub of: Vec<usize>,
    pub count: usize,
}

/// Kind of the instructions that are always computed. The kind may be empty.
pub const ALWAYS: usize = 0;

/// Fraction of clock cycles from which unconditional computation is cheaper than detecting changes.
const OFTEN: f32 = 0.6;

/// Largest number of kinds.
const MOST: usize = 24;

/// Kind under construction.
struct Kind {
    busy: Pairs,
    size: usize,
}

impl Kind {
    /// Returns the average cost in instructions per clock cycle.
    fn cost(busy: Pairs, size: usize) -> f32 {
        share(busy) * size as f32
    }

    /// Returns the additional cost of joining other instructions to the kind.
    fn growth(&self, busy: Pairs, size: usize) -> f32 {
        let both = Kind::cost(self.busy | busy, self.size + size);
        both - Kind::cost(self.busy, self.size) - Kind::cost(busy, size)
    }
}

/// Number of instructions that a separate kind must save.
const WORTH: f32 = 2.0;

impl Kinds {
    pub fn new(activity: &[Pairs]) -> Self {
        let mut sizes: HashMap<Pairs, usize> = HashMap::new();
        for busy in activity {
            *sizes.entry(*busy).or_default() += 1;
        }
        let mut sizes: Vec<(Pairs, usize)> = sizes.into_iter().collect();
        sizes.sort_by_key(|&(busy, size)| (std::cmp::Reverse(size), busy));
        let mut kinds = vec![Kind {
            busy: Pairs::MAX,
            size: 0,
        }];
        let mut kind_of: HashMap<Pairs, usize> = HashMap::new();
        for (busy, size) in sizes {
            let kind = if share(busy) >= OFTEN {
                ALWAYS
            } else {
                let growth = |kind: &usize| kinds[*kind].growth(busy, size);
                let best = (1..kinds.len()).min_by(|a, b| growth(a).total_cmp(&growth(b)));
                match best {
                    Some(kind) if kinds.len() == MOST || growth(&kind) < WORTH => kind,
                    _ => {
                        kinds.push(Kind { busy: 0, size: 0 });
                        kinds.len() - 1
                    }
                }
            };
            kinds[kind].busy |= busy;
            kinds[kind].size += size;
            kind_of.insert(busy, kind);
        }
        Kinds {
            of: activity.iter().map(|busy| kind_of[busy]).collect(),
            count: kinds.len(),
        }
    }
}
