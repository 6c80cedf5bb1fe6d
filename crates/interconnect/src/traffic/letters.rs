//! Messages of the main job.

use super::Message;

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
