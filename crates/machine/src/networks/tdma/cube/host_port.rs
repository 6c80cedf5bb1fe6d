//! Ports of all nodes for their hosts, and the bytes on them.

use engine::{NodeEngine, NodePortId};

/// Reason why a node passes a message to its host, in the encoding of
/// [`DeliveryReason`](rtl::tdma::DeliveryReason).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputReason {
    /// The message has arrived.
    Delivered,
    /// The message was dropped and has certainly not arrived.
    Undelivered,
    /// The message was dropped, and may or may not have arrived.
    Unknown,
}

impl OutputReason {
    /// Decodes the value of the port `out_reason`.
    fn decode(reason: u64) -> Self {
        match reason {
            0 => OutputReason::Delivered,
            1 => OutputReason::Undelivered,
            _ => OutputReason::Unknown,
        }
    }
}

/// Complete message that a node has passed to its host.
pub(super) struct HostOutput {
    pub node: usize,
    /// Buffer that held the message.
    pub slot: usize,
    pub reason: OutputReason,
    /// Bytes of the message, with the length byte.
    pub bytes: Vec<u8>,
}

/// Behaviour of all hosts behind the ports.
pub(super) trait HostBehaviour {
    /// Returns byte `index` of the next message for a node. Returns `None` if this byte was the
    /// last one returned, or if there is no message.
    fn byte(&mut self, node: usize, index: u64) -> Option<u8>;

    /// Called when the node has taken the message, in this buffer. Returns true if its host has
    /// another message.
    fn on_taken(&mut self, node: usize, slot: usize) -> bool;

    /// Called when a message has been received completely.
    fn on_output(&mut self, handed: HostOutput);
}

/// Host ports of all nodes.
pub(super) struct HostPorts {
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
    /// Reused allocation for the values of one port of all nodes.
    values: Vec<u64>,
    /// Reused allocation for the nodes whose port is not zero.
    nodes: Vec<usize>,
}

impl HostPorts {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        let nodes = engine.nodes();
        HostPorts {
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
        self.was_active = true;
    }

    /// Handles one clock cycle at all ports, after the circuit has settled and before the clock
    /// edge.
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine, hosts: &mut impl HostBehaviour) {
        let mut values = std::mem::take(&mut self.values);
        engine.get_all(self.index, &mut values);
        self.was_active = false;
        for (node, &index) in values.iter().enumerate() {
            self.was_active |= index != 0;
            match hosts.byte(node, index) {
                Some(byte) if byte != self.host_data[node] => {
                    self.host_data[node] = byte;
                    engine.set(self.data, node, byte.into());
                }
                _ => {}
            }
        }
        self.values = values;
        let mut nodes = std::mem::take(&mut self.nodes);
        engine.nonzero(self.taken, &mut nodes);
        for &node in &nodes {
            self.was_active = true;
            let slot = engine.get(self.out_slot, node) as usize;
            let more = hosts.on_taken(node, slot);
            self.offer(engine, node, more);
        }
        engine.nonzero(self.out_valid, &mut nodes);
        for &node in &nodes {
            self.was_active = true;
            let byte = engine.get(self.out_data, node) as u8;
            self.partial[node].push(byte);
            if engine.get(self.out_last, node) == 1 {
                hosts.on_output(HostOutput {
                    node,
                    slot: engine.get(self.out_slot, node) as usize,
                    reason: OutputReason::decode(engine.get(self.out_reason, node)),
                    bytes: std::mem::take(&mut self.partial[node]),
                });
            }
        }
        self.nodes = nodes;
    }

    /// Returns ports that are zero at all nodes while no host has work. Returns `None` if some host
    /// has work in this clock cycle. While its node's index is zero, a host shows the first byte of
    /// its message.
    pub fn idle(&self) -> Option<[NodePortId; 3]> {
        (!self.was_active).then_some([self.index, self.taken, self.out_valid])
    }
}
