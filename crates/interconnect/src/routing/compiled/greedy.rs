//! List scheduling: in each pair of phases a node sends the message with the longest remaining
//! path.

use super::node_program::NODE_SLOTS;
use super::SweepDirection;
use crate::topology::Metacube;
use crate::traffic::SplitMix64;

/// Maximum number of messages that wait in a node on their path. Two more slots are reserved: one
/// for a message that reaches its destination, one for a message that the host injects.
pub const MAX_WAITING: usize = NODE_SLOTS - 2;

/// A message in flight.
struct InFlightMessage {
    message: usize,
    to: u32,
    /// Links left to cross.
    left: u32,
    /// True if the message occupies a slot of its node, false if the host still has it.
    has_slot: bool,
    /// Random tie-breaker between messages with equal remaining distance.
    tie_breaker: u64,
}

/// Returns the pairs of phases in which each message moves, along shortest paths. Links are open in
/// the order of `sweep`, for as many superframes as needed.
///
/// Among the messages that a link brings nearer, a node sends one with the longest remaining path.
/// Random numbers from `lots` break ties. If [`MAX_WAITING`] messages wait in the neighbour, the node
/// sends only a message whose destination is that neighbour. For a message that its host still has
/// the limit is `entering`, at most [`MAX_WAITING`].
///
/// Returns `None` if messages wait for each other's slots.
pub fn list_schedule(
    shape: Metacube,
    sweep: SweepDirection,
    messages: &[[u32; 2]],
    entering: usize,
    lots: &mut SplitMix64,
) -> Option<Vec<Vec<u32>>> {
    let mut pairs = vec![vec![]; messages.len()];
    let mut nodes: Vec<Vec<InFlightMessage>> = (0..shape.nodes()).map(|_| vec![]).collect();
    let mut open = 0;
    for (message, &[from, to]) in messages.iter().enumerate() {
        if from != to {
            open += 1;
            nodes[from as usize].push(InFlightMessage {
                message,
                to,
                left: shape.distance(from, to),
                has_slot: false,
                tie_breaker: lots.next_u64(),
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
                let most = if sent.has_slot { MAX_WAITING } else { entering };
                (lie_there < most || sent.to == next) && shape.distance(next, sent.to) < sent.left
            };
            let order = |at: &usize| (here[*at].left, here[*at].tie_breaker);
            if let Some(at) = (0..here.len()).filter(nearer).max_by_key(order) {
                let mut sent = here.swap_remove(at);
                sent.left -= 1;
                pairs[sent.message].push(pair);
                moved_at = pair;
                waiting[from as usize] -= usize::from(sent.has_slot);
                sent.has_slot = true;
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
