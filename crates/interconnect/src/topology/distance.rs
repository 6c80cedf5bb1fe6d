//! Distances between nodes, found by breadth-first search.

use super::{PortEnd, Topology};
use std::collections::VecDeque;

/// Returns for every node the length in links of a shortest path from `from`, or `None` if no path
/// exists.
pub fn distances<T: Topology + ?Sized>(topology: &T, from: u32) -> Vec<Option<u32>> {
    let mut found = vec![None; topology.nodes() as usize];
    found[from as usize] = Some(0);
    let mut reached = VecDeque::from([(from, 0)]);
    while let Some((node, distance)) = reached.pop_front() {
        for port in 0..topology.ports() {
            let next = topology.peer(PortEnd { node, port }).node;
            if found[next as usize].is_none() {
                found[next as usize] = Some(distance + 1);
                reached.push_back((next, distance + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three nodes in a one-way ring, and one node beside them.
    #[derive(Debug)]
    struct RingAndIsolatedNode;

    impl Topology for RingAndIsolatedNode {
        fn name(&self) -> String {
            "circle and one".into()
        }

        fn nodes(&self) -> u32 {
            4
        }

        fn ports(&self) -> u32 {
            1
        }

        fn peer(&self, end: PortEnd) -> PortEnd {
            let node = [1, 2, 0, 3][end.node as usize];
            PortEnd { node, ..end }
        }
    }

    #[test]
    fn distances_follow_one_way_channels() {
        let found = distances(&RingAndIsolatedNode, 1);
        assert_eq!(found, [Some(2), Some(0), Some(1), None]);
        assert_eq!(RingAndIsolatedNode.distance(2, 1), Some(2));
        assert_eq!(RingAndIsolatedNode.distance(0, 3), None);
    }
}
