//! Classifies instructions by activity, so that whole segments can be idle.

use super::super::activity_bits::{active_share, ActivityBits};
use std::collections::HashMap;

/// Classes of instructions that are active in nearly the same clock cycles.
pub struct ActivityClasses {
    /// Kind of each instruction.
    pub of: Vec<usize>,
    pub count: usize,
}

/// Kind of the instructions that are always computed. The kind may be empty.
pub const ALWAYS: usize = 0;

/// Fraction of clock cycles from which unconditional computation is cheaper than detecting changes.
const ALWAYS_FROM_SHARE: f32 = 0.6;

/// Largest number of kinds.
const MAX_CLASSES: usize = 24;

/// Kind under construction.
struct ActivityClass {
    busy: ActivityBits,
    size: usize,
}

impl ActivityClass {
    /// Returns the average cost in instructions per clock cycle.
    fn cost(busy: ActivityBits, size: usize) -> f32 {
        active_share(busy) * size as f32
    }

    /// Returns the additional cost of joining other instructions to the kind.
    fn growth(&self, busy: ActivityBits, size: usize) -> f32 {
        let both = ActivityClass::cost(self.busy | busy, self.size + size);
        both - ActivityClass::cost(self.busy, self.size) - ActivityClass::cost(busy, size)
    }
}

/// Number of instructions that a separate kind must save.
const MIN_CLASS_SAVING: f32 = 2.0;

impl ActivityClasses {
    pub fn new(activity: &[ActivityBits]) -> Self {
        let mut sizes: HashMap<ActivityBits, usize> = HashMap::new();
        for busy in activity {
            *sizes.entry(*busy).or_default() += 1;
        }
        let mut sizes: Vec<(ActivityBits, usize)> = sizes.into_iter().collect();
        sizes.sort_by_key(|&(busy, size)| (std::cmp::Reverse(size), busy));
        let mut kinds = vec![ActivityClass {
            busy: ActivityBits::MAX,
            size: 0,
        }];
        let mut kind_of: HashMap<ActivityBits, usize> = HashMap::new();
        for (busy, size) in sizes {
            let kind = if active_share(busy) >= ALWAYS_FROM_SHARE {
                ALWAYS
            } else {
                let growth = |kind: &usize| kinds[*kind].growth(busy, size);
                let best = (1..kinds.len()).min_by(|a, b| growth(a).total_cmp(&growth(b)));
                match best {
                    Some(kind)
                        if kinds.len() == MAX_CLASSES || growth(&kind) < MIN_CLASS_SAVING =>
                    {
                        kind
                    }
                    _ => {
                        kinds.push(ActivityClass { busy: 0, size: 0 });
                        kinds.len() - 1
                    }
                }
            };
            kinds[kind].busy |= busy;
            kinds[kind].size += size;
            kind_of.insert(busy, kind);
        }
        ActivityClasses {
            of: activity.iter().map(|busy| kind_of[busy]).collect(),
            count: kinds.len(),
        }
    }
}
