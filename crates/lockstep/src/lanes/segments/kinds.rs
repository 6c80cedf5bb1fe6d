//! Sorts instructions by when they are busy, so that a segment can be idle as a whole.

use super::super::busy::{share, Pairs};
use std::collections::HashMap;

/// Instructions that have something to do in nearly the same clock cycles.
pub struct Kinds {
    /// By instruction: the number of its kind.
    pub of: Vec<usize>,
    pub count: usize,
}

/// The kind of those that are always computed; whether there are some or not.
pub const ALWAYS: usize = 0;

/// The share of clock cycles from which on it is better to compute always than to
/// look for changes.
const OFTEN: f32 = 0.6;

/// Kinds that are told apart.
const MOST: usize = 24;

/// A kind in the making.
struct Kind {
    busy: Pairs,
    size: usize,
}

impl Kind {
    /// What it takes to compute it whenever it must be.
    fn cost(busy: Pairs, size: usize) -> f32 {
        share(busy) * size as f32
    }

    /// What it takes more if others belong to it too.
    fn growth(&self, busy: Pairs, size: usize) -> f32 {
        let both = Kind::cost(self.busy | busy, self.size + size);
        both - Kind::cost(self.busy, self.size) - Kind::cost(busy, size)
    }
}

/// What a kind of its own must save, in instructions.
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
