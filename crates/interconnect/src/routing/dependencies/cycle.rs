//! Shortest cycles in a channel dependency graph.

use super::{Channel, DependencyGraph};
use std::collections::VecDeque;

impl DependencyGraph {
    /// Returns a shortest cycle, or `None` if there is no cycle. Each channel may wait for the
    /// next, and the last for the first. The first channel is the lowest.
    pub fn shortest_cycle(&self) -> Option<Vec<Channel>> {
        self.shortest_cycles().into_iter().next()
    }

    /// Returns cycles of the shortest length, at most one for each channel that is the lowest of a
    /// cycle.
    pub(super) fn shortest_cycles(&self) -> Vec<Vec<Channel>> {
        let (_, left) = self.sorted();
        let mut search = CycleSearch {
            graph: self,
            predecessor: vec![None; self.used.len()],
            reached: vec![],
        };
        let mut cycles: Vec<Vec<u32>> = vec![];
        for lowest in left {
            let most = cycles.first().map_or(usize::MAX, Vec::len);
            let Some(cycle) = search.shortest_through(lowest, most) else {
                continue;
            };
            if cycle.len() < most {
                cycles.clear();
            }
            cycles.push(cycle);
        }
        let channels = |cycle: Vec<u32>| {
            let channels = cycle.iter().map(|&number| self.numbers.channel(number));
            channels.collect()
        };
        cycles.into_iter().map(channels).collect()
    }
}

/// A breadth-first search that is repeated for each channel.
struct CycleSearch<'a> {
    graph: &'a DependencyGraph,
    /// Indexed by channel number: predecessor in the current search.
    predecessor: Vec<Option<u32>>,
    reached: Vec<u32>,
}

impl CycleSearch<'_> {
    /// Returns a shortest cycle of up to `most` channels whose lowest channel is `lowest`.
    fn shortest_through(&mut self, lowest: u32, most: usize) -> Option<Vec<u32>> {
        for number in self.reached.drain(..) {
            self.predecessor[number as usize] = None;
        }
        let mut queue = VecDeque::from([(lowest, 1)]);
        while let Some((number, length)) = queue.pop_front() {
            if length > most {
                return None;
            }
            for &next in &self.graph.next[number as usize] {
                if next == lowest {
                    return Some(self.path(lowest, number));
                }
                let came = &mut self.predecessor[next as usize];
                if next > lowest && came.is_none() {
                    *came = Some(number);
                    self.reached.push(next);
                    queue.push_back((next, length + 1));
                }
            }
        }
        None
    }

    /// Returns the path that was found from `lowest` to `last`.
    fn path(&self, lowest: u32, last: u32) -> Vec<u32> {
        let mut path = vec![last];
        let mut here = last;
        while here != lowest {
            here = self.predecessor[here as usize].expect("reached");
            path.push(here);
        }
        path.reverse();
        path
    }
}
