//! The same messages over the links and through the CM-1. The host port reports for both what their
//! machines report.

use crate::hosted::reports::messages;
use crate::hosted::text::{expected, line, number};
use crate::hosted::{comparison, Boards};
use phasecube::machine::{drive, Delivery, EndReason, MachineCircuit, RunControl};
use phasecube::networks::cm1::{Cm1Circuit, Cm1Driver, Cm1Faults, Cm1Shape};
use phasecube::rtl::cm1::Cm1Board;

const ROWS: usize = 3;

const COMMANDS: [(&str, &str); 7] = [
    ("complement", "7"),
    ("xor:6", "1"),
    ("bitrev", "2"),
    ("permutation", "3"),
    ("random", "4"),
    ("hotspot", "5"),
    ("relation:3", "6"),
];

/// Returns the expected report for the CM-1. It covers the messages that leave their node, in a
/// machine that never waits for its processors.
fn through_cm1(pattern: &str, seed: u64) -> (Vec<String>, String) {
    let mut messages = messages(3, pattern, seed);
    let all = messages.len();
    messages.retain(|message| message.source != message.destination);
    let plan = Cm1Board::plan(8);
    let shape = Cm1Shape { rows: ROWS, format: plan.format };
    let circuit = Cm1Circuit::new(shape, plan).unwrap();
    let mut chips = circuit.array().unwrap().evaluator().unwrap();
    let list = shape.messages(&messages, 0).unwrap();
    let mut driver = Cm1Driver::new(&mut chips, &circuit, &Cm1Faults::default(), &list, &[]);
    let run = drive(&mut driver, RunControl::to_end(1, None)).unwrap();
    assert_eq!(run.end, EndReason::Complete);
    let reported = |(message, delivery)| match delivery {
        &Delivery::Delivered { t: petit } => line(petit, message),
        other => panic!("{message:?}: {other:?}"),
    };
    let mut lines: Vec<String> = messages.iter().zip(&run.deliveries).map(reported).collect();
    lines.sort();
    let (petits, bit_times) = (run.periods, run.bit_times);
    let end = format!("done delivered={all} lost=0 wrong=0 petits={petits} bit_times={bit_times}");
    (lines, end)
}

/// Splits the clock cycles from the end of a line.
fn without_clocks(line: &str) -> (&str, u64) {
    let (line, clocks) = line.rsplit_once(" clocks=").unwrap();
    (line, clocks.parse().unwrap())
}

#[test]
#[ignore = "thorough: long runs"]
fn both_networks_are_reported_as_by_their_machines() {
    let design = comparison(ROWS).design().unwrap();
    let mut boards = Boards::of(&design, COMMANDS.len());
    let banner = boards.until_ready();
    assert!(banner.iter().all(|printed| printed == &["phasecube compare nodes=8", "ready"]));
    for ((pattern, seed), terminal) in COMMANDS.iter().zip(&mut boards.terminals) {
        terminal.send(format!("{pattern} {seed}\n"));
    }
    for ((pattern, seed), printed) in COMMANDS.iter().zip(boards.until_ready()) {
        let seed = number(seed);
        println!("{pattern}: {printed:#?}");
        let (begin, links, links_end) = expected(3, pattern, seed);
        let (cm1, cm1_end) = through_cm1(pattern, seed);
        assert_eq!(printed[0], begin);
        assert_eq!(printed[1], "network name=tdma");
        let (first, rest) = printed[2..].split_at(links.len());
        assert_eq!(sorted(first), links, "{pattern}");
        let (end, clocks) = without_clocks(&rest[0]);
        assert_eq!(end, links_end, "{pattern}");
        assert!(clocks > 0);
        assert_eq!(rest[1], "network name=cm1");
        let (second, rest) = rest[2..].split_at(cm1.len());
        assert_eq!(sorted(second), cm1, "{pattern}");
        let (end, clocks) = without_clocks(&rest[0]);
        assert_eq!(end, cm1_end, "{pattern}");
        assert!(clocks > 0);
        assert_eq!(rest[1..], ["ready"]);
    }
}

fn sorted(lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines.sort();
    lines
}
