//! Hosts of all nodes: they supply messages to the nodes and receive messages from them.

use super::host_port::{HostBehaviour, HostOutput, HostPorts};
use super::queues::SourceQueues;
use engine::{NodeEngine, NodePortId};
use interconnect::traffic::{Message, MessageList};
use std::sync::Arc;

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
    Taken {
        node: usize,
        slot: usize,
        message: usize,
    },
    /// The node passed the contents of a buffer to its host.
    Output(HostOutput),
}

/// Hosts of all nodes. Each supplies its messages one by one and takes the messages that arrive.
pub(super) struct TrafficSources {
    port: HostPorts,
    state: TrafficSourceState,
}

/// Queues of the hosts, and recorded actions.
struct TrafficSourceState {
    messages: Arc<MessageList>,
    queues: SourceQueues,
    /// For each node, the index of the last byte returned, or [`NO_INDEX`].
    last_index: Vec<u64>,
    actions: Vec<HostAction>,
}

/// Marks that no index is valid, because the host's next message has changed.
const NO_INDEX: u64 = u64::MAX;

impl TrafficSources {
    /// Queues the messages, except those to their own source. `releases` gives, for each message,
    /// the phase from which its host has it. Messages past the end of `releases` are available from
    /// the first phase.
    pub fn new(engine: &mut dyn NodeEngine, messages: Arc<MessageList>, releases: &[u64]) -> Self {
        let nodes = engine.nodes();
        let port = HostPorts::new(engine);
        let queues = SourceQueues::new(&messages, releases, nodes);
        for node in 0..nodes {
            port.offer(engine, node, queues.front(node).is_some());
        }
        TrafficSources {
            port,
            state: TrafficSourceState {
                messages,
                queues,
                last_index: vec![NO_INDEX; nodes],
                actions: vec![],
            },
        }
    }

    /// Queues the messages that become available in this phase, counted from the start. Must be
    /// called at the beginning of the phase. Returns true if there were any.
    pub fn release(&mut self, engine: &mut dyn NodeEngine, phase: u64) -> bool {
        let mut any = false;
        while let Some(node) = self.state.queues.release(phase) {
            self.state.last_index[node] = NO_INDEX;
            self.port.offer(engine, node, true);
            any = true;
        }
        any
    }

    /// True if more messages become available later.
    pub fn has_later_messages(&self) -> bool {
        self.state.queues.has_later_messages()
    }

    /// Returns the messages that a node has not taken yet.
    pub fn waiting(&self, node: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.state.queues.waiting(node)
    }

    /// As [`HostPorts::exchange`].
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine) -> Vec<HostAction> {
        self.port.exchange(engine, &mut self.state);
        std::mem::take(&mut self.state.actions)
    }

    /// As [`HostPorts::idle`].
    pub fn idle(&self) -> Option<[NodePortId; 3]> {
        self.port.idle()
    }
}

impl HostBehaviour for TrafficSourceState {
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
            self.actions.push(HostAction::Taken {
                node,
                slot,
                message,
            });
        }
        self.queues.front(node).is_some()
    }

    fn on_output(&mut self, handed: HostOutput) {
        // The program has ended. Its node continues to route.
        if handed.bytes[0] & HOST_END == 0 {
            self.actions.push(HostAction::Output(handed));
        }
    }
}
