//! The host port reports what the simulator reports for a pattern and seed.

use crate::hosted::reports::{messages, run};
use crate::hosted::{circuit, Boards};
use phasecube::machine::Delivery;
use phasecube::traffic::Message;
use std::fmt::{Display, Write};

/// Pattern and seed of each board, and the host's spelling of the pattern.
const COMMANDS: [(&str, &str); 10] = [
    ("xor:5", "7"),
    ("xor:0x5", "0xFFFFFFFFFFFFFFFF"),
    ("complement", "1"),
    ("bitrev", "2"),
    ("shuffle", "18446744073709551615"),
    ("permutation", "3"),
    ("random", "0x123456789abcdef"),
    ("hotspot", "4"),
    ("relation:2", "5"),
    ("relation:8", "6"),
];

/// Commands for the 4-cube, whose superframes take longer.
const COMMANDS4: [(&str, &str); 6] = [
    ("xor:10", "7"),
    ("xor:0xf", "1"),
    ("bitrev", "2"),
    ("shuffle", "0xFFFFFFFFFFFFFFFF"),
    ("random", "0x123456789abcdef"),
    ("relation:2", "5"),
];

pub fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// Returns the line of a message that arrived at time `t`.
pub fn line(t: impl Display, message: &Message) -> String {
    let (from, to) = (message.source, message.destination);
    let mut line = format!("message t={t} from=0x{from:x} to=0x{to:x} payload=");
    for byte in &message.payload {
        write!(line, "{byte:02x}").unwrap();
    }
    line
}

/// Returns the expected lines, with the messages' lines in order.
pub fn expected(dims: u32, pattern: &str, seed: u64) -> (String, Vec<String>, String) {
    let messages = messages(dims, pattern, seed);
    let outcome = run(dims, &messages);
    let to_self = messages.iter().filter(|m| m.source == m.destination);
    let to_self = to_self.count();
    let begin = format!(
        "run pattern={pattern} seed=0x{seed:016x} messages={} to_self={to_self}",
        messages.len()
    );
    let mut last = 0;
    let mut lines = vec![];
    for (message, delivery) in messages.iter().zip(&outcome.deliveries) {
        if let Delivery::Delivered { t } = delivery {
            last = last.max(*t);
            lines.push(line(t, message));
        }
    }
    lines.sort();
    assert_eq!((outcome.undetected, outcome.duplicated), (0, 0));
    let end = format!(
        "done delivered={} lost=0 wrong=0 hops={} refused={} silences={} late={} superframes={}",
        messages.len(),
        outcome.hops,
        outcome.figure("refused"),
        outcome.figure("silences"),
        outcome.figure("late"),
        (last + 1).div_ceil(2 * dims),
    );
    (begin, lines, end)
}

/// Returns the phase in a message's line.
fn phase(line: &str) -> u64 {
    let (_, rest) = line.split_once("t=").unwrap();
    rest.split(' ').next().unwrap().parse().unwrap()
}

#[test]
#[ignore = "thorough: long runs"]
fn every_pattern_is_reported_as_by_the_simulator() {
    reported_as_simulated(3, &COMMANDS);
}

#[test]
#[ignore = "thorough: long runs"]
fn patterns_of_the_four_cube_are_reported_as_by_the_simulator() {
    reported_as_simulated(4, &COMMANDS4);
}

/// Runs a board for each command, side by side.
fn reported_as_simulated(dims: u32, commands: &[(&str, &str)]) {
    let mut boards = Boards::of(&circuit(dims).design().unwrap(), commands.len());
    let banner = boards.until_ready();
    let hello = format!("phasecube cube nodes={}", 1 << dims);
    assert!(banner.iter().all(|printed| printed == &[&hello, "ready"]));
    for ((pattern, seed), terminal) in commands.iter().zip(&mut boards.terminals) {
        terminal.send(format!("{pattern} {seed}\n"));
    }
    let printed = boards.until_ready();
    for (board, ((pattern, seed), mut printed)) in commands.iter().zip(printed).enumerate() {
        assert_eq!(printed.pop().unwrap(), "ready");
        let (begin, messages, end) = expected(dims, pattern, number(seed));
        assert_eq!(printed.remove(0), begin);
        assert_eq!(printed.pop().unwrap(), end, "{pattern}");
        // Lines are in order of arrival.
        assert!(printed.windows(2).all(|two| phase(&two[0]) <= phase(&two[1])));
        printed.sort();
        assert_eq!(printed, messages, "{pattern}");
        // No error, and done.
        assert_eq!(boards.lights(board) >> 1, 2, "{pattern}");
    }
}

/// An invalid command is refused, and the next command is executed.
#[test]
#[ignore = "thorough: compiles firmware"]
fn bad_commands_are_refused() {
    let mut boards = Boards::of(&circuit(3).design().unwrap(), 8);
    boards.until_ready();
    let bad = [
        "x",
        "xor:8",
        "xor:",
        "relation:9",
        "relation:0",
        "hotspots 1",
        "hotspot 1x",
        "hotspot 0x",
    ];
    for (bad, terminal) in bad.iter().zip(&mut boards.terminals) {
        terminal.send(format!("{bad}\n"));
    }
    for (bad, printed) in bad.iter().zip(boards.until_ready()) {
        let refused = "error accepted: PATTERN [SEED]; xor: complement bitrev shuffle permutation \
                       random hotspot relation: ";
        assert_eq!(printed, [refused, "ready"], "{bad}");
    }
}
