//! Percentiles over the latencies of millions of messages.

use std::collections::{BTreeMap, HashMap};

/// Counts of each number, for millions of numbers with few different values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: BTreeMap<u64, u64>,
    total: u64,
}

impl Histogram {
    /// Number of entries.
    pub fn len(&self) -> u64 {
        self.total
    }

    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Returns the smallest number such that at least `percent` % of all entries are not above it.
    /// `None` if there are no entries.
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let rank = (self.total * percent).div_ceil(100).max(1);
        let mut below = 0;
        for (number, count) in &self.counts {
            below += count;
            if below >= rank {
                return Some(*number);
            }
        }
        None
    }

    /// Numbers with their counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().map(|(number, count)| (*number, *count))
    }
}

impl FromIterator<u64> for Histogram {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let mut all = 0;
        for number in numbers {
            *counts.entry(number).or_default() += 1;
            all += 1;
        }
        let counts = counts.into_iter().collect();
        Histogram { counts, total: all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_taken_from_counts() {
        let histogram: Histogram = [5, 3, 5, 9, 5, 3, 5, 5, 5, 5].into_iter().collect();
        let counts: Vec<(u64, u64)> = histogram.iter().collect();
        assert_eq!(counts, [(3, 2), (5, 7), (9, 1)]);
        assert_eq!(histogram.len(), 10);
        let ranks = [0, 20, 21, 90, 91, 100].map(|percent| histogram.percentile(percent));
        assert_eq!(ranks, [3, 3, 5, 5, 9, 9].map(Some));
        assert_eq!(Histogram::default().percentile(50), None);
        assert!(Histogram::default().is_empty());
    }
}
