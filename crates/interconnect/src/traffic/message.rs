//! Messages, independent of the network.

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
        Message {
            source: self.source,
            destination: self.destination,
            payload: &self.payload,
        }
    }
}

impl<P> Message<P> {
    /// Returns true if source and destination are the same. Such a message never enters the
    /// network.
    pub fn is_to_self(&self) -> bool {
        self.source == self.destination
    }
}
