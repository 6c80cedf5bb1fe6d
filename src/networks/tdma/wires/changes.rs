//! What is told of a wire, as changes of variables.

use super::probe::Wire;
use super::{Capture, FramePart, Reading};
use crate::topology::{Link, Topology};
use crate::wave::{LinkSignal, Shape, Value, NOTHING};

/// The place of the level of the wire, as the first end of the link sees it.
pub const WIRE: usize = 0;

/// Who holds the wire: a node, `both`, or `-`.
pub const DRIVER: usize = 1;

/// The byte that is on the wire.
const BYTE: usize = 2;

/// What that byte is in its frame or answer.
const FIELD: usize = 3;

/// The frame under way, from its first byte to the end of its answer: whose it is,
/// where it goes, and what became of it.
const FRAME: usize = 4;

/// Both ends hold a wire.
const BOTH: &str = "both";

/// What can be seen of a wire, each at its place.
pub fn signals(topology: &dyn Topology) -> [LinkSignal; 5] {
    let names = (0..topology.nodes()).map(|node| topology.node_name(node).len());
    let node = names.max().unwrap_or(0);
    // A destination on the wire may be damaged, and has 16 bits then.
    let frame = 2 * node + ">_for_0xFFFF_nonsense".len();
    let signal = |name, shape, late| LinkSignal { name, shape, late };
    [
        signal("wire", Shape::Bits(1), false),
        signal("driver", Shape::Text(node.max(BOTH.len())), false),
        signal("byte", Shape::Bits(8), true),
        signal("field", Shape::Text(FramePart::LONGEST_FIELD), true),
        signal("frame", Shape::Text(frame), true),
    ]
}

/// The changes that can be told only when a phase, begun in this clock cycle, is over:
/// when, the place of the signal, and its value, in order of time for each signal.
pub fn changes(capture: &Capture, begin: u64, topology: &dyn Topology) -> Vec<(u64, usize, Value)> {
    let reading = Reading::new(capture);
    let byte_time = 10 * capture.clocks_per_bit;
    let at = |sample: usize| begin + sample as u64;
    let text = |text: &str| Value::Text(text.into());
    let mut changes = vec![];
    for read in &reading.bytes {
        let (from, value) = (at(read.byte.start), Value::Bits(read.byte.value.into()));
        changes.push((from, BYTE, value));
        changes.push((from, FIELD, text(read.part.field())));
        // So that equal bytes one after the other can be told apart.
        let to = from + byte_time as u64 - 1;
        changes.push((to, BYTE, Value::Released));
        changes.push((to, FIELD, text(NOTHING)));
    }
    if let (Some(first), Some(last)) = (reading.bytes.first(), reading.bytes.last()) {
        let (from, to) = (first.byte.start, last.byte.start + byte_time);
        let frame = frame(capture, &reading, topology);
        changes.push((at(from), FRAME, text(&frame)));
        changes.push((at(to), FRAME, text(NOTHING)));
    }
    changes
}

/// A frame in a word: `0x3>0x7_for_0x5_ACK`.
fn frame(capture: &Capture, reading: &Reading, topology: &dyn Topology) -> String {
    let name = |node| topology.node_name(node);
    let ends = format!("{}>{}", name(capture.sender), name(capture.receiver));
    let what = match &reading.frame {
        Err(_) => "_damaged".into(),
        Ok(frame) => match frame.destination() {
            Some(destination) => format!("_for_{}", name(destination)),
            None => String::new(),
        },
    };
    let answer = reading.answer.map_or(String::new(), |a| format!("_{a}"));
    ends + &what + &answer
}

/// Who holds a wire.
pub fn driver(wire: Wire, link: Link, topology: &dyn Topology) -> String {
    match (wire.from_holds, wire.to_holds) {
        (false, false) => NOTHING.into(),
        (true, false) => topology.node_name(link.from.node),
        (false, true) => topology.node_name(link.to.node),
        (true, true) => BOTH.into(),
    }
}
