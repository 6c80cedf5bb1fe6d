//! Plays a schedule phase by phase from its file: the position of each message, and each sender and
//! receiver. It uses only the file format, no code of the project.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A message crosses a link: phase, sender, receiver, message, and whether the receiver is its
/// destination.
pub type LinkCrossing = (u64, u32, u32, u32, bool);

/// Returns the crossings of a machine that follows this file, which is for a cube.
///
/// # Panics
/// If a node would send two messages in a pair of phases or a message that it does not hold, or if
/// a message does not arrive.
pub fn link_crossings(text: &str) -> BTreeSet<LinkCrossing> {
    let file: Value = serde_json::from_str(text).unwrap();
    let number = |value: &Value| value.as_u64().unwrap() as u32;
    let order: Vec<u32> = file["order"].as_array().unwrap().iter().map(number).collect();
    let messages = file["messages"].as_array().unwrap();
    let mut at: Vec<u32> = messages.iter().map(|m| number(&m["source"])).collect();
    let home: Vec<u32> = messages.iter().map(|m| number(&m["destination"])).collect();
    // Messages that move, by pair of phases.
    let mut moving: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, message) in messages.iter().enumerate() {
        for pair in message["pairs"].as_array().unwrap() {
            moving.entry(number(pair)).or_default().push(place);
        }
    }
    let mut sent = BTreeSet::new();
    for (pair, moving) in moving {
        let dim = order[pair as usize];
        let senders: BTreeSet<u32> = moving.iter().map(|message| at[*message]).collect();
        assert_eq!(senders.len(), moving.len(), "pair {pair}");
        for message in moving {
            let from = at[message];
            let to = from ^ (1 << dim);
            let phase = u64::from(2 * pair + (from >> dim & 1));
            at[message] = to;
            sent.insert((phase, from, to, message as u32, to == home[message]));
        }
    }
    assert_eq!(at, home);
    sent
}
