/// Longest payload of a routed message, in bytes: a frame carries 80, and the
/// first two of a routed one are its destination (design, section 4, frame).
pub const PAYLOAD_MAX: usize = 80 - 2;

/// One message, as its source hands it to the network.
///
/// A source sends its messages in the order of the list that they stand in. A
/// message whose source is its destination never enters the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub source: u32,
    pub destination: u32,
    /// At most [`PAYLOAD_MAX`] bytes.
    pub payload: Vec<u8>,
}
