//! Ports of all nodes for their hosts, and the bytes on them.

use crate::engine::{NodeEngine, NodePort};

/// Reason why a node passes a message to its host, in the encoding of
/// [`Reason`](crate::rtl::tdma::Reason).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandedOver {
    /// The message has arrived.
    Delivered,
    /// The message was dropped and has certainly not arrived.
    Undelivered,
    /// The message was dropped, and may or may not have arrived.
    Unknown,
}

impl HandedOver {
    /// Decodes the value of the port `out_reason`.
    fn decode(reason: u64) -> Self {
        match reason {
            0 => HandedOver::Delivered,
            1 => HandedOver::Undelivered,
            _ => HandedOver::Unknown,
        }
    }
}

/// Complete message that a node has passed to its host.
pub(super) struct Handed {
    pub node: usize,
    /// Buffer that held the message.
    pub slot: usize,
    pub why: HandedOver,
    /// Bytes of the message, with the length byte.
    pub bytes: Vec<u8>,
}

/// Behaviour of all hosts behind the ports.
pub(super) trait Hosted {
    /// Returns byte `index` of the next message for a node. Returns `None` if this byte was the
    /// last one returned, or if there is no message.
    fn byte(&mut self, node: usize, index: u64) -> Option<u8>;

    /// Called when the node has taken the message, in this buffer. Returns true if its host has
    /// another message.
    fn taken(&mut self, node: usize, slot: usize) -> bool;

    /// Called when a message has been received completely.
    fn handed(&mut self, handed: Handed);
}

/// Host ports of all nodes.
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
    /// Last `host_data` of each node. The input is set only when it changes.
    shown: Vec<u8>,
    /// Bytes received so far of a message in transfer.
    coming: Vec<Vec<u8>>,
    /// True if a node exchanged data with its host in the last clock cycle that was examined.
    at_work: bool,
    /// Reused allocation for the values of one port of all nodes.
    values: Vec<u64>,
    /// Reused allocation for the nodes whose port is not zero.
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

    /// Sets whether the host of a node has a message for it.
    pub fn offer(&self, engine: &mut dyn NodeEngine, node: usize, has: bool) {
        engine.set(self.valid, node, has.into());
    }

    /// Requests an examination of the ports in the next clock cycle, because the output of a host
    /// has changed.
    pub fn wake(&mut self) {
        self.at_work = true;
    }

    /// Handles one clock cycle at all ports, after the circuit has settled and before the clock
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

    /// Returns ports that are zero at all nodes while no host has work. Returns `None` if some host
    /// has work in this clock cycle. While its node's index is zero, a host shows the first byte of
    /// its message.
    pub fn idle(&self) -> Option<[NodePort; 3]> {
        (!self.at_work).then_some([self.index, self.taken, self.out_valid])
    }
}
