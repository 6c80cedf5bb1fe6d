//! Messages that wait at the hosts of the cube.

use interconnect::traffic::MessageList;
use std::cmp::Reverse;

/// Messages that the host of each node still has. A message takes 4 bytes, and 16 more while it is
/// not yet available.
pub(super) struct SourceQueues {
    /// Positions in the list of messages, ordered by source and then by the phase of availability.
    /// Messages to their own source are omitted.
    order: Vec<u32>,
    queues: Vec<SourceQueue>,
    /// Phase and source of the messages that are not yet available, with the next one last.
    later: Vec<(u64, u32)>,
}

/// Ranges of one node's messages in `order`.
#[derive(Clone, Copy, Default)]
struct SourceQueue {
    begin: u32,
    /// End of the messages that are available.
    end: u32,
    /// End of all messages.
    all: u32,
}

impl SourceQueues {
    /// Sorts the messages by source. Sources are numbers below `nodes`. `releases` gives, for each
    /// message, the phase from which its host has it. Messages past the end of `releases` are
    /// available from the first phase.
    pub fn new(messages: &MessageList, releases: &[u64], nodes: usize) -> Self {
        let release = |place: u32| releases.get(place as usize).copied().unwrap_or(0);
        let sent = || (0..).zip(messages.iter()).filter(|(_, m)| !m.is_to_self());
        let mut queues = vec![SourceQueue::default(); nodes];
        for (_, message) in sent() {
            queues[message.source as usize].all += 1;
        }
        let mut begin = 0;
        for queue in &mut queues {
            let all = begin + queue.all;
            *queue = SourceQueue {
                begin,
                end: begin,
                all: begin,
            };
            begin = all;
        }
        let mut order = vec![0; begin as usize];
        let mut later = vec![];
        for (place, message) in sent() {
            let queue = &mut queues[message.source as usize];
            order[queue.all as usize] = place;
            queue.all += 1;
            match release(place) {
                0 => queue.end += 1,
                phase => later.push((phase, message.source)),
            }
        }
        if !later.is_empty() {
            for queue in &queues {
                let places = &mut order[queue.begin as usize..queue.all as usize];
                places.sort_by_key(|place| release(*place));
            }
            later.sort_unstable_by_key(|late| Reverse(*late));
        }
        SourceQueues {
            order,
            queues,
            later,
        }
    }

    /// Queues the next message that becomes available in this phase, and returns its node.
    pub fn release(&mut self, phase: u64) -> Option<usize> {
        let (_, node) = self.later.pop_if(|(there, _)| *there <= phase)?;
        self.queues[node as usize].end += 1;
        Some(node as usize)
    }

    /// True if more messages become available later.
    pub fn has_later_messages(&self) -> bool {
        !self.later.is_empty()
    }

    /// Returns the next message of a node.
    pub fn front(&self, node: usize) -> Option<usize> {
        let queue = self.queues[node];
        (queue.begin < queue.end).then(|| self.order[queue.begin as usize] as usize)
    }

    /// Removes and returns the next message of a node.
    pub fn pop(&mut self, node: usize) -> Option<usize> {
        let front = self.front(node);
        self.queues[node].begin += u32::from(front.is_some());
        front
    }

    /// Returns the messages that a node has now or will have.
    pub fn waiting(&self, node: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        let queue = self.queues[node];
        let places = &self.order[queue.begin as usize..queue.all as usize];
        places.iter().map(|place| *place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::traffic::Message;
    use std::collections::BTreeSet;

    fn list(routes: &[(u32, u32)]) -> MessageList {
        let mut messages = MessageList::default();
        for (source, destination) in routes {
            messages.push(Message {
                source: *source,
                destination: *destination,
                payload: &[],
            });
        }
        messages
    }

    fn all(queues: &SourceQueues) -> Vec<Vec<usize>> {
        let nodes = 0..queues.queues.len();
        nodes.map(|node| queues.waiting(node).collect()).collect()
    }

    #[test]
    fn messages_are_queued_by_source_in_order() {
        let messages = list(&[(2, 0), (0, 1), (2, 2), (2, 1), (0, 3), (3, 3)]);
        let mut queues = SourceQueues::new(&messages, &[], 4);
        assert_eq!(all(&queues), [vec![1, 4], vec![], vec![0, 3], vec![]]);
        assert_eq!((queues.pop(2), queues.front(2)), (Some(0), Some(3)));
        assert_eq!((queues.pop(2), queues.pop(2)), (Some(3), None));
        assert_eq!((queues.front(1), queues.front(0)), (None, Some(1)));
    }

    #[test]
    fn messages_are_queued_from_their_release_phase() {
        let messages = list(&[(0, 1), (0, 2), (1, 0), (0, 3), (1, 2)]);
        let mut queues = SourceQueues::new(&messages, &[7, 0, 3, 3], 2);
        assert_eq!(all(&queues), [vec![1, 3, 0], vec![4, 2]]);
        assert_eq!((queues.pop(0), queues.pop(0)), (Some(1), None));
        assert_eq!(queues.release(2), None);
        let released: BTreeSet<_> = [queues.release(3), queues.release(3)].into();
        assert_eq!(released, [Some(0), Some(1)].into());
        assert_eq!(queues.release(6), None);
        assert_eq!((queues.pop(1), queues.pop(1)), (Some(4), Some(2)));
        assert_eq!((queues.release(8), queues.release(8)), (Some(0), None));
        assert_eq!(
            [0; 3].map(|node| queues.pop(node)),
            [Some(3), Some(0), None]
        );
        assert_eq!(all(&queues), [vec![0; 0], vec![]]);
    }
}
