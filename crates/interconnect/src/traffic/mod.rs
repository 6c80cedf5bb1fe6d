//! Traffic: messages, the patterns that generate them, and files of them (docs/traffic.md).
//!
//! * [`Message`]: one message; [`MessageList`]: millions of them;
//! * [`TrafficPattern`]: a traffic pattern by its name;
//! * [`Recipe`]: pattern, seed and payload length, which determine a list of messages;
//! * [`mod@file`]: lists of messages as text;
//! * [`to_node_messages`]: messages of processors as messages of their nodes;
//! * [`letters`]: twelve readable messages for a first example;
//! * [`OfferedLoad`]: messages that arrive over time, with [`Injection`] and [`PayloadLengths`];
//! * [`Trace`]: messages with their times, from a file;
//! * [`Travelling`]: the messages that leave their node;
//! * [`SplitMix64`]: the only source of random numbers.

pub mod file;
mod offered;
mod pattern;

mod recipe;
mod splitmix;
mod trace;

pub use offered::{Injection, OfferedLoad, PayloadLengths, STEPS_PER_PERIOD};
pub use pattern::{ExchangeOrder, PatternError, Radices, TrafficPattern};
pub use recipe::{Recipe, RecipeError, MESSAGES_MAX};
pub use splitmix::SplitMix64;
use std::sync::Arc;
pub use trace::{Trace, TraceError, TraceProblem};

// Messages, independent of the network.

/// Longest payload of a routed message, in bytes. A frame carries 80 bytes, and the first two of a
/// routed frame are its destination (docs/machine.md, "Frame").
pub const PAYLOAD_MAX: usize = 80 - 2;

/// One message as its source injects it, with its payload or with a reference to it
/// (`Message<&[u8]>`).
///
/// A source sends its messages in list order. A message whose source is its destination never
/// enters the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<P = Vec<u8>> {
    pub source: u32,
    pub destination: u32,
    /// Payload of at most [`PAYLOAD_MAX`] bytes.
    pub payload: P,
}

impl Message {
    /// Returns the message with a reference to its payload.
    pub fn as_ref(&self) -> Message<&[u8]> {
        Message { source: self.source, destination: self.destination, payload: &self.payload }
    }
}

impl<P> Message<P> {
    /// Returns true if source and destination are the same. Such a message never enters the
    /// network.
    pub fn is_to_self(&self) -> bool {
        self.source == self.destination
    }
}

/// List of messages with a small footprint: 8 bytes per message, and the payload. A total exchange
/// of the 12-cube has 16,773,120 messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageList {
    /// Source and destination. Addresses have up to 16 bits.
    routes: Vec<[u16; 2]>,
    /// Payloads, one after the other.
    payloads: Vec<u8>,
    /// End of each message's payload in `payloads`.
    ends: Vec<u32>,
}

impl MessageList {
    /// Returns an empty list with room for `messages` messages and `payload` bytes of payload.
    pub fn with_capacity(messages: usize, payload: usize) -> Self {
        MessageList {
            routes: Vec::with_capacity(messages),
            payloads: Vec::with_capacity(messages * payload),
            ends: Vec::with_capacity(messages),
        }
    }

    /// Appends a message.
    ///
    /// # Panics
    /// Panics if an address has more than 16 bits, or the payloads reach 4 GiB. No
    /// [`Hypercube`](crate::topology::Hypercube) and no [`Recipe`] reaches these
    /// limits.
    pub fn push(&mut self, message: Message<&[u8]>) {
        let address = |node: u32| u16::try_from(node).expect("an address of up to 16 bits");
        self.routes.push([address(message.source), address(message.destination)]);
        self.payloads.extend_from_slice(message.payload);
        let end = u32::try_from(self.payloads.len());
        self.ends.push(end.expect("less than 4 GiB of payload"));
    }

    /// Returns the messages that leave their source, in the same order. The other messages enter no
    /// network.
    #[must_use]
    pub fn without_messages_to_self(&self) -> Self {
        let mut list = MessageList::default();
        let leave = self.iter().filter(|message| !message.is_to_self());
        leave.for_each(|message| list.push(message));
        list
    }

    pub fn len(&self) -> usize {
        self.routes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Returns message number `place`, counted from 0.
    ///
    /// # Panics
    /// Panics if the list has fewer messages.
    pub fn get(&self, place: usize) -> Message<&[u8]> {
        let [source, destination] = self.routes[place];
        let begin = match place {
            0 => 0,
            _ => self.ends[place - 1],
        };
        Message {
            source: source.into(),
            destination: destination.into(),
            payload: &self.payloads[begin as usize..self.ends[place] as usize],
        }
    }

    /// Iterates over all messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = Message<&[u8]>> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// Returns all messages, each with its own payload.
    pub fn to_vec(&self) -> Vec<Message> {
        let owned = |message: Message<&[u8]>| Message {
            source: message.source,
            destination: message.destination,
            payload: message.payload.to_vec(),
        };
        self.iter().map(owned).collect()
    }

    /// Length of the longest payload in bytes.
    pub fn longest(&self) -> usize {
        let lengths = self.iter().map(|message| message.payload.len());
        lengths.max().unwrap_or(0)
    }
}

impl From<&[Message]> for MessageList {
    fn from(messages: &[Message]) -> Self {
        let mut list = MessageList::with_capacity(messages.len(), 0);
        for message in messages {
            list.push(message.as_ref());
        }
        list
    }
}

// Messages of the main job.

/// Sources and texts, in order. Each text is one message.
const LETTERS: [(u32, &str); 12] = [
    (0, "hello, node 1"),
    (1, "hello, node 0"),
    (0, "the time is the route"),
    (1, "phase 0 is yours, phase 1 is mine"),
    (0, "one wire, pulled up: idle is high"),
    (1, "one of us pulls it low, never both"),
    (0, "a start bit, 8 bits, a stop bit"),
    (1, "least significant bit first"),
    (0, "a CRC closes every frame"),
    (1, "and only mine fits my phase"),
    (0, "goodbye"),
    (1, ""),
];

/// Returns twelve readable messages between the two nodes of a 1-cube. The last one is empty.
pub fn letters() -> Vec<Message> {
    LETTERS
        .iter()
        .map(|&(source, text)| Message {
            source,
            destination: 1 - source,
            payload: text.as_bytes().to_vec(),
        })
        .collect()
}

// Nodes with several processors, which are numbered node * P + processor with P = 2^`proc_bits`.

/// Converts messages between processors to messages between their nodes. If a node has several
/// processors, the first byte of a payload is the number of the destination processor.
pub fn to_node_messages(messages: &Arc<MessageList>, proc_bits: u32) -> Arc<MessageList> {
    if proc_bits == 0 {
        return messages.clone();
    }
    let mut list = MessageList::default();
    for message in messages.iter() {
        let processor = message.destination & ((1 << proc_bits) - 1);
        let payload = [&[processor as u8], message.payload].concat();
        list.push(Message {
            source: message.source >> proc_bits,
            destination: message.destination >> proc_bits,
            payload: &payload,
        });
    }
    Arc::new(list)
}

/// Messages that leave their node. Messages within a node enter no network, so all networks carry
/// the same list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Travelling {
    pub messages: Vec<Message>,
    /// Number of messages that stay on their node.
    pub stayed: u64,
}

impl Travelling {
    /// Selects from messages between processors, which are numbered node * P + processor with P =
    /// 2^`proc_bits`.
    pub fn of(mut messages: Vec<Message>, proc_bits: u32) -> Self {
        let all = messages.len();
        messages.retain(|m| m.source >> proc_bits != m.destination >> proc_bits);
        Travelling { stayed: (all - messages.len()) as u64, messages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_list_round_trip() {
        let messages: Vec<Message> = [vec![], vec![1, 2, 3], vec![], vec![0xFF; 78]]
            .into_iter()
            .zip([0, 7, 0xFFFF, 3])
            .map(|(payload, source)| Message { source, destination: 0xFFFF - source, payload })
            .collect();
        let list = MessageList::from(&messages[..]);
        assert_eq!(list.to_vec(), messages);
        assert_eq!((list.len(), list.longest()), (4, 78));
        assert_eq!(list.get(2), messages[2].as_ref());
        assert!(MessageList::default().is_empty());
        assert_eq!(MessageList::default().longest(), 0);
    }
}
