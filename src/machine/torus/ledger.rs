//! The bookkeeping of a run of the torus: the fate of each message.

use super::outcome::{TorusCounters, TorusFate};
use crate::traffic::Message;
use std::collections::HashMap;

/// What a message is known by when it arrives: destination and payload.
type Key = (u32, Vec<u8>);

/// Which messages have arrived.
pub(super) struct Ledger {
    pub fates: Vec<TorusFate>,
    pub counters: TorusCounters,
    /// Messages that have not arrived.
    pub left: usize,
    missing: HashMap<Key, Vec<usize>>,
    /// Of each message, the clock cycle in which its first byte was on the port.
    pub sent: Vec<u64>,
}

impl Ledger {
    pub fn new(messages: &[Message<&[u8]>]) -> Self {
        let mut missing: HashMap<Key, Vec<usize>> = HashMap::new();
        let mut fates = vec![TorusFate::Missing; messages.len()];
        for (number, message) in messages.iter().enumerate().rev() {
            if message.is_to_self() {
                fates[number] = TorusFate::ToSelf;
                continue;
            }
            let key = (message.destination, message.payload.to_vec());
            missing.entry(key).or_default().push(number);
        }
        Ledger {
            counters: TorusCounters::default(),
            left: missing.values().map(Vec::len).sum(),
            missing,
            sent: vec![0; fates.len()],
            fates,
        }
    }

    /// A packet has come to a node; of equal messages the first in the list has. `at` is
    /// the clock cycle in which its tail left the last queue.
    pub fn arrived(&mut self, node: usize, payload: Option<Vec<u8>>, at: u64) {
        let Some(payload) = payload else {
            self.counters.damaged += 1;
            return;
        };
        match self.missing.get_mut(&(node as u32, payload)) {
            Some(numbers) => match numbers.pop() {
                Some(number) => {
                    let sent = self.sent[number];
                    self.fates[number] = TorusFate::Delivered { sent, at };
                    self.left -= 1;
                }
                None => self.counters.duplicated += 1,
            },
            None => self.counters.misrouted += 1,
        }
    }
}
