//! Drawing of a frame, as a logic analyser with a UART decoder shows it.

use super::{Answer, Capture, Reading};
use std::fmt::Write as _;

/// Columns of one bit-time.
const COLUMNS: usize = 3;

/// Bit-times of one byte.
const BITS: usize = 10;

/// Draws the wire, one byte on each line, with the meaning of each byte. `name` returns the printed
/// name of a node.
pub fn draw(capture: &Capture, name: impl Fn(u32) -> String) -> String {
    let per_bit = capture.clocks_per_bit;
    let reading = Reading::new(capture);
    let (sender, receiver) = (name(capture.sender), name(capture.receiver));
    let mut text = format!(
        "Phase {}: node {sender} drives the wire, node {receiver} listens. One bit-time is {per_bit} clock cycles.\n\n\
         \x20  time  S  0  1  2  3  4  5  6  7  P   byte  meaning\n",
        capture.phase,
    );
    let length = capture.levels.len();
    let mut line = |at: usize, end: usize, byte: &str, meaning: &str| {
        let time = at as f64 / per_bit as f64;
        let wave = wave(&capture.levels[..end], at, per_bit);
        let _ = writeln!(text, "{time:>7.2}  {wave}  {byte:>4}  {meaning}");
    };
    let idle = |from: usize, to: usize| format!("idle, {}", bit_times(to - from, per_bit));
    let mut over = 0;
    for read in &reading.bytes {
        let (from, broken) = (read.byte.start, !read.byte.stop_bit_high);
        // A pause shorter than a byte is visible on the previous line.
        if over == 0 || from > over + BITS * per_bit {
            line(over, from, "", &idle(over, from));
        }
        over = length.min(from + BITS * per_bit);
        let broken = if broken { " (no stop bit)" } else { "" };
        let value = format!("{:02X}", read.byte.value);
        line(from, over, &value, &format!("{}{broken}", read.part));
    }
    line(over, length, "", &idle(over, length));
    let _ = match &reading.frame {
        Ok(_) => writeln!(
            text,
            "\nThe CRC fits a frame of node {sender} in its phase."
        ),
        Err(why) => writeln!(text, "\nNot a frame of node {sender}: {why}."),
    };
    if let Some(answer) = reading.answer {
        let _ = match answer {
            Answer::Timeout => writeln!(text, "Node {receiver} does not answer."),
            Answer::Ack => writeln!(text, "Node {receiver} answers ACK: it has the frame."),
            Answer::Nak => writeln!(text, "Node {receiver} answers NAK: its buffer is full."),
            Answer::Invalid => writeln!(
                text,
                "What node {receiver} answers is neither the CRC nor its complement."
            ),
        };
    }
    text
}

fn bit_times(samples: usize, per_bit: usize) -> String {
    format!("{:.2} bit-times", samples as f64 / per_bit as f64)
}

/// Draws up to ten bit-times of the wire, from sample `at` to the end. A column is low if any of
/// its samples was low.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::tdma::TdmaFrame;

    /// Returns a phase with these bytes, and two bit-times of idle before and after.
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
            dim: 0,
            sender,
            receiver: 1 - sender,
            clocks_per_bit,
            levels: levels.collect(),
            answer_start: None,
            acked: false,
        }
    }

    fn name(node: u32) -> String {
        node.to_string()
    }

    #[test]
    fn frames_are_drawn_one_byte_per_line() {
        let bytes = TdmaFrame::routed(0, b"A").encode(1, 0);
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
        let drawn = draw(&capture(1, &bytes, 8), name);
        assert!(drawn.starts_with(expected), "{drawn}");
        assert!(drawn.contains("  CRC, low byte\n  82.00  ‾‾‾‾‾‾                          "));
        assert!(drawn
            .ends_with("  idle, 2.00 bit-times\n\nThe CRC fits a frame of node 1 in its phase.\n"));
    }

    #[test]
    fn invalid_frames_are_drawn_with_the_error() {
        let mut bytes = TdmaFrame::routed(0, &[0xFF]).encode(0, 0);
        bytes[5] ^= 1;
        bytes.push(0);
        let drawn = draw(&capture(0, &bytes, 4), name);
        assert!(drawn.contains("  FE  payload\n"), "{drawn}");
        assert!(drawn.contains("  00  after the frame\n"), "{drawn}");
        assert!(drawn.contains("\nNot a frame of node 0: "), "{drawn}");
        let silent = draw(&capture(0, &[], 4), name);
        assert!(silent.contains("idle, 4.00 bit-times"), "{silent}");
    }
}
