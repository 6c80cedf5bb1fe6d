//! The hosts of all nodes: they hand messages to the nodes and take what comes.

use super::host_port::{Handed, HostPort, Hosted};
use super::queues::Queues;
use crate::engine::{NodeEngine, NodePort};
use crate::traffic::{Message, MessageList};
use std::sync::Arc;

/// The bit of a length byte that says that what follows is no message but an end: of a
/// program, with its exit code, or of what a host has for it (`HOST_END` in
/// firmware/include/node_port.h).
pub(super) const HOST_END: u8 = 0x80;

/// The byte at this place of a message as a register holds it: its length, the
/// destination low byte first, the payload; 0 after that.
pub(super) fn register_byte(message: &Message<&[u8]>, index: usize) -> u8 {
    match index {
        0 => message.payload.len() as u8 + 2,
        1 => message.destination as u8,
        2 => (message.destination >> 8) as u8,
        _ => message.payload.get(index - 3).copied().unwrap_or(0),
    }
}

/// A message as a register holds it.
pub(super) fn register_bytes<'a>(message: &'a Message<&[u8]>) -> impl Iterator<Item = u8> + 'a {
    (0..message.payload.len() + 3).map(|index| register_byte(message, index))
}

/// What hosts and nodes did in a clock cycle.
pub(super) enum Exchange {
    /// The node has this message of its host now, and is at this register.
    Taken {
        node: usize,
        slot: usize,
        message: usize,
    },
    /// The node handed over what a register held.
    Handed(Handed),
}

/// The hosts of all nodes: each hands its messages over one by one and takes
/// what comes.
pub(super) struct Hosts {
    port: HostPort,
    desk: Desk,
}

/// What the hosts have and hear.
struct Desk {
    messages: Arc<MessageList>,
    queues: Queues,
    /// The index for which a byte was found last, or [`ANEW`].
    asked: Vec<u64>,
    exchanged: Vec<Exchange>,
}

/// No index: the host's next message has become another.
const ANEW: u64 = u64::MAX;

impl Hosts {
    /// Queues the messages, but for those to their own source. `releases` says of
    /// each from which phase on its host has it; past its end, from the first.
    pub fn new(engine: &mut dyn NodeEngine, messages: Arc<MessageList>, releases: &[u64]) -> Self {
        let nodes = engine.nodes();
        let port = HostPort::new(engine);
        let queues = Queues::new(&messages, releases, nodes);
        for node in 0..nodes {
            port.offer(engine, node, queues.front(node).is_some());
        }
        Hosts {
            port,
            desk: Desk {
                messages,
                queues,
                asked: vec![ANEW; nodes],
                exchanged: vec![],
            },
        }
    }

    /// At the beginning of a phase, counted from the start: what is there from
    /// then on is queued. Whether there was any.
    pub fn release(&mut self, engine: &mut dyn NodeEngine, phase: u64) -> bool {
        let mut any = false;
        while let Some(node) = self.desk.queues.release(phase) {
            self.desk.asked[node] = ANEW;
            self.port.offer(engine, node, true);
            any = true;
        }
        any
    }

    /// Messages will be there that are not yet.
    pub fn expect_more(&self) -> bool {
        self.desk.queues.expect_more()
    }

    /// Messages that a node has not taken yet.
    pub fn waiting(&self, node: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.desk.queues.waiting(node)
    }

    /// As [`HostPort::exchange`].
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine) -> Vec<Exchange> {
        self.port.exchange(engine, &mut self.desk);
        std::mem::take(&mut self.desk.exchanged)
    }

    /// As [`HostPort::idle`].
    pub fn idle(&self) -> Option<[NodePort; 3]> {
        self.port.idle()
    }
}

impl Hosted for Desk {
    fn byte(&mut self, node: usize, index: u64) -> Option<u8> {
        if self.asked[node] == index {
            return None;
        }
        self.asked[node] = index;
        let message = self.queues.front(node)?;
        Some(register_byte(&self.messages.get(message), index as usize))
    }

    fn taken(&mut self, node: usize, slot: usize) -> bool {
        if let Some(message) = self.queues.pop(node) {
            self.asked[node] = ANEW;
            self.exchanged.push(Exchange::Taken {
                node,
                slot,
                message,
            });
        }
        self.queues.front(node).is_some()
    }

    fn handed(&mut self, handed: Handed) {
        // The program has ended, and goes on routing.
        if handed.bytes[0] & HOST_END == 0 {
            self.exchanged.push(Exchange::Handed(handed));
        }
    }
}
