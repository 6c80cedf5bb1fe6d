//! Messages and time of a machine of byte channels, as runs and comparisons ask for them.

use crate::machine::Timebase;
use crate::traffic::{Message, MessageList};
use std::sync::Arc;

/// The messages of processors as the nodes see them; there are 2^`proc_bits` processors
/// to a node. If there are several, a message has a byte more, before its payload, that names the
/// one it is for.
pub fn between_nodes(messages: &Arc<MessageList>, proc_bits: u32) -> Arc<MessageList> {
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

/// In the time in which the bytes of the longest packet go by at one in a clock cycle a
/// channel carries one packet.
pub fn timebase(packet: usize) -> Timebase {
    Timebase {
        clocks_per_bit: 1,
        step: 1,
        period: packet as u64,
        period_name: "packet time",
        step_name: "clock cycle",
        steps_name: "clock cycles",
        arrival: 1,
    }
}
