use crate::engine::{Engine, PortId};
use crate::traffic::Message;
use std::collections::VecDeque;

/// A message as a register holds it: its length, the destination low byte
/// first, the payload.
pub(super) fn register_bytes(message: &Message) -> Vec<u8> {
    let mut bytes = vec![message.payload.len() as u8 + 2];
    bytes.extend((message.destination as u16).to_le_bytes());
    bytes.extend(&message.payload);
    bytes
}

/// Why a node hands a message to its host; as
/// [`Reason`](crate::rtl::tdma::Reason) is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandedOver {
    Delivered,
    Undelivered,
    Unknown,
}

/// What hosts and nodes did in a clock cycle.
pub(super) enum Exchange {
    /// The node has this message of its host now.
    Taken { node: usize, message: usize },
    /// The node handed over this message.
    Handed {
        node: usize,
        why: HandedOver,
        bytes: Vec<u8>,
    },
}

/// The hosts of all nodes: each hands its messages over one by one and takes
/// what comes.
pub(super) struct Hosts {
    pins: Vec<Pins>,
    queues: Vec<VecDeque<usize>>,
    /// All messages, as registers hold them.
    bytes: Vec<Vec<u8>>,
    /// What has come so far of a message that is being handed over.
    coming: Vec<Vec<u8>>,
    /// The last `host_data`, which is set only when it changes.
    shown: Vec<u8>,
}

struct Pins {
    valid: PortId,
    data: PortId,
    index: PortId,
    taken: PortId,
    out_valid: PortId,
    out_data: PortId,
    out_last: PortId,
    out_reason: PortId,
}

impl Hosts {
    /// Queues the messages, but for those to their own source.
    pub fn new(engine: &mut dyn Engine, nodes: usize, messages: &[Message]) -> Self {
        let pins: Vec<Pins> = (0..nodes)
            .map(|i| {
                let port = |name: &str| engine.port(&format!("{name}[{i}]"));
                Pins {
                    valid: port("host_valid"),
                    data: port("host_data"),
                    index: port("host_index"),
                    taken: port("host_taken"),
                    out_valid: port("out_valid"),
                    out_data: port("out_data"),
                    out_last: port("out_last"),
                    out_reason: port("out_reason"),
                }
            })
            .collect();
        let mut queues = vec![VecDeque::new(); nodes];
        for (i, message) in messages.iter().enumerate() {
            if message.source != message.destination {
                queues[message.source as usize].push_back(i);
            }
        }
        for (pins, queue) in pins.iter().zip(&queues) {
            engine.set_u64(pins.valid, u64::from(!queue.is_empty()));
        }
        Hosts {
            pins,
            queues,
            bytes: messages.iter().map(register_bytes).collect(),
            coming: vec![vec![]; nodes],
            shown: vec![0; nodes],
        }
    }

    /// Messages that a node has not taken yet.
    pub fn waiting(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.queues[node].iter().copied()
    }

    /// One clock cycle at all ports, after the circuit has settled and before
    /// the clock edge.
    pub fn exchange(&mut self, engine: &mut dyn Engine) -> Vec<Exchange> {
        let mut out = vec![];
        for node in 0..self.pins.len() {
            self.give(engine, node, &mut out);
            self.take(engine, node, &mut out);
        }
        out
    }

    fn give(&mut self, engine: &mut dyn Engine, node: usize, out: &mut Vec<Exchange>) {
        let pins = &self.pins[node];
        let Some(message) = self.queues[node].front().copied() else {
            return;
        };
        let index = engine.get_u64(pins.index) as usize;
        let byte = self.bytes[message].get(index).copied().unwrap_or(0);
        if byte != self.shown[node] {
            self.shown[node] = byte;
            engine.set_u64(pins.data, byte.into());
        }
        if engine.get_u64(pins.taken) == 1 {
            self.queues[node].pop_front();
            if self.queues[node].is_empty() {
                engine.set_u64(pins.valid, 0);
            }
            out.push(Exchange::Taken { node, message });
        }
    }

    fn take(&mut self, engine: &mut dyn Engine, node: usize, out: &mut Vec<Exchange>) {
        let pins = &self.pins[node];
        if engine.get_u64(pins.out_valid) == 0 {
            return;
        }
        self.coming[node].push(engine.get_u64(pins.out_data) as u8);
        if engine.get_u64(pins.out_last) == 1 {
            let why = match engine.get_u64(pins.out_reason) {
                0 => HandedOver::Delivered,
                1 => HandedOver::Undelivered,
                _ => HandedOver::Unknown,
            };
            let bytes = std::mem::take(&mut self.coming[node]);
            out.push(Exchange::Handed { node, why, bytes });
        }
    }
}
