//! The hosts of all nodes: they hand messages to the nodes and take what comes.

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

/// Why a node hands a message to its host; as
/// [`Reason`](crate::rtl::tdma::Reason) is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedOver {
    /// It has arrived.
    Delivered,
    /// It was given up, for sure before it arrived.
    Undelivered,
    /// It was given up; whether it has arrived nobody knows.
    Unknown,
}

impl HandedOver {
    /// From the port `out_reason`.
    pub(super) fn decode(reason: u64) -> Self {
        match reason {
            0 => HandedOver::Delivered,
            1 => HandedOver::Undelivered,
            _ => HandedOver::Unknown,
        }
    }
}

/// What hosts and nodes did in a clock cycle.
pub(super) enum Exchange {
    /// The node has this message of its host now, and is at this register.
    Taken {
        node: usize,
        slot: usize,
        message: usize,
    },
    /// The node handed over what this register held.
    Handed {
        node: usize,
        slot: usize,
        why: HandedOver,
        bytes: Vec<u8>,
    },
}

/// The hosts of all nodes: each hands its messages over one by one and takes
/// what comes.
pub(super) struct Hosts {
    pins: Pins,
    messages: Arc<MessageList>,
    queues: Queues,
    /// What has come so far of a message that is being handed over.
    coming: Vec<Vec<u8>>,
    /// The last `host_data`, which is set only when it changes.
    shown: Vec<u8>,
    /// The index for which that was found, or [`ANEW`].
    asked: Vec<u64>,
    /// A node was at work with its host in the last clock cycle looked at.
    at_work: bool,
    /// For one port of all nodes, to be used again.
    values: Vec<u64>,
}

/// No index: the host's next message has become another.
const ANEW: u64 = u64::MAX;

struct Pins {
    valid: NodePort,
    data: NodePort,
    index: NodePort,
    taken: NodePort,
    out_valid: NodePort,
    out_data: NodePort,
    out_last: NodePort,
    out_reason: NodePort,
    out_slot: NodePort,
}

impl Hosts {
    /// Queues the messages, but for those to their own source. `releases` says of
    /// each from which phase on its host has it; past its end, from the first.
    pub fn new(engine: &mut dyn NodeEngine, messages: Arc<MessageList>, releases: &[u64]) -> Self {
        let nodes = engine.nodes();
        let pins = Pins {
            valid: engine.port("host_valid"),
            data: engine.port("host_data"),
            index: engine.port("host_index"),
            taken: engine.port("host_taken"),
            out_valid: engine.port("out_valid"),
            out_data: engine.port("out_data"),
            out_last: engine.port("out_last"),
            out_reason: engine.port("out_reason"),
            out_slot: engine.port("out_slot"),
        };
        let queues = Queues::new(&messages, releases, nodes);
        for node in 0..nodes {
            engine.set(pins.valid, node, u64::from(queues.front(node).is_some()));
        }
        Hosts {
            pins,
            messages,
            queues,
            coming: vec![vec![]; nodes],
            shown: vec![0; nodes],
            asked: vec![ANEW; nodes],
            at_work: true,
            values: vec![],
        }
    }

    /// At the beginning of a phase, counted from the start: what is there from
    /// then on is queued. Whether there was any.
    pub fn release(&mut self, engine: &mut dyn NodeEngine, phase: u64) -> bool {
        let mut any = false;
        while let Some(node) = self.queues.release(phase) {
            self.asked[node] = ANEW;
            engine.set(self.pins.valid, node, 1);
            any = true;
        }
        any
    }

    /// Messages will be there that are not yet.
    pub fn expect_more(&self) -> bool {
        self.queues.expect_more()
    }

    /// Messages that a node has not taken yet.
    pub fn waiting(&self, node: usize) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.queues.waiting(node)
    }

    /// One clock cycle at all ports, after the circuit has settled and before
    /// the clock edge.
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine) -> Vec<Exchange> {
        let mut out = vec![];
        let mut values = std::mem::take(&mut self.values);
        engine.get_all(self.pins.index, &mut values);
        self.at_work = values.iter().any(|index| *index != 0);
        for (node, &index) in values.iter().enumerate() {
            if self.asked[node] != index {
                self.asked[node] = index;
                self.give(engine, node, index as usize);
            }
        }
        engine.get_all(self.pins.taken, &mut values);
        for node in ones(&values) {
            self.at_work = true;
            self.taken(engine, node, &mut out);
        }
        engine.get_all(self.pins.out_valid, &mut values);
        for node in ones(&values) {
            self.at_work = true;
            self.take(engine, node, &mut out);
        }
        self.values = values;
        out
    }

    /// Ports that are zero at all nodes as long as no host has anything to do; only
    /// if that is so in this clock cycle. What a host shows while its node's
    /// index is zero is the first byte of its message.
    pub fn idle(&self) -> Option<[NodePort; 3]> {
        let pins = &self.pins;
        (!self.at_work).then_some([pins.index, pins.taken, pins.out_valid])
    }

    fn give(&mut self, engine: &mut dyn NodeEngine, node: usize, index: usize) {
        let Some(message) = self.queues.front(node) else {
            return;
        };
        let byte = register_byte(&self.messages.get(message), index);
        if byte != self.shown[node] {
            self.shown[node] = byte;
            engine.set(self.pins.data, node, byte.into());
        }
    }

    fn taken(&mut self, engine: &mut dyn NodeEngine, node: usize, out: &mut Vec<Exchange>) {
        let Some(message) = self.queues.pop(node) else {
            return;
        };
        self.asked[node] = ANEW;
        if self.queues.front(node).is_none() {
            engine.set(self.pins.valid, node, 0);
        }
        let slot = engine.get(self.pins.out_slot, node) as usize;
        out.push(Exchange::Taken {
            node,
            slot,
            message,
        });
    }

    fn take(&mut self, engine: &mut dyn NodeEngine, node: usize, out: &mut Vec<Exchange>) {
        let byte = engine.get(self.pins.out_data, node) as u8;
        self.coming[node].push(byte);
        if engine.get(self.pins.out_last, node) == 1 {
            // The program has ended, and goes on routing.
            if self.coming[node][0] & HOST_END != 0 {
                self.coming[node].clear();
                return;
            }
            let why = HandedOver::decode(engine.get(self.pins.out_reason, node));
            out.push(Exchange::Handed {
                node,
                slot: engine.get(self.pins.out_slot, node) as usize,
                why,
                bytes: std::mem::take(&mut self.coming[node]),
            });
        }
    }
}

/// The nodes whose value is one.
fn ones(values: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let nodes = values.iter().enumerate();
    nodes
        .filter(|(_, value)| **value == 1)
        .map(|(node, _)| node)
}
