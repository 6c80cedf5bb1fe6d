//! Counts the messages that nodes deliver to their hosts, independently of the machine's own
//! counts. It observes the ports in every clock cycle and has no model of phases, frames or
//! buffers.

use phasecube::engine::{EngineError, NodeEngine, NodePortId, SharedPortId};
use phasecube::traffic::Message;
use std::collections::BTreeMap;

/// Deliveries of each message, by node and bytes. The bytes are destination and payload.
pub type DeliveryCounts = BTreeMap<(u32, Vec<u8>), u64>;

/// An engine that counts deliveries at its nodes without affecting the machine.
pub struct DeliveryCounter<'a> {
    engine: &'a mut dyn NodeEngine,
    valid: NodePortId,
    data: NodePortId,
    last: NodePortId,
    reason: NodePortId,
    coming: Vec<Vec<u8>>,
    /// Messages delivered to their destination.
    pub delivered: DeliveryCounts,
    /// Messages handed to the host for another reason.
    pub dropped: u64,
}

impl<'a> DeliveryCounter<'a> {
    pub fn new(engine: &'a mut dyn NodeEngine) -> Self {
        DeliveryCounter {
            valid: engine.port("out_valid"),
            data: engine.port("out_data"),
            last: engine.port("out_last"),
            reason: engine.port("out_reason"),
            coming: vec![vec![]; engine.nodes()],
            delivered: DeliveryCounts::new(),
            dropped: 0,
            engine,
        }
    }

    /// Returns the counts that result if every message is delivered once.
    pub fn delivered_once(messages: &[Message]) -> DeliveryCounts {
        let mut counts = DeliveryCounts::new();
        for message in messages.iter().filter(|m| !m.is_to_self()) {
            let destination = message.destination;
            let mut bytes = vec![destination as u8, (destination >> 8) as u8];
            bytes.extend(&message.payload);
            *counts.entry((destination, bytes)).or_default() += 1;
        }
        counts
    }

    /// Samples the ports in a clock cycle, before its edge.
    fn look(&mut self) {
        for node in 0..self.engine.nodes() {
            if self.engine.get(self.valid, node) == 0 {
                continue;
            }
            self.coming[node].push(self.engine.get(self.data, node) as u8);
            if self.engine.get(self.last, node) == 0 {
                continue;
            }
            // The first byte is the length.
            let bytes = self.coming[node].drain(..).skip(1).collect();
            match self.engine.get(self.reason, node) {
                0 => *self.delivered.entry((node as u32, bytes)).or_default() += 1,
                _ => self.dropped += 1,
            }
        }
    }
}

impl NodeEngine for DeliveryCounter<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn nodes(&self) -> usize {
        self.engine.nodes()
    }

    fn port(&mut self, name: &str) -> NodePortId {
        self.engine.port(name)
    }

    fn shared_port(&mut self, name: &str) -> SharedPortId {
        self.engine.shared_port(name)
    }

    fn signal(&mut self, path: &str) -> Option<NodePortId> {
        self.engine.signal(path)
    }

    fn shared_signal(&mut self, path: &str) -> Option<SharedPortId> {
        self.engine.shared_signal(path)
    }

    fn set(&mut self, port: NodePortId, node: usize, value: u64) {
        self.engine.set(port, node, value);
    }

    fn set_shared(&mut self, port: SharedPortId, value: u64) {
        self.engine.set_shared(port, value);
    }

    fn settle(&mut self) -> Result<(), EngineError> {
        self.engine.settle()
    }

    fn get(&mut self, port: NodePortId, node: usize) -> u64 {
        self.engine.get(port, node)
    }

    fn get_shared(&mut self, port: SharedPortId) -> u64 {
        self.engine.get_shared(port)
    }

    fn get_all(&mut self, port: NodePortId, values: &mut Vec<u64>) {
        self.engine.get_all(port, values);
    }

    fn clock(&mut self) -> Result<(), EngineError> {
        self.engine.settle()?;
        if self.engine.any(&[self.valid]) {
            self.look();
        }
        self.engine.clock()
    }

    fn any(&mut self, ports: &[NodePortId]) -> bool {
        self.engine.any(ports)
    }

    fn clocks_until(&mut self, at_most: u64, ports: &[NodePortId]) -> Result<u64, EngineError> {
        let watched = [ports, &[self.valid]].concat();
        let mut done = 0;
        while done < at_most {
            done += self.engine.clocks_until(at_most - done, &watched)?;
            if done == at_most || self.engine.any(ports) {
                break;
            }
            self.clock()?;
            done += 1;
        }
        Ok(done)
    }

    fn clocks(&mut self, clock_cycles: u64) -> Result<(), EngineError> {
        self.clocks_until(clock_cycles, &[]).map(|_| ())
    }
}
