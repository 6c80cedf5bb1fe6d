//! Carries a list of messages through a machine whose nodes route, and accounts for each.

use super::client::HostError;
use super::machine::{routed_message, Machine};
use super::message::ProgramEvent;
use interconnect::traffic::MessageList;
use rtl::tdma::DeliveryReason;
use std::collections::{HashMap, VecDeque};

/// Outcome of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOutcome {
    /// Arrived once, unchanged, at its destination, after `phase` phases.
    Delivered { phase: u32 },
    /// Dropped by a node on its route, after `phase` phases.
    Dropped { node: u32, phase: u32 },
    /// Never reported before the machine came to rest.
    Lost,
}

/// Outcome of a list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CarryReport {
    /// One entry per message, in the order of the list.
    pub outcomes: Vec<Option<CarryOutcome>>,
    /// Unexpected or duplicate messages: the node and the bytes that it reported.
    pub unexpected: Vec<(u32, Vec<u8>)>,
    /// Outstanding messages, keyed by the bytes that arrive. Several messages may be equal.
    outstanding: HashMap<Vec<u8>, VecDeque<usize>>,
    /// Number of outstanding messages.
    waiting: usize,
}

impl CarryReport {
    fn new(messages: &MessageList) -> Self {
        let mut stats = CarryReport {
            outcomes: vec![None; messages.len()],
            waiting: messages.len(),
            ..CarryReport::default()
        };
        for (place, message) in messages.iter().enumerate() {
            let bytes = routed_message(message.destination, message.payload);
            stats.outstanding.entry(bytes).or_default().push_back(place);
        }
        stats
    }

    /// Number of messages whose outcome satisfies `is`.
    pub fn count(&self, is: impl Fn(CarryOutcome) -> bool) -> usize {
        self.outcomes.iter().flatten().filter(|delivery| is(**delivery)).count()
    }

    /// Accounts for an event that a node reported. Routers never end.
    fn record_event(&mut self, event: ProgramEvent) {
        let ProgramEvent::Message { node, phase, why, bytes } = event else {
            return;
        };
        let to = match bytes[..] {
            [low, high, ..] => u32::from(u16::from_le_bytes([low, high])),
            _ => u32::MAX,
        };
        let delivery = match why {
            DeliveryReason::Delivered if to == node => CarryOutcome::Delivered { phase },
            DeliveryReason::Delivered => return self.unexpected.push((node, bytes)),
            DeliveryReason::Undelivered | DeliveryReason::Unknown => {
                CarryOutcome::Dropped { node, phase }
            }
        };
        let place = self.outstanding.get_mut(&bytes).and_then(VecDeque::pop_front);
        match place {
            Some(place) => {
                self.outcomes[place] = Some(delivery);
                self.waiting -= 1;
            }
            None => self.unexpected.push((node, bytes)),
        }
    }
}

impl Machine {
    /// Sends messages through the machine, whose nodes run `route`. Waits until each message has
    /// arrived or nothing moves any more. The callback receives the number of messages under way.
    ///
    /// # Errors
    /// If a message is too long for the machine, or the board fails.
    pub fn carry(
        &mut self,
        messages: &MessageList,
        progress: &mut dyn FnMut(usize),
    ) -> Result<CarryReport, HostError> {
        let mut stats = CarryReport::new(messages);
        let sends = messages.iter().map(|message| {
            let bytes = routed_message(message.destination, message.payload);
            (message.source, bytes)
        });
        self.send_all(sends.collect())?;
        let mut events = self.collect_streaming();
        while stats.waiting > 0 {
            let Some(event) = events.next().transpose()? else {
                break;
            };
            stats.record_event(event);
            progress(stats.waiting);
        }
        // Duplicates may arrive after the last expected message.
        for event in self.collect_now()? {
            stats.record_event(event);
        }
        for delivery in &mut stats.outcomes {
            delivery.get_or_insert(CarryOutcome::Lost);
        }
        Ok(stats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interconnect::traffic::Message;

    #[test]
    fn each_message_has_one_outcome() {
        let mut list = MessageList::default();
        for (source, destination, payload) in [(0, 5, 7u8), (1, 5, 7), (2, 3, 9), (4, 1, 8)] {
            list.push(Message { source, destination, payload: &[payload] });
        }
        let mut stats = CarryReport::new(&list);
        let mut reported = |node, phase, why, bytes: &[u8]| {
            stats.record_event(ProgramEvent::Message { node, phase, why, bytes: bytes.to_vec() });
        };
        let delivered = DeliveryReason::Delivered;
        reported(5, 3, delivered, &[5, 0, 7]);
        reported(3, 4, delivered, &[3, 0, 9]);
        // A duplicate, a message at the wrong node, a damaged one, and bytes that are no message.
        reported(3, 5, delivered, &[3, 0, 9]);
        reported(2, 5, delivered, &[1, 0, 8]);
        reported(1, 5, delivered, &[1, 0, 9]);
        reported(1, 5, delivered, &[1]);
        reported(6, 6, DeliveryReason::Undelivered, &[1, 0, 8]);
        let dropped = CarryOutcome::Dropped { node: 6, phase: 6 };
        let expected = [
            Some(CarryOutcome::Delivered { phase: 3 }),
            None,
            Some(CarryOutcome::Delivered { phase: 4 }),
            Some(dropped),
        ];
        assert_eq!(stats.outcomes, expected);
        assert_eq!(stats.unexpected.len(), 4);
        assert_eq!(stats.waiting, 1);
    }
}
