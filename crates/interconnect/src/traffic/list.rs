//! Compact lists of messages, for millions of messages.

use super::Message;

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
    /// [`Hypercube`](crate::topology::Hypercube) and no [`Recipe`](super::Recipe) reaches these
    /// limits.
    pub fn push(&mut self, message: Message<&[u8]>) {
        let address = |node: u32| u16::try_from(node).expect("an address of up to 16 bits");
        self.routes
            .push([address(message.source), address(message.destination)]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_list_round_trip() {
        let messages: Vec<Message> = [vec![], vec![1, 2, 3], vec![], vec![0xFF; 78]]
            .into_iter()
            .zip([0, 7, 0xFFFF, 3])
            .map(|(payload, source)| Message {
                source,
                destination: 0xFFFF - source,
                payload,
            })
            .collect();
        let list = MessageList::from(&messages[..]);
        assert_eq!(list.to_vec(), messages);
        assert_eq!((list.len(), list.longest()), (4, 78));
        assert_eq!(list.get(2), messages[2].as_ref());
        assert!(MessageList::default().is_empty());
        assert_eq!(MessageList::default().longest(), 0);
    }
}
