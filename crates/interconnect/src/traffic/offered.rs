//! Messages that arrive over time.

use super::recipe::Payloads;
use super::{Message, SplitMix64};
use crate::topology::AddressSpace;

/// Number of moments in a period. In each moment every processor may get a message to send.
pub const STEPS_PER_PERIOD: u64 = 16;

/// Sources that get messages at random, for random processors of other nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfferedLoad {
    /// Messages per node and period, up to [`STEPS_PER_PERIOD`].
    pub load: f64,
    /// Number of periods.
    pub periods: u64,
    pub seed: u64,
    /// Bytes of payload.
    pub payload: usize,
}

impl OfferedLoad {
    /// Returns the messages, and the moment in which each arrives, ascending. Processors are
    /// numbered node * P + processor with P = 2^`proc_bits`.
    ///
    /// In every moment each processor draws whether it gets a message (Bernoulli), and its
    /// destination. The random numbers come from SplitMix64 with `seed`. Payloads are drawn in the
    /// same way as for a [`Recipe`](super::Recipe).
    ///
    /// # Panics
    /// If there are more than 65,536 processors.
    pub fn messages(
        &self,
        nodes: impl Into<AddressSpace>,
        proc_bits: u32,
    ) -> (Vec<Message>, Vec<u64>) {
        const ONE: u64 = 1 << 53;
        let processors = 1u64 << proc_bits;
        let share = self.load / (STEPS_PER_PERIOD * processors) as f64;
        let threshold = (share * ONE as f64) as u64;
        let mut random = SplitMix64::new(self.seed);
        let mut payloads = Payloads::new(self.seed, self.payload);
        let (mut messages, mut arrival_steps) = (vec![], vec![]);
        let nodes = u64::from(nodes.into().nodes());
        for step in 0..self.periods * STEPS_PER_PERIOD {
            for source in 0..nodes * processors {
                if random.below(ONE) >= threshold {
                    continue;
                }
                let away = 1 + random.below(nodes - 1);
                let node = (source / processors + away) % nodes;
                let destination = node * processors + random.below(processors);
                messages.push(Message {
                    source: source as u32,
                    destination: destination as u32,
                    payload: payloads.next().to_vec(),
                });
                arrival_steps.push(step);
            }
        }
        (messages, arrival_steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Hypercube;

    #[test]
    fn offered_load_is_met_and_all_messages_leave_their_node() {
        let cube = Hypercube::new(4).unwrap();
        for (load, proc_bits) in [(0.1, 0), (1.0, 2), (2.0, 0)] {
            let offered = OfferedLoad {
                load,
                periods: 100,
                seed: 3,
                payload: 4,
            };
            let (messages, moments) = offered.messages(cube, proc_bits);
            let expected = load * 100.0 * 16.0;
            // Five standard deviations of a sum of Bernoulli trials.
            let slack = 5.0 * f64::sqrt(expected);
            assert!((messages.len() as f64 - expected).abs() < slack);
            assert!(moments.is_sorted());
            assert!(*moments.last().unwrap() < 100 * STEPS_PER_PERIOD);
            for m in &messages {
                assert_ne!(m.source >> proc_bits, m.destination >> proc_bits);
                assert!(m.source.max(m.destination) < 16 << proc_bits);
                assert_eq!(m.payload.len(), 4);
            }
            assert_eq!(offered.messages(cube, proc_bits).0, messages);
        }
    }
}
