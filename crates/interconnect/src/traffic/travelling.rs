//! Messages that leave their node, as the input of a comparison.

use super::Message;

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
        Travelling {
            stayed: (all - messages.len()) as u64,
            messages,
        }
    }
}
