//! When nothing moves: who waits for whom, and the circle in it.

use crate::routing::Channel;

/// The head of a packet waits for a queue in which another packet is in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitingPacket {
    /// By its number in the list.
    pub message: usize,
    /// The node where it waits.
    pub node: u32,
    /// What it waits for; `None`: the queue towards the processor.
    pub wants: Option<Channel>,
    /// The message whose packet is in the way.
    pub behind: usize,
}

/// All who wait, by message, and a circle of them: each is behind the next, the last
/// behind the first, which has the lowest number. It is empty if there is none, as
/// when packets are lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standstill {
    pub waiting: Vec<WaitingPacket>,
    pub circle: Vec<WaitingPacket>,
}

impl Standstill {
    pub(super) fn new(mut waiting: Vec<WaitingPacket>) -> Self {
        waiting.sort();
        let circles = waiting.iter().map(|start| circle(&waiting, *start));
        let circle = circles.flatten().next().unwrap_or_default();
        Standstill { waiting, circle }
    }
}

/// The circle that this one is in.
fn circle(waiting: &[WaitingPacket], start: WaitingPacket) -> Option<Vec<WaitingPacket>> {
    let mut circle = vec![];
    let mut at = start;
    loop {
        circle.push(at);
        let next = waiting.binary_search_by_key(&at.behind, |w| w.message);
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
            wants: None,
            behind: *behind,
        };
        pairs.iter().map(waiting).collect()
    }

    #[test]
    fn a_circle_is_found_behind_those_who_only_wait_for_it() {
        let found = Standstill::new(waiting(&[(7, 5), (5, 2), (0, 7), (2, 7), (9, 4)]));
        let circle: Vec<usize> = found.circle.iter().map(|w| w.message).collect();
        assert_eq!(circle, [2, 7, 5]);
        assert_eq!(found.waiting.len(), 5);
        assert!(Standstill::new(waiting(&[(1, 2), (2, 3)]))
            .circle
            .is_empty());
    }
}
