//! Carries a list of messages through a machine whose nodes route, and accounts for each.

use super::error::HostError;
use super::message::Event;
use super::thinkin_machine::{through, ThinkinMachine};
use crate::networks::tdma::cube::HandedOver;
use crate::traffic::MessageList;
use std::collections::{HashMap, VecDeque};

/// Outcome of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// Arrived once, unchanged, at its destination, after `phase` phases.
    Delivered { phase: u32 },
    /// Dropped by a node on its route, after `phase` phases.
    GivenUp { node: u32, phase: u32 },
    /// Never reported before the machine came to rest.
    Lost,
}

/// Outcome of a list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// One entry per message, in the order of the list.
    pub fates: Vec<Option<Carried>>,
    /// Unexpected or duplicate messages: the node and the bytes that it reported.
    pub strangers: Vec<(u32, Vec<u8>)>,
    /// Outstanding messages, keyed by the bytes that arrive. Several messages may be equal.
    open: HashMap<Vec<u8>, VecDeque<usize>>,
    /// Number of outstanding messages.
    waiting: usize,
}

impl Account {
    fn new(messages: &MessageList) -> Self {
        let mut account = Account {
            fates: vec![None; messages.len()],
            waiting: messages.len(),
            ..Account::default()
        };
        for (place, message) in messages.iter().enumerate() {
            let bytes = through(message.destination, message.payload);
            account.open.entry(bytes).or_default().push_back(place);
        }
        account
    }

    /// Number of messages whose outcome satisfies `is`.
    pub fn count(&self, is: impl Fn(Carried) -> bool) -> usize {
        self.fates
            .iter()
            .flatten()
            .filter(|fate| is(**fate))
            .count()
    }

    /// Accounts for an event that a node reported. Routers never end.
    fn told(&mut self, event: Event) {
        let Event::Message {
            node,
            phase,
            why,
            bytes,
        } = event
        else {
            return;
        };
        let to = match bytes[..] {
            [low, high, ..] => u32::from(u16::from_le_bytes([low, high])),
            _ => u32::MAX,
        };
        let fate = match why {
            HandedOver::Delivered if to == node => Carried::Delivered { phase },
            HandedOver::Delivered => return self.strangers.push((node, bytes)),
            HandedOver::Undelivered | HandedOver::Unknown => Carried::GivenUp { node, phase },
        };
        let place = self.open.get_mut(&bytes).and_then(VecDeque::pop_front);
        match place {
            Some(place) => {
                self.fates[place] = Some(fate);
                self.waiting -= 1;
            }
            None => self.strangers.push((node, bytes)),
        }
    }
}

impl ThinkinMachine {
    /// Sends messages through the machine, whose nodes run `route`. Waits until each message has
    /// arrived or nothing moves any more. The callback receives the number of messages under way.
    ///
    /// # Errors
    /// If a message is too long for the machine, or the board fails.
    pub fn carry(
        &mut self,
        messages: &MessageList,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Account, HostError> {
        let mut account = Account::new(messages);
        let sends = messages.iter().map(|message| {
            let bytes = through(message.destination, message.payload);
            (message.source, bytes)
        });
        self.send_all(sends.collect())?;
        let mut events = self.collect_streaming();
        while account.waiting > 0 {
            let Some(event) = events.next().transpose()? else {
                break;
            };
            account.told(event);
            progress(account.waiting);
        }
        // Duplicates may arrive after the last expected message.
        for event in self.collect_now()? {
            account.told(event);
        }
        for fate in &mut account.fates {
            fate.get_or_insert(Carried::Lost);
        }
        Ok(account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Message;

    #[test]
    fn each_message_is_accounted_for_once() {
        let mut list = MessageList::default();
        for (source, destination, payload) in [(0, 5, 7u8), (1, 5, 7), (2, 3, 9), (4, 1, 8)] {
            list.push(Message {
                source,
                destination,
                payload: &[payload],
            });
        }
        let mut account = Account::new(&list);
        let mut told = |node, phase, why, bytes: &[u8]| {
            account.told(Event::Message {
                node,
                phase,
                why,
                bytes: bytes.to_vec(),
            });
        };
        let delivered = HandedOver::Delivered;
        told(5, 3, delivered, &[5, 0, 7]);
        told(3, 4, delivered, &[3, 0, 9]);
        // A duplicate, a message at the wrong node, a damaged one, and bytes that are no message.
        told(3, 5, delivered, &[3, 0, 9]);
        told(2, 5, delivered, &[1, 0, 8]);
        told(1, 5, delivered, &[1, 0, 9]);
        told(1, 5, delivered, &[1]);
        told(6, 6, HandedOver::Undelivered, &[1, 0, 8]);
        let given_up = Carried::GivenUp { node: 6, phase: 6 };
        let expected = [
            Some(Carried::Delivered { phase: 3 }),
            None,
            Some(Carried::Delivered { phase: 4 }),
            Some(given_up),
        ];
        assert_eq!(account.fates, expected);
        assert_eq!(account.strangers.len(), 4);
        assert_eq!(account.waiting, 1);
    }
}
