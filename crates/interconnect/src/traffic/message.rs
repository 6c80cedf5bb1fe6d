//! What a message is, on whatever network.

/// Longest payload of a routed message, in bytes: a frame carries 80, and the
/// first two of a routed one are its destination (docs/machine.md, "Frame").
pub const PAYLOAD_MAX: usize = 80 - 2;

/// One message, as its source hands it to the network; with its payload, or with a
/// reference to it (`Message<&[u8]>`).
///
/// A source sends its messages in the order of the list that they stand in. A
/// message whose source is its destination never enters the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<P = Vec<u8>> {
    pub source: u32,
    pub destination: u32,
    /// At most [`PAYLOAD_MAX`] bytes.
    pub payload: P,
}

impl Message {
    /// The same message without its own payload.
    pub fn as_ref(&self) -> Message<&[u8]> {
        Message {
            source: self.source,
            destination: self.destination,
            payload: &self.payload,
        }
    }
}

impl<P> Message<P> {
    /// Source and destination are the same: it never enters the network.
    pub fn is_to_self(&self) -> bool {
        self.source == self.destination
    }
}
