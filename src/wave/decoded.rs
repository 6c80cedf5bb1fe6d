//! What is decoded of a link, as changes of variables.

use super::format::Value;
use super::link_probe::{Seen, Wire};
use super::reading::{Part, Reading};
use super::LinkSignal;
use crate::topology::{Hypercube, Link};

/// Of a text that says nothing.
pub const NOTHING: &str = "-";

/// The changes on a link that can be told only when its phase is over: when, what,
/// and to which value, in order of time for each signal.
pub fn changes(seen: &Seen, cube: Hypercube) -> Vec<(u64, LinkSignal, Value)> {
    let reading = Reading::new(&seen.capture);
    let byte_time = 10 * seen.capture.clocks_per_bit;
    let at = |sample: usize| seen.begin + sample as u64;
    let text = |text: &str| Value::Text(text.into());
    let mut changes = vec![];
    for read in &reading.bytes {
        let (from, value) = (at(read.byte.start), Value::Bits(read.byte.value.into()));
        changes.push((from, LinkSignal::Byte, value));
        changes.push((from, LinkSignal::Field, text(read.part.field())));
        // So that equal bytes one after the other can be told apart.
        let to = from + byte_time as u64 - 1;
        changes.push((to, LinkSignal::Byte, Value::Released));
        changes.push((to, LinkSignal::Field, text(NOTHING)));
    }
    if let (Some(first), Some(last)) = (reading.bytes.first(), reading.bytes.last()) {
        let (from, to) = (first.byte.start, last.byte.start + byte_time);
        changes.push((
            at(from),
            LinkSignal::Frame,
            text(&frame(seen, &reading, cube)),
        ));
        changes.push((at(to), LinkSignal::Frame, text(NOTHING)));
    }
    changes
}

/// A frame in a word: `0x3>0x7_for_0x5_ACK`.
fn frame(seen: &Seen, reading: &Reading, cube: Hypercube) -> String {
    let capture = &seen.capture;
    let ends = format!(
        "{}>{}",
        cube.hex(capture.sender),
        cube.hex(capture.receiver)
    );
    let what = match &reading.frame {
        Err(_) => "_damaged".into(),
        Ok(frame) => match frame.destination() {
            Some(destination) => format!("_for_{}", cube.hex(destination)),
            None => String::new(),
        },
    };
    let answer = reading.answer.map_or(String::new(), |a| format!("_{a}"));
    ends + &what + &answer
}

/// Who holds a wire.
pub fn driver(wire: Wire, link: Link, cube: Hypercube) -> String {
    match (wire.low_holds, wire.high_holds) {
        (false, false) => NOTHING.into(),
        (true, false) => cube.hex(link.low),
        (false, true) => cube.hex(link.high),
        (true, true) => "both".into(),
    }
}

/// Characters of the longest text of a signal; none if it is a number.
pub fn longest(signal: LinkSignal, cube: Hypercube) -> Option<usize> {
    let address = cube.hex(0).len();
    match signal {
        LinkSignal::Wire | LinkSignal::Byte => None,
        LinkSignal::Driver => Some(address.max("both".len())),
        LinkSignal::Field => Some(Part::LONGEST_FIELD),
        // An address on the wire may be damaged, and has 16 bits then.
        LinkSignal::Frame => Some(2 * address + ">_for_0xFFFF_nonsense".len()),
    }
}
