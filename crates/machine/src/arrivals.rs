//! Outcomes of messages that are identified by their contents when they arrive.

use super::Delivery;
use std::collections::HashMap;
use std::hash::Hash;

/// Outcome of each message, for machines in which only its arrival shows what became of it.
///
/// The key of a message is its destination with its contents. If several messages are equal, the
/// first one in the list counts as arrived.
pub struct Arrivals<K> {
    pub deliveries: Vec<Delivery>,
    /// Number of messages that have not arrived.
    pub missing: usize,
    /// Number of messages that arrived a second time.
    pub duplicated: u64,
    /// Number of arrivals that equal no message.
    pub undetected: u64,
    /// For each key, the messages that have not arrived, with the next one last.
    open: HashMap<K, Vec<usize>>,
}

impl<K: Eq + Hash> Arrivals<K> {
    /// Creates the outcomes from the key of each message, in order. A message that does not enter
    /// the network has an outcome instead.
    pub fn new(messages: impl IntoIterator<Item = Result<K, Delivery>>) -> Self {
        let mut open: HashMap<K, Vec<usize>> = HashMap::new();
        let mut deliveries = vec![];
        let mut missing = 0;
        for (number, message) in messages.into_iter().enumerate() {
            deliveries.push(match message {
                Err(delivery) => delivery,
                Ok(key) => {
                    open.entry(key).or_default().push(number);
                    missing += 1;
                    Delivery::UnderWay
                }
            });
        }
        open.values_mut().for_each(|numbers| numbers.reverse());
        Arrivals { deliveries, missing, duplicated: 0, undetected: 0, open }
    }

    /// Records an arrival in step `t`. Returns the message, if there is one.
    pub fn record(&mut self, key: &K, t: u64) -> Option<usize> {
        let Some(numbers) = self.open.get_mut(key) else {
            self.undetected += 1;
            return None;
        };
        let number = numbers.pop();
        match number {
            Some(number) => {
                // The number of steps of a run fits in the type of a step.
                self.deliveries[number] = Delivery::Delivered { t: t as u32 };
                self.missing -= 1;
            }
            None => self.duplicated += 1,
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_messages_arrive_in_order_and_are_counted() {
        let mut arrivals = Arrivals::new([Ok(7), Err(Delivery::ToSelf), Ok(7), Ok(9)]);
        assert_eq!(arrivals.missing, 3);
        assert_eq!(arrivals.record(&7, 4), Some(0));
        assert_eq!(arrivals.record(&7, 5), Some(2));
        assert_eq!(arrivals.record(&7, 6), None);
        assert_eq!(arrivals.record(&8, 6), None);
        assert_eq!((arrivals.duplicated, arrivals.undetected), (1, 1));
        assert_eq!(arrivals.missing, 1);
        use Delivery::{Delivered, ToSelf, UnderWay};
        let expected = [Delivered { t: 4 }, ToSelf, Delivered { t: 5 }, UnderWay];
        assert_eq!(arrivals.deliveries, expected);
    }
}
