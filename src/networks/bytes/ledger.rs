//! The bookkeeping of a run of a byte network: the fate of each message.

use super::ByteShape;
use crate::machine::Fate;
use crate::traffic::MessageList;
use std::collections::HashMap;

/// What a message is known by when it arrives: destination and payload.
type Key = (u32, Vec<u8>);

/// Which messages have arrived. Steps are clock cycles.
pub(super) struct Ledger {
    pub fates: Vec<Fate>,
    /// Messages that arrived a second time.
    pub duplicated: u64,
    /// Packets that arrived and are no message for this node.
    pub misrouted: u64,
    /// Packets that arrived and whose data encode no payload.
    pub damaged: u64,
    /// Messages that have not arrived.
    pub left: usize,
    missing: HashMap<Key, Vec<usize>>,
}

impl Ledger {
    /// Messages from or to a node that has failed are given up at once.
    pub fn new(messages: &MessageList, shape: &dyn ByteShape) -> Self {
        let mut missing: HashMap<Key, Vec<usize>> = HashMap::new();
        let mut fates = vec![Fate::UnderWay; messages.len()];
        for number in (0..messages.len()).rev() {
            let message = messages.get(number);
            if message.is_to_self() {
                fates[number] = Fate::ToSelf;
                continue;
            }
            if [message.source, message.destination]
                .iter()
                .any(|node| shape.has_failed(*node))
            {
                fates[number] = Fate::Undelivered;
                continue;
            }
            let key = (message.destination, message.payload.to_vec());
            missing.entry(key).or_default().push(number);
        }
        Ledger {
            duplicated: 0,
            misrouted: 0,
            damaged: 0,
            left: missing.values().map(Vec::len).sum(),
            missing,
            fates,
        }
    }

    /// A packet has come to a node; of equal messages the first in the list has. `at` is
    /// the clock cycle in which its tail left the last queue. The message, if it is one.
    pub fn arrived(&mut self, node: usize, payload: Option<Vec<u8>>, at: u64) -> Option<usize> {
        let Some(payload) = payload else {
            self.damaged += 1;
            return None;
        };
        let Some(numbers) = self.missing.get_mut(&(node as u32, payload)) else {
            self.misrouted += 1;
            return None;
        };
        let number = numbers.pop();
        match number {
            Some(number) => {
                // A run is not longer than a step has bits.
                self.fates[number] = Fate::Delivered { t: at as u32 };
                self.left -= 1;
            }
            None => self.duplicated += 1,
        }
        number
    }
}
