//! The messages that a comparison is about.

use super::Message;

/// Messages that leave their node. What stays on its node needs no network, and none
/// carries it: so all networks carry the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Travelling {
    pub messages: Vec<Message>,
    /// How many others there were.
    pub stayed: u64,
}

impl Travelling {
    /// Of these messages between processors, which are numbered node * P + processor
    /// with P = 2^`proc_bits`.
    pub fn of(mut messages: Vec<Message>, proc_bits: u32) -> Self {
        let all = messages.len();
        messages.retain(|m| m.source >> proc_bits != m.destination >> proc_bits);
        Travelling {
            stayed: (all - messages.len()) as u64,
            messages,
        }
    }
}
