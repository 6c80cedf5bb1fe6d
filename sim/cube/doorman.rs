//! A count of what the nodes hand to their hosts that is not the machine's own: it
//! looks at the ports in every clock cycle, and knows nothing of phases, frames and
//! registers.

use phasecube::engine::{EngineError, NodeEngine, NodePort, Observer};
use phasecube::traffic::Message;
use std::collections::BTreeMap;

/// How often each message was handed over, by node and bytes: destination and
/// payload.
pub type Counts = BTreeMap<(u32, Vec<u8>), u64>;

pub struct Doorman {
    valid: NodePort,
    data: NodePort,
    last: NodePort,
    reason: NodePort,
    coming: Vec<Vec<u8>>,
    /// Handed over as delivered.
    pub delivered: Counts,
    /// Handed over for another reason.
    pub given_up: u64,
}

impl Doorman {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        Doorman {
            valid: engine.port("out_valid"),
            data: engine.port("out_data"),
            last: engine.port("out_last"),
            reason: engine.port("out_reason"),
            coming: vec![vec![]; engine.nodes()],
            delivered: Counts::new(),
            given_up: 0,
        }
    }

    /// What it counts if every message is delivered once.
    pub fn once(messages: &[Message]) -> Counts {
        let mut counts = Counts::new();
        for message in messages.iter().filter(|m| !m.is_to_self()) {
            let destination = message.destination;
            let mut bytes = vec![destination as u8, (destination >> 8) as u8];
            bytes.extend(&message.payload);
            *counts.entry((destination, bytes)).or_default() += 1;
        }
        counts
    }
}

impl Observer for Doorman {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _clock: u64) -> Result<(), EngineError> {
        if !engine.any(&[self.valid]) {
            return Ok(());
        }
        for node in 0..engine.nodes() {
            if engine.get(self.valid, node) == 0 {
                continue;
            }
            self.coming[node].push(engine.get(self.data, node) as u8);
            if engine.get(self.last, node) == 0 {
                continue;
            }
            // A length comes first.
            let bytes = self.coming[node].drain(..).skip(1).collect();
            match engine.get(self.reason, node) {
                0 => *self.delivered.entry((node as u32, bytes)).or_default() += 1,
                _ => self.given_up += 1,
            }
        }
        Ok(())
    }
}
