//! Observations of a wire, as changes of variables.

use super::probe::WireState;
use super::{Capture, FramePart, Reading};
use crate::wave::{LinkSignal, SignalType, WaveValue, NO_TEXT};
use interconnect::topology::{Link, Topology};

/// Index of the level of the wire, as seen by the first end of the link.
pub const WIRE: usize = 0;

/// Index of the driver of the wire: a node, `both`, or `-`.
pub const DRIVER: usize = 1;

/// Index of the byte on the wire.
const BYTE: usize = 2;

/// Index of the role of that byte in its frame or answer.
const FIELD: usize = 3;

/// Index of the current frame, from its first byte to the end of its answer: sender, destination
/// and result.
const FRAME: usize = 4;

/// Text for a wire that both ends drive.
const BOTH: &str = "both";

/// Returns the observable signals of a wire, each at its index.
pub fn signals(topology: &dyn Topology) -> [LinkSignal; 5] {
    let names = (0..topology.nodes()).map(|node| topology.node_name(node).len());
    let node = names.max().unwrap_or(0);
    // A damaged destination on the wire may use all 16 bits.
    let frame = 2 * node + ">_for_0xFFFF_nonsense".len();
    let signal = |name, shape, late| LinkSignal { name, shape, late };
    [
        signal("wire", SignalType::Bits(1), false),
        signal("driver", SignalType::Text(node.max(BOTH.len())), false),
        signal("byte", SignalType::Bits(8), true),
        signal("field", SignalType::Text(FramePart::LONGEST_FIELD), true),
        signal("frame", SignalType::Text(frame), true),
    ]
}

/// Returns the changes that are known only at the end of a phase, which began in clock cycle
/// `begin`. Each change has a time, the index of the signal, and a value. The changes of each
/// signal are in order of time.
pub fn changes(
    capture: &Capture,
    begin: u64,
    topology: &dyn Topology,
) -> Vec<(u64, usize, WaveValue)> {
    let reading = Reading::new(capture);
    let byte_time = 10 * capture.clocks_per_bit;
    let at = |sample: usize| begin + sample as u64;
    let text = |text: &str| WaveValue::Text(text.into());
    let mut changes = vec![];
    for read in &reading.bytes {
        let (from, value) = (at(read.byte.start), WaveValue::Bits(read.byte.value.into()));
        changes.push((from, BYTE, value));
        changes.push((from, FIELD, text(read.part.field())));
        // Separates equal bytes that follow one another.
        let to = from + byte_time as u64 - 1;
        changes.push((to, BYTE, WaveValue::Undriven));
        changes.push((to, FIELD, text(NO_TEXT)));
    }
    if let (Some(first), Some(last)) = (reading.bytes.first(), reading.bytes.last()) {
        let (from, to) = (first.byte.start, last.byte.start + byte_time);
        let frame = frame(capture, &reading, topology);
        changes.push((at(from), FRAME, text(&frame)));
        changes.push((at(to), FRAME, text(NO_TEXT)));
    }
    changes
}

/// Describes a frame in one word: `0x3>0x7_for_0x5_ACK`.
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

/// Returns the driver of a wire.
pub fn driver(wire: WireState, link: Link, topology: &dyn Topology) -> String {
    match (wire.from_holds, wire.to_holds) {
        (false, false) => NO_TEXT.into(),
        (true, false) => topology.node_name(link.from.node),
        (false, true) => topology.node_name(link.to.node),
        (true, true) => BOTH.into(),
    }
}
