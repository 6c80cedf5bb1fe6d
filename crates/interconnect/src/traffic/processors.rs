//! Nodes with several processors, which are numbered node * P + processor with P = 2^`proc_bits`.

use super::{Message, MessageList};
use std::sync::Arc;

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
