//! List scheduling: pair by pair each node sends the message that has furthest to go.

use super::node_program::PLACES;
use super::Sweep;
use crate::topology::Metacube;
use crate::traffic::SplitMix64;

/// Messages that lie in a node on their way, at most: of its places one is for a message that
/// comes home, one for one that its host gives.
pub const WAITING: usize = PLACES - 2;

/// A message under way.
struct UnderWay {
    message: usize,
    to: u32,
    /// Links to go.
    left: u32,
    /// It lies in a place of its node; else its host has it.
    has_place: bool,
    /// Decides between messages with as far to go.
    lot: u64,
}

/// For each message the pairs of phases in which it moves, by shortest ways, where links
/// are open in the order of the sweep, for as many superframes as it takes. Of the messages
/// that a link brings nearer a node sends one with the furthest to go; lots are drawn. Where
/// the neighbour has no place left it sends only what is at home there; what its host still has
/// it sends only where less than `entering` messages lie, up to [`WAITING`].
///
/// `None` if messages come to wait for each other for places.
pub fn greedy(
    shape: Metacube,
    sweep: Sweep,
    messages: &[[u32; 2]],
    entering: usize,
    lots: &mut SplitMix64,
) -> Option<Vec<Vec<u32>>> {
    let mut pairs = vec![vec![]; messages.len()];
    let mut nodes: Vec<Vec<UnderWay>> = (0..shape.nodes()).map(|_| vec![]).collect();
    let mut open = 0;
    for (message, &[from, to]) in messages.iter().enumerate() {
        if from != to {
            open += 1;
            nodes[from as usize].push(UnderWay {
                message,
                to,
                left: shape.distance(from, to),
                has_place: false,
                lot: lots.next_u64(),
            });
        }
    }
    let mut waiting = vec![0usize; nodes.len()];
    let mut order = vec![];
    let (mut superframes, mut moved_at) = (0, 0);
    for pair in 0.. {
        if open == 0 {
            break;
        }
        if pair as usize == order.len() {
            superframes += 1;
            order = sweep.order(shape, superframes);
        }
        if pair - moved_at > 2 * shape.links() {
            return None;
        }
        let link = order[pair as usize];
        let mut moved = vec![];
        for from in 0..shape.nodes() {
            let next = shape.neighbour(from, link);
            let here = &mut nodes[from as usize];
            let lie_there = waiting[next as usize];
            let nearer = |at: &usize| {
                let sent = &here[*at];
                let most = if sent.has_place { WAITING } else { entering };
                (lie_there < most || sent.to == next) && shape.distance(next, sent.to) < sent.left
            };
            let order = |at: &usize| (here[*at].left, here[*at].lot);
            if let Some(at) = (0..here.len()).filter(nearer).max_by_key(order) {
                let mut sent = here.swap_remove(at);
                sent.left -= 1;
                pairs[sent.message].push(pair);
                moved_at = pair;
                waiting[from as usize] -= usize::from(sent.has_place);
                sent.has_place = true;
                moved.push((next, sent));
            }
        }
        for (next, sent) in moved {
            match sent.left {
                0 => open -= 1,
                _ => {
                    waiting[next as usize] += 1;
                    nodes[next as usize].push(sent);
                }
            }
        }
    }
    Some(pairs)
}
