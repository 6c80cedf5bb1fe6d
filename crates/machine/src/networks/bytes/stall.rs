//! Analysis of a machine in which nothing moves: the waiting packets and a cycle among them.

use interconnect::routing::Channel;

/// Packet whose head waits for a queue that another packet blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitingPacket {
    /// Number of the message in the list.
    pub message: usize,
    /// Node where the head waits.
    pub node: u32,
    /// Channel that the packet waits for. `None` if it waits for the queue to the processor.
    pub wanted_channel: Option<Channel>,
    /// Message whose packet blocks this one.
    pub blocked_by: usize,
}

/// All waiting packets, by message, and a cycle among them. In the cycle each packet is blocked by
/// the next, and the last by the first, which has the lowest number. The cycle is empty if there is
/// none, for example when packets are lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallReport {
    pub waiting: Vec<WaitingPacket>,
    pub cycle: Vec<WaitingPacket>,
}

impl StallReport {
    pub(super) fn new(mut waiting: Vec<WaitingPacket>) -> Self {
        waiting.sort();
        let circles = waiting.iter().map(|start| find_cycle(&waiting, *start));
        let circle = circles.flatten().next().unwrap_or_default();
        StallReport {
            waiting,
            cycle: circle,
        }
    }
}

/// Returns the cycle that contains `start`, if there is one.
fn find_cycle(waiting: &[WaitingPacket], start: WaitingPacket) -> Option<Vec<WaitingPacket>> {
    let mut circle = vec![];
    let mut at = start;
    loop {
        circle.push(at);
        let next = waiting.binary_search_by_key(&at.blocked_by, |w| w.message);
        at = waiting[next.ok()?];
        if at == start {
            return Some(circle);
        }
        if circle.contains(&at) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(pairs: &[(usize, usize)]) -> Vec<WaitingPacket> {
        let waiting = |(message, behind): &(usize, usize)| WaitingPacket {
            message: *message,
            node: 0,
            wanted_channel: None,
            blocked_by: *behind,
        };
        pairs.iter().map(waiting).collect()
    }

    #[test]
    fn a_cycle_is_found_behind_packets_outside_it() {
        let found = StallReport::new(waiting(&[(7, 5), (5, 2), (0, 7), (2, 7), (9, 4)]));
        let circle: Vec<usize> = found.cycle.iter().map(|w| w.message).collect();
        assert_eq!(circle, [2, 7, 5]);
        assert_eq!(found.waiting.len(), 5);
        assert!(StallReport::new(waiting(&[(1, 2), (2, 3)]))
            .cycle
            .is_empty());
    }
}
