//! A frame as a logic analyser with a UART decoder would show it.

use super::{decode, Capture};
use crate::machine::{Frame, HEADER_ROUTED};
use std::fmt::Write as _;

/// Columns of one bit-time.
const COLUMNS: usize = 3;

/// Bit-times of one byte.
const BITS: usize = 10;

/// Draws the wire, one byte on each line, with what the bytes mean.
pub fn draw(capture: &Capture) -> String {
    let per_bit = capture.clocks_per_bit;
    let bytes = decode(&capture.levels, per_bit);
    let values: Vec<u8> = bytes.iter().map(|byte| byte.value).collect();
    let meanings = meanings(&values);
    let (sender, receiver) = (capture.sender, 1 - capture.sender);
    let mut text = format!(
        "Phase {}: node {sender} drives the wire, node {receiver} listens. One bit-time is {per_bit} clock cycles.\n\n\
         \x20  time  S  0  1  2  3  4  5  6  7  P   byte  meaning\n",
        capture.phase,
    );
    let mut line = |at: usize, end: usize, byte: &str, meaning: &str| {
        let time = at as f64 / per_bit as f64;
        let wave = wave(&capture.levels[..end], at, per_bit);
        let _ = writeln!(text, "{time:>7.2}  {wave}  {byte:>4}  {meaning}");
    };
    let length = capture.levels.len();
    let first = bytes.first().map_or(length, |byte| byte.start);
    line(
        0,
        first,
        "",
        &format!("idle, {}", bit_times(first, per_bit)),
    );
    for (byte, meaning) in bytes.iter().zip(&meanings) {
        let broken = if byte.stopped { "" } else { " (no stop bit)" };
        let value = format!("{:02X}", byte.value);
        let end = length.min(byte.start + BITS * per_bit);
        line(byte.start, end, &value, &format!("{meaning}{broken}"));
    }
    if let Some(last) = bytes.last() {
        let end = length.min(last.start + BITS * per_bit);
        let idle = format!("idle, {}", bit_times(length - end, per_bit));
        line(end, length, "", &idle);
    }
    let _ = match Frame::decode(&values, sender, 0) {
        Ok(_) => writeln!(
            text,
            "\nThe CRC fits a frame of node {sender} in its phase."
        ),
        Err(why) => writeln!(text, "\nNot a frame of node {sender}: {why}."),
    };
    text
}

fn bit_times(samples: usize, per_bit: usize) -> String {
    format!("{:.2} bit-times", samples as f64 / per_bit as f64)
}

/// Up to ten bit-times of the wire from sample `at` to the end. A column is low
/// if the wire was low in any sample of it.
fn wave(levels: &[bool], at: usize, per_bit: usize) -> String {
    let mut before = at == 0 || levels[at - 1];
    let mut wave = String::new();
    for column in 0..BITS * COLUMNS {
        let from = at + column * per_bit / COLUMNS;
        let to = (at + (column + 1) * per_bit / COLUMNS).max(from + 1);
        if from >= levels.len() {
            wave.push(' ');
            continue;
        }
        let high = !levels[from..to.min(levels.len())].contains(&false);
        wave.push(match (before, high) {
            (true, true) => '‾',
            (true, false) => '\\',
            (false, false) => '_',
            (false, true) => '/',
        });
        before = high;
    }
    wave
}

/// What each byte of a frame is, by its place.
fn meanings(bytes: &[u8]) -> Vec<String> {
    let routed = bytes
        .get(1)
        .is_some_and(|header| header & HEADER_ROUTED != 0);
    let end = 3 + usize::from(bytes.get(2).copied().unwrap_or(0));
    let meaning = |(place, &byte): (usize, &u8)| match place {
        0 => "sync".into(),
        1 if routed => "header: a routed message".into(),
        1 => "header".into(),
        2 => format!("length: {byte} bytes of payload"),
        3 if routed && end >= 5 => "destination, low byte".into(),
        4 if routed && end >= 5 => "destination, high byte".into(),
        _ if place < end && (b' '..=b'~').contains(&byte) => {
            format!("payload '{}'", char::from(byte))
        }
        _ if place < end => "payload".into(),
        _ if place == end => "CRC, high byte".into(),
        _ if place == end + 1 => "CRC, low byte".into(),
        _ => "after the frame".into(),
    };
    bytes.iter().enumerate().map(meaning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A phase with these bytes, two bit-times of idle before and after.
    fn capture(sender: u32, bytes: &[u8], clocks_per_bit: usize) -> Capture {
        let mut bits = vec![true; 2];
        for byte in bytes {
            bits.push(false);
            bits.extend((0..8).map(|bit| byte >> bit & 1 == 1));
            bits.push(true);
        }
        bits.extend([true; 2]);
        let levels = bits.iter().flat_map(|bit| vec![*bit; clocks_per_bit]);
        Capture {
            phase: 3,
            sender,
            clocks_per_bit,
            levels: levels.collect(),
        }
    }

    #[test]
    fn a_frame_is_drawn_byte_by_byte() {
        let bytes = Frame::routed(0, b"A").encode(1, 0);
        let expected = "\
Phase 3: node 1 drives the wire, node 0 listens. One bit-time is 8 clock cycles.

   time  S  0  1  2  3  4  5  6  7  P   byte  meaning
   0.00  ‾‾‾‾‾‾                                idle, 2.00 bit-times
   2.00  \\_____/‾‾\\__/‾‾\\__/‾‾\\__/‾‾‾‾‾    AA  sync
  12.00  \\_______________________/‾‾‾‾‾    80  header: a routed message
  22.00  \\__/‾‾‾‾‾\\_________________/‾‾    03  length: 3 bytes of payload
  32.00  \\__________________________/‾‾    00  destination, low byte
  42.00  \\__________________________/‾‾    00  destination, high byte
  52.00  \\__/‾‾\\______________/‾‾\\__/‾‾    41  payload 'A'
";
        let drawn = draw(&capture(1, &bytes, 8));
        assert!(drawn.starts_with(expected), "{drawn}");
        assert!(drawn.contains("  CRC, low byte\n  82.00  ‾‾‾‾‾‾                          "));
        assert!(drawn
            .ends_with("  idle, 2.00 bit-times\n\nThe CRC fits a frame of node 1 in its phase.\n"));
    }

    #[test]
    fn what_is_no_frame_is_drawn_all_the_same() {
        let mut bytes = Frame::routed(0, &[0xFF]).encode(0, 0);
        bytes[5] ^= 1;
        bytes.push(0);
        let drawn = draw(&capture(0, &bytes, 4));
        assert!(drawn.contains("  FE  payload\n"), "{drawn}");
        assert!(drawn.contains("  00  after the frame\n"), "{drawn}");
        assert!(drawn.contains("\nNot a frame of node 0: "), "{drawn}");
        let silent = draw(&capture(0, &[], 4));
        assert!(silent.contains("idle, 4.00 bit-times"), "{silent}");
    }
}
