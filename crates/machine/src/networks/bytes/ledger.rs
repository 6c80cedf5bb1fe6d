//! Bookkeeping of a byte-network run: the fate of each message.

use super::ByteShape;
use crate::Delivery;
use interconnect::traffic::MessageList;
use std::collections::HashMap;

/// Identifies an arriving message: destination and payload.
type ByteMessageKey = (u32, Vec<u8>);

/// Records the messages that have arrived. Steps are clock cycles.
pub(super) struct ByteLedger {
    pub deliveries: Vec<Delivery>,
    /// Messages that arrived a second time.
    pub duplicated: u64,
    /// Packets that arrived at a node for which no such message exists.
    pub misrouted: u64,
    /// Packets that arrived with data that decode to no payload.
    pub damaged: u64,
    /// Messages that have not arrived.
    pub missing_count: usize,
    missing: HashMap<ByteMessageKey, Vec<usize>>,
}

impl ByteLedger {
    /// Creates the ledger. Messages from or to a failed node are dropped at once.
    pub fn new(messages: &MessageList, shape: &dyn ByteShape) -> Self {
        let mut missing: HashMap<ByteMessageKey, Vec<usize>> = HashMap::new();
        let mut fates = vec![Delivery::UnderWay; messages.len()];
        for number in (0..messages.len()).rev() {
            let message = messages.get(number);
            if message.is_to_self() {
                fates[number] = Delivery::ToSelf;
                continue;
            }
            if [message.source, message.destination]
                .iter()
                .any(|node| shape.has_failed(*node))
            {
                fates[number] = Delivery::Undelivered;
                continue;
            }
            let key = (message.destination, message.payload.to_vec());
            missing.entry(key).or_default().push(number);
        }
        ByteLedger {
            duplicated: 0,
            misrouted: 0,
            damaged: 0,
            missing_count: missing.values().map(Vec::len).sum(),
            missing,
            deliveries: fates,
        }
    }

    /// Records a packet that arrived at a node, and returns its message, if there is one. If
    /// several open messages are equal, the first one in the list counts as arrived. `at` is the
    /// clock cycle in which the tail left the last queue.
    pub fn record_arrival(
        &mut self,
        node: usize,
        payload: Option<Vec<u8>>,
        at: u64,
    ) -> Option<usize> {
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
                // The number of steps of a run fits in the type of a step.
                self.deliveries[number] = Delivery::Delivered { t: at as u32 };
                self.missing_count -= 1;
            }
            None => self.duplicated += 1,
        }
        number
    }
}
