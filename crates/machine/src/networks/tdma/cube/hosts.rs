//! Ports of all nodes for their hosts, and the bytes on them.

use engine::{NodeEngine, NodePortId};
use interconnect::traffic::{Message, MessageList};
use rtl::tdma::DeliveryReason;
use std::cmp::Reverse;
use std::sync::Arc;

/// Complete message that a node has passed to its host.
pub(super) struct HostOutput {
    pub node: usize,
    /// Buffer that held the message.
    pub slot: usize,
    pub reason: DeliveryReason,
    /// Bytes of the message, with the length byte.
    pub bytes: Vec<u8>,
}

/// Behaviour of all hosts behind the ports.
pub(super) trait HostBehaviour {
    /// Recorded actions of the hosts in a clock cycle.
    type Actions: Default;

    fn actions(&mut self) -> &mut Self::Actions;

    /// Returns byte `index` of the next message for a node. Returns `None` if this byte was the
    /// last one returned, or if there is no message.
    fn byte(&mut self, node: usize, index: u64) -> Option<u8>;

    /// Called when the node has taken the message, in this buffer. Returns true if its host has
    /// another message.
    fn on_taken(&mut self, node: usize, slot: usize) -> bool;

    /// Called when a message has been received completely.
    fn on_output(&mut self, output: HostOutput);
}

/// Host ports of all nodes, and the hosts behind them.
pub(super) struct HostPorts<H> {
    pub hosts: H,
    valid: NodePortId,
    data: NodePortId,
    index: NodePortId,
    taken: NodePortId,
    out_valid: NodePortId,
    out_data: NodePortId,
    out_last: NodePortId,
    out_reason: NodePortId,
    out_slot: NodePortId,
    /// Last `host_data` of each node. The input is set only when it changes.
    host_data: Vec<u8>,
    /// Bytes received so far of a message in transfer.
    partial: Vec<Vec<u8>>,
    /// True if a node exchanged data with its host in the last clock cycle that was examined.
    was_active: bool,
    /// Nodes whose `host_data` may have to change in the next clock cycle that is examined.
    stale: Vec<usize>,
    /// Reused allocation for the nodes whose port is not zero.
    nodes: Vec<usize>,
}

impl<H: HostBehaviour> HostPorts<H> {
    pub fn new(engine: &mut dyn NodeEngine, hosts: H) -> Self {
        let nodes = engine.nodes();
        HostPorts {
            hosts,
            valid: engine.port("host_valid"),
            data: engine.port("host_data"),
            index: engine.port("host_index"),
            taken: engine.port("host_taken"),
            out_valid: engine.port("out_valid"),
            out_data: engine.port("out_data"),
            out_last: engine.port("out_last"),
            out_reason: engine.port("out_reason"),
            out_slot: engine.port("out_slot"),
            host_data: vec![0; nodes],
            partial: vec![vec![]; nodes],
            was_active: true,
            stale: (0..nodes).collect(),
            nodes: vec![],
        }
    }

    /// Sets whether the host of a node has a message for it.
    pub fn offer(&self, engine: &mut dyn NodeEngine, node: usize, has: bool) {
        engine.set(self.valid, node, has.into());
    }

    /// Requests an examination of the ports in the next clock cycle, because the output of the host of
    /// a node has changed.
    pub fn wake(&mut self, node: usize) {
        self.was_active = true;
        self.stale.push(node);
    }

    /// Handles one clock cycle at all ports, after the circuit has settled and before the clock
    /// edge. Returns the actions of the hosts.
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine) -> H::Actions {
        let mut nodes = std::mem::take(&mut self.nodes);
        engine.nonzero(self.index, &mut nodes);
        self.was_active = !nodes.is_empty();
        let mut stale = std::mem::take(&mut self.stale);
        stale.extend(&nodes);
        for node in stale.drain(..) {
            let index = engine.get(self.index, node);
            match self.hosts.byte(node, index) {
                Some(byte) if byte != self.host_data[node] => {
                    self.host_data[node] = byte;
                    engine.set(self.data, node, byte.into());
                }
                _ => {}
            }
        }
        // The index of these nodes changes.
        stale.extend(&nodes);
        self.stale = stale;
        engine.nonzero(self.taken, &mut nodes);
        for &node in &nodes {
            self.wake(node);
            let slot = engine.get(self.out_slot, node) as usize;
            let more = self.hosts.on_taken(node, slot);
            self.offer(engine, node, more);
        }
        engine.nonzero(self.out_valid, &mut nodes);
        for &node in &nodes {
            self.was_active = true;
            let byte = engine.get(self.out_data, node) as u8;
            self.partial[node].push(byte);
            if engine.get(self.out_last, node) == 1 {
                self.hosts.on_output(HostOutput {
                    node,
                    slot: engine.get(self.out_slot, node) as usize,
                    reason: DeliveryReason::of_number(engine.get(self.out_reason, node))
                        .unwrap_or(DeliveryReason::Unknown),
                    bytes: std::mem::take(&mut self.partial[node]),
                });
            }
        }
        self.nodes = nodes;
        std::mem::take(self.hosts.actions())
    }

    /// Returns ports that are zero at all nodes while no host has work. Returns `None` if some host
    /// has work in this clock cycle. While its node's index is zero, a host shows the first byte of
    /// its message.
    pub fn idle(&self) -> Option<[NodePortId; 3]> {
        (!self.was_active).then_some([self.index, self.taken, self.out_valid])
    }
}

// Hosts of all nodes: they supply messages to the nodes and receive messages from them.

/// Bit of a length byte that marks an end instead of a message: the end of a program, with its exit
/// code, or the end of the host's data (`HOST_END` in firmware/include/node_port.h).
pub(super) const HOST_END: u8 = 0x80;

/// Returns byte `index` of a message in its buffer format: length, destination with the low byte
/// first, payload. Returns 0 after the end.
pub(super) fn buffer_byte(message: &Message<&[u8]>, index: usize) -> u8 {
    match index {
        0 => message.payload.len() as u8 + 2,
        1 => message.destination as u8,
        2 => (message.destination >> 8) as u8,
        _ => message.payload.get(index - 3).copied().unwrap_or(0),
    }
}

/// Returns the bytes of a message in its buffer format.
pub(super) fn buffer_bytes<'a>(message: &'a Message<&[u8]>) -> impl Iterator<Item = u8> + 'a {
    (0..message.payload.len() + 3).map(|index| buffer_byte(message, index))
}

/// Action of a host and its node in a clock cycle.
pub(super) enum HostAction {
    /// The node took this message of its host, into this buffer.
    Taken { node: usize, slot: usize, message: usize },
    /// The node passed the contents of a buffer to its host.
    Output(HostOutput),
}

/// Hosts of all nodes. Each supplies its messages one by one and takes the messages that arrive.
pub(super) struct TrafficSources {
    messages: Arc<MessageList>,
    pub queues: SourceQueues,
    /// For each node, the index of the last byte returned, or [`NO_INDEX`].
    last_index: Vec<u64>,
    actions: Vec<HostAction>,
}

/// Marks that no index is valid, because the host's next message has changed.
const NO_INDEX: u64 = u64::MAX;

impl HostPorts<TrafficSources> {
    /// Queues the messages, except those to their own source. `releases` gives, for each message,
    /// the phase from which its host has it. Messages past the end of `releases` are available from
    /// the first phase.
    pub fn traffic(
        engine: &mut dyn NodeEngine,
        messages: Arc<MessageList>,
        releases: &[u64],
    ) -> Self {
        let nodes = engine.nodes();
        let sources = TrafficSources {
            queues: SourceQueues::new(&messages, releases, nodes),
            messages,
            last_index: vec![NO_INDEX; nodes],
            actions: vec![],
        };
        let port = HostPorts::new(engine, sources);
        for node in 0..nodes {
            port.offer(engine, node, port.hosts.queues.front(node).is_some());
        }
        port
    }

    /// Queues the messages that become available in this phase, counted from the start. Must be
    /// called at the beginning of the phase. Returns true if there were any.
    pub fn release(&mut self, engine: &mut dyn NodeEngine, phase: u64) -> bool {
        let mut any = false;
        while let Some(node) = self.hosts.queues.release(phase) {
            self.hosts.last_index[node] = NO_INDEX;
            self.offer(engine, node, true);
            self.wake(node);
            any = true;
        }
        any
    }
}

impl HostBehaviour for TrafficSources {
    type Actions = Vec<HostAction>;

    fn actions(&mut self) -> &mut Vec<HostAction> {
        &mut self.actions
    }

    fn byte(&mut self, node: usize, index: u64) -> Option<u8> {
        if self.last_index[node] == index {
            return None;
        }
        self.last_index[node] = index;
        let message = self.queues.front(node)?;
        Some(buffer_byte(&self.messages.get(message), index as usize))
    }

    fn on_taken(&mut self, node: usize, slot: usize) -> bool {
        if let Some(message) = self.queues.pop(node) {
            self.last_index[node] = NO_INDEX;
            self.actions.push(HostAction::Taken { node, slot, message });
        }
        self.queues.front(node).is_some()
    }

    fn on_output(&mut self, output: HostOutput) {
        // The program has ended. Its node continues to route.
        if output.bytes[0] & HOST_END == 0 {
            self.actions.push(HostAction::Output(output));
        }
    }
}

// Messages that wait at the hosts of the cube.

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
            *queue = SourceQueue { begin, end: begin, all: begin };
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
        SourceQueues { order, queues, later }
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
            messages.push(Message { source: *source, destination: *destination, payload: &[] });
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
        assert_eq!([0; 3].map(|node| queues.pop(node)), [Some(3), Some(0), None]);
        assert_eq!(all(&queues), [vec![0; 0], vec![]]);
    }
}
