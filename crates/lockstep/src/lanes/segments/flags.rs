//! Flags with which a change in one segment marks others, and their reduction to a few.

use super::Mask;

/// Segments to mark if some bit of a value is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flag {
    /// Marked in the same clock cycle.
    pub now: Mask,
    pub next: Mask,
}

impl Flag {
    pub(super) fn is_empty(self) -> bool {
        self.now == 0 && self.next == 0
    }

    pub(super) fn with(self, other: Flag) -> Flag {
        Flag {
            now: self.now | other.now,
            next: self.next | other.next,
        }
    }

    /// Returns true if this flag marks everything that the other one marks, and the other one is
    /// not empty.
    pub(super) fn covers(self, other: Flag) -> bool {
        !other.is_empty() && self.with(other) == self
    }

    fn size(self) -> u32 {
        self.now.count_ones() + self.next.count_ones()
    }
}

/// Merges flags that mark nearly the same segments, until at most `at_most` remain.
pub fn merged(wanted: impl Iterator<Item = Flag>, at_most: usize) -> Vec<Flag> {
    let mut flags: Vec<Flag> = vec![];
    for flag in wanted {
        if !flag.is_empty() && !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    while flags.len() > at_most {
        let pairs = (1..flags.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let growth = |&(i, j): &(usize, usize)| {
            let (a, b): (Flag, Flag) = (flags[i], flags[j]);
            let both = a.with(b).size();
            2 * both - a.size() - b.size()
        };
        let (i, j) = pairs.min_by_key(growth).expect("more than one");
        let merged = flags[i].with(flags[j]);
        flags[j] = merged;
        flags.remove(i);
    }
    flags
}
