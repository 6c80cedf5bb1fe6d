//! The same messages through the board, through the machine of `phasecube run --network cm1`, and
//! through the model. Each message is delivered in the same petit cycle.

use crate::cm1::board::BoardRun;
use crate::cm1::{board, drawn_list};
use crate::support::cm1_bus::{Cm1BusMaster, STATUS};
use crate::support::whole_runs;
use crate::support::whole_runs::alive_but;
use hdl::lower::lower;
use models::cm1;
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use phasecube::engine::EvaluatorEngine;
use phasecube::machine::{drive, Delivery, EndReason, MachineCircuit, RunControl};
use phasecube::networks::cm1::{Cm1Circuit, Cm1Driver, Cm1Faults, Cm1Shape};
use phasecube::report::OutputProbe;
use phasecube::rtl::cm1::Cm1Board;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, Recipe, SplitMix64, TrafficPattern};

fn on_the_board(rows: usize, bytes: usize, messages: &[Message]) -> BoardRun {
    let design = lower(&Cm1Board::new(rows, bytes)).unwrap();
    let mut engine = EvaluatorEngine::new(&design).unwrap();
    board::run(&mut engine, bytes, messages)
}

/// Returns the board's parameters for the model.
fn model(rows: usize) -> Cm1ModelMachine {
    Cm1ModelMachine {
        dims: 3,
        rows,
        processors: 1,
        eject: Cm1ModelEject::PerChip,
        timeout: u64::MAX,
    }
}

/// Checks that board, machine and model agree.
fn check(rows: usize, bytes: usize, messages: &[Message], what: &str) {
    let board = on_the_board(rows, bytes, messages);
    let what = format!("{rows} rows, {bytes} bytes, {what}: {board:?}");
    assert!(board.delivered.iter().all(Option::is_some), "{what}");
    assert_eq!((board.strange, board.parity_errors), (0, 0), "{what}");

    let plan = Cm1Board::plan(bytes);
    let shape = Cm1Shape { rows, format: plan.format };
    let circuit = Cm1Circuit::new(shape, plan).unwrap();
    let mut chips = circuit.array().unwrap().evaluator().unwrap();
    let list = shape.messages(messages, 0).unwrap();
    let mut driver = Cm1Driver::new(&mut chips, &circuit, &Cm1Faults::default(), &list, &[]);
    let machine = drive(&mut driver, RunControl::to_end(1, None)).unwrap();
    assert_eq!(machine.end, EndReason::Complete);
    let petit = |delivery: &Delivery| match delivery {
        Delivery::Delivered { t: petit } => Some(u64::from(*petit)),
        _ => None,
    };
    let delivered: Vec<_> = machine.deliveries.iter().map(petit).collect();
    assert_eq!(board.delivered, delivered, "machine, {what}");
    assert_eq!(board.last, machine.periods, "machine, {what}");
    assert_eq!(board.refused, machine.figure("refused"), "machine, {what}");
    let (period, length) = (u64::from(plan.period), u64::from(plan.format.length()));
    let bit_times = match board.last {
        0 => 0,
        last => (last - 1) * period + length + 2 * 3,
    };
    assert_eq!(bit_times, machine.bit_times, "machine, {what}");

    let pairs: Vec<_> = messages.iter().map(|m| (m.source, m.destination)).collect();
    let model = cm1::run(model(rows), &pairs, 4_000);
    assert_eq!(board.delivered, model.delivered, "model, {what}");
    assert_eq!(board.last, model.petit_cycles, "model, {what}");
    assert_eq!(board.refused, model.refused, "model, {what}");
}

/// Returns messages between these nodes, with different payloads.
fn numbered(pairs: &[(u32, u32)], bytes: usize) -> Vec<Message> {
    let message = |(i, (source, destination)): (usize, &(u32, u32))| {
        let mut payload = vec![*source as u8, i as u8, (i >> 8) as u8, !(i as u8)];
        payload.truncate(bytes);
        Message { source: *source, destination: *destination, payload }
    };
    pairs.iter().enumerate().map(message).collect()
}

#[test]
fn random_lists() {
    for rows in [3, 4] {
        for seed in 0..10 {
            let messages = numbered(&drawn_list(3, 1, seed), 8);
            check(rows, 8, &messages, &format!("seed {seed}"));
        }
    }
}

#[test]
fn other_sizes() {
    for (rows, bytes) in [(2, 2), (5, 3), (3, 13)] {
        let messages = numbered(&drawn_list(3, 1, 3), bytes);
        check(rows, bytes, &messages, "another size");
    }
}

#[test]
fn patterns() {
    for pattern in [
        TrafficPattern::Complement,
        TrafficPattern::Bitrev,
        TrafficPattern::Permutation,
        TrafficPattern::Xor(0),
        TrafficPattern::Hotspot,
        TrafficPattern::Relation(5),
        TrafficPattern::TotalExchange,
    ] {
        let what = format!("{pattern:?}");
        let recipe = Recipe { pattern, seed: 7, payload: 8, order: ExchangeOrder::Pairs };
        let messages = recipe.messages(Hypercube::new(3).unwrap()).unwrap();
        check(3, 8, &messages, &what);
    }
}

/// Each node sends several messages to random nodes, then all to two nodes. The rows are full, and
/// more is offered than accepted.
#[test]
fn heavy_loads() {
    let mut random = SplitMix64::new(9);
    for spots in [8, 2] {
        let mut pairs = vec![];
        for _ in 0..6 {
            pairs.extend((0..8).map(|source| (source, random.below(spots) as u32)));
        }
        check(3, 8, &numbered(&pairs, 8), &format!("{spots} spots"));
    }
}

/// The board does not drain, so every list must end. On every list tried, at least one of any two
/// consecutive petit cycles ejects a message.
#[test]
fn every_list_ends() {
    for rows in [3, 4] {
        for seed in 0..1_000 {
            let mut random = SplitMix64::new(seed);
            let (rounds, spots) = (1 + random.below(10), 1 + random.below(8));
            let pairs: Vec<(u32, u32)> = (0..8 * rounds as u32)
                .map(|i| {
                    let (source, spot) = (i % 8, random.below(spots) as u32);
                    let here = if seed % 2 == 0 { 0 } else { source };
                    (source, here ^ spot)
                })
                .collect();
            let run = cm1::run(model(rows), &pairs, 1_000);
            assert!(run.delivered.iter().all(Option::is_some), "seed {seed}");
            let quiet = |petits: &[cm1::Cm1ModelPetit]| petits.iter().all(|p| p.ejected.is_empty());
            assert!(!run.petit_cycle_events.windows(2).any(quiet), "seed {seed}");
        }
    }
}

/// A petit cycle takes the documented clock cycles. The poll that detects its end takes two, and
/// may be one late.
#[test]
fn a_petit_cycle_takes_its_time() {
    let board = on_the_board(3, 8, &numbered(&[(1, 6)], 8));
    let plan = Cm1Board::plan(8);
    let clocks = u64::from(plan.format.length() + plan.exit()) + 6;
    for taken in board.clocks {
        assert!((clocks..=clocks + 3).contains(&taken), "{taken}, {clocks}");
    }
    assert_eq!((board.petits, board.last), (2, 1));
}

/// A message with wrong PARITY is delivered and flagged. The next one is not flagged.
#[test]
fn wrong_parity_is_flagged() {
    let design = lower(&Cm1Board::new(3, 2)).unwrap();
    let mut engine = EvaluatorEngine::new(&design).unwrap();
    let mut bus = Cm1BusMaster::new(&mut engine);
    for (petit, parity) in (0..).zip([1, 0]) {
        // From node 5 to node 3, with three ones in total, then four.
        for (offset, byte) in (0..).step_by(4).zip([0x10 | 6 << 5, 0x80, 0x00, parity]) {
            bus.write(5, offset, byte);
        }
        for node in 0..8 {
            bus.write(node, STATUS, u64::from(node == 5));
        }
        while bus.read(0, STATUS) >> 8 & 0xFFF == petit {}
        for node in 0..8 {
            let [accepted, delivered] = [node == 5, node == 3].map(u64::from);
            let wrong = delivered & (parity ^ 1);
            let status = bus.read(node, STATUS) & 0xF;
            assert_eq!(status, accepted | delivered << 1 | wrong << 2, "node {node}");
        }
        assert_eq!(bus.read(3, 4) & 0xFF, 0x80);
        assert_eq!(bus.read(3, 12) & 1, parity);
    }
}

#[test]
fn in_a_whole_run() {
    let message = |(source, destination): &(u32, u32)| Message {
        source: *source,
        destination: *destination,
        payload: vec![*source as u8 ^ 0xA5, *destination as u8],
    };
    let messages: Vec<Message> = drawn_list(3, 1, 2).iter().map(message).collect();
    let outputs = whole_runs::agree(Box::new(Cm1Board::new(3, 2)), |engine| {
        let mut probe = OutputProbe::new(engine);
        let run = board::run(&mut probe, 2, &messages);
        assert!(run.delivered.iter().all(Option::is_some));
        probe.into_trace()
    });
    alive_but(&outputs, &[]);
}
