//! The ports that all nodes have for their hosts, and what goes over them byte by byte.

use crate::engine::{NodeEngine, NodePort};

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
    fn decode(reason: u64) -> Self {
        match reason {
            0 => HandedOver::Delivered,
            1 => HandedOver::Undelivered,
            _ => HandedOver::Unknown,
        }
    }
}

/// A message that a node has handed over whole.
pub(super) struct Handed {
    pub node: usize,
    /// The register that it was in.
    pub slot: usize,
    pub why: HandedOver,
    /// With the length byte.
    pub bytes: Vec<u8>,
}

/// What is behind the ports: all hosts.
pub(super) trait Hosted {
    /// The byte at this place of the message that the host of a node has for it; `None` if it is
    /// what was said last, or there is no message.
    fn byte(&mut self, node: usize, index: u64) -> Option<u8>;

    /// The node has the message now, and is at this register. Whether its host has something
    /// more for it.
    fn taken(&mut self, node: usize, slot: usize) -> bool;

    /// A message has come.
    fn handed(&mut self, handed: Handed);
}

/// The ports of all nodes.
pub(super) struct HostPort {
    valid: NodePort,
    data: NodePort,
    index: NodePort,
    taken: NodePort,
    out_valid: NodePort,
    out_data: NodePort,
    out_last: NodePort,
    out_reason: NodePort,
    out_slot: NodePort,
    /// The last `host_data`, which is set only when it changes.
    shown: Vec<u8>,
    /// What has come so far of a message that is being handed over.
    coming: Vec<Vec<u8>>,
    /// A node was at work with its host in the last clock cycle looked at.
    at_work: bool,
    /// For one port of all nodes, to be used again.
    values: Vec<u64>,
    /// For the nodes at which a port is not zero, to be used again.
    nodes: Vec<usize>,
}

impl HostPort {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        let nodes = engine.nodes();
        HostPort {
            valid: engine.port("host_valid"),
            data: engine.port("host_data"),
            index: engine.port("host_index"),
            taken: engine.port("host_taken"),
            out_valid: engine.port("out_valid"),
            out_data: engine.port("out_data"),
            out_last: engine.port("out_last"),
            out_reason: engine.port("out_reason"),
            out_slot: engine.port("out_slot"),
            shown: vec![0; nodes],
            coming: vec![vec![]; nodes],
            at_work: true,
            values: vec![],
            nodes: vec![],
        }
    }

    /// Whether the host of a node has something for it.
    pub fn offer(&self, engine: &mut dyn NodeEngine, node: usize, has: bool) {
        engine.set(self.valid, node, has.into());
    }

    /// What a host shows has become another: it is looked at in the next clock cycle.
    pub fn wake(&mut self) {
        self.at_work = true;
    }

    /// One clock cycle at all ports, after the circuit has settled and before the clock
    /// edge.
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine, hosts: &mut impl Hosted) {
        let mut values = std::mem::take(&mut self.values);
        engine.get_all(self.index, &mut values);
        self.at_work = false;
        for (node, &index) in values.iter().enumerate() {
            self.at_work |= index != 0;
            match hosts.byte(node, index) {
                Some(byte) if byte != self.shown[node] => {
                    self.shown[node] = byte;
                    engine.set(self.data, node, byte.into());
                }
                _ => {}
            }
        }
        self.values = values;
        let mut nodes = std::mem::take(&mut self.nodes);
        engine.nonzero(self.taken, &mut nodes);
        for &node in &nodes {
            self.at_work = true;
            let slot = engine.get(self.out_slot, node) as usize;
            let more = hosts.taken(node, slot);
            self.offer(engine, node, more);
        }
        engine.nonzero(self.out_valid, &mut nodes);
        for &node in &nodes {
            self.at_work = true;
            let byte = engine.get(self.out_data, node) as u8;
            self.coming[node].push(byte);
            if engine.get(self.out_last, node) == 1 {
                hosts.handed(Handed {
                    node,
                    slot: engine.get(self.out_slot, node) as usize,
                    why: HandedOver::decode(engine.get(self.out_reason, node)),
                    bytes: std::mem::take(&mut self.coming[node]),
                });
            }
        }
        self.nodes = nodes;
    }

    /// Ports that are zero at all nodes as long as no host has anything to do; only
    /// if that is so in this clock cycle. What a host shows while its node's
    /// index is zero is the first byte of its message.
    pub fn idle(&self) -> Option<[NodePort; 3]> {
        (!self.at_work).then_some([self.index, self.taken, self.out_valid])
    }
}
