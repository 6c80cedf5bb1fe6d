//! Counts the messages that nodes deliver to their hosts, independently of the machine's own
//! counts. It observes the ports in every clock cycle and has no model of phases, frames or
//! buffers.

use phasecube::engine::{EngineError, NodeEngine, NodePortId, Observer};
use phasecube::traffic::Message;
use std::collections::BTreeMap;

/// Deliveries of each message, by node and bytes. The bytes are destination and payload.
pub type DeliveryCounts = BTreeMap<(u32, Vec<u8>), u64>;

/// Observer that counts the deliveries at the nodes.
pub struct DeliveryCounter {
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

impl DeliveryCounter {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        DeliveryCounter {
            valid: engine.port("out_valid"),
            data: engine.port("out_data"),
            last: engine.port("out_last"),
            reason: engine.port("out_reason"),
            coming: vec![vec![]; engine.nodes()],
            delivered: DeliveryCounts::new(),
            dropped: 0,
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
}

impl Observer for DeliveryCounter {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _: u64) -> Result<(), EngineError> {
        let mut nodes = vec![];
        engine.nonzero(self.valid, &mut nodes);
        for node in nodes {
            self.coming[node].push(engine.get(self.data, node) as u8);
            if engine.get(self.last, node) == 0 {
                continue;
            }
            // The first byte is the length.
            let bytes = self.coming[node].drain(..).skip(1).collect();
            match engine.get(self.reason, node) {
                0 => *self.delivered.entry((node as u32, bytes)).or_default() += 1,
                _ => self.dropped += 1,
            }
        }
        Ok(())
    }
}
