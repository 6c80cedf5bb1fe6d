//! The 1-cube delivers every message of any list in its scheduled phase. Reference and evaluator
//! take the same clock cycles.
//!
//! The expected result is computed from the schedule alone. Node `s` transmits in the phases with
//! parity `s`, one message in each, so its message `k` arrives in phase `2k + s`.

use hdl::lower::lower;
use phasecube::engine::{CircuitEngine, EvaluatorEngine, ReferenceEngine};
use phasecube::machine::Delivery;
use phasecube::networks::tdma::{LinkMachine, LinkRun, PhaseTiming};
use phasecube::rtl::tdma::Link;
use phasecube::rtl::CLOCKS_PER_BIT;
use phasecube::traffic::{Message, SplitMix64, PAYLOAD_MAX};

type FirstFrameLink = Link<CLOCKS_PER_BIT>;

fn reference() -> ReferenceEngine {
    ReferenceEngine::new(FirstFrameLink::default()).unwrap()
}

fn evaluator() -> EvaluatorEngine {
    EvaluatorEngine::new(&lower(&FirstFrameLink::default()).unwrap()).unwrap()
}

fn run(engine: &mut dyn CircuitEngine, messages: &[Message]) -> LinkRun {
    LinkMachine::new(engine, timing(messages)).run(messages).unwrap()
}

/// Returns phases for the longest of the messages and its destination.
fn timing(messages: &[Message]) -> PhaseTiming {
    let lengths = messages.iter().map(|message| message.payload.len());
    PhaseTiming::raw(CLOCKS_PER_BIT as u32, lengths.max().unwrap_or(0) + 2)
}

fn message(source: u32, destination: u32, payload: Vec<u8>) -> Message {
    Message { source, destination, payload }
}

fn bytes(random: &mut SplitMix64, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.next_u64() as u8).collect()
}

/// Returns a list in which node 0 is the source with this probability in tenths. Every tenth
/// message is for its own source.
fn list(random: &mut SplitMix64, count: usize, longest: usize, from_0: u64) -> Vec<Message> {
    (0..count)
        .map(|_| {
            let source = u32::from(random.below(10) >= from_0);
            let to_self = random.below(10) == 0;
            let length = random.below(longest as u64 + 1) as usize;
            let destination = if to_self { source } else { 1 - source };
            message(source, destination, bytes(random, length))
        })
        .collect()
}

/// Returns the results that the schedule guarantees.
fn expected(messages: &[Message]) -> Vec<Delivery> {
    let mut sent = [0; 2];
    let delivery = |message: &Message| {
        if message.source == message.destination {
            return Delivery::ToSelf;
        }
        let node = message.source as usize;
        let t = 2 * sent[node] + node as u32;
        sent[node] += 1;
        Delivery::Delivered { t }
    };
    messages.iter().map(delivery).collect()
}

fn check(messages: &[Message]) {
    let deliveries = expected(messages);
    let phases = deliveries.iter().map(|delivery| match delivery {
        Delivery::Delivered { t } => u64::from(*t) + 1,
        _ => 0,
    });
    let phases = phases.max().unwrap_or(0);
    let frames = deliveries.iter().filter(|delivery| **delivery != Delivery::ToSelf).count();
    let cycles = phases * u64::from(timing(messages).clock_cycles());

    let mut engines: [Box<dyn CircuitEngine>; 2] = [Box::new(reference()), Box::new(evaluator())];
    let runs = engines.each_mut().map(|engine| run(&mut **engine, messages));
    for (engine, run) in engines.iter().zip(&runs) {
        let name = engine.name();
        assert_eq!(run.deliveries, deliveries, "{name}");
        assert_eq!(run.phases, phases, "{name}");
        assert_eq!(run.frames, frames as u64, "{name}");
        // The schedule begins a few clock cycles after the first one.
        let start = run.clock_cycles.checked_sub(cycles);
        assert!(
            matches!(start, Some(0..=4)),
            "{name}: {} clock cycles, {cycles} are {phases} phases",
            run.clock_cycles
        );
    }
    assert_eq!(runs[0].clock_cycles, runs[1].clock_cycles);
}

/// Payloads of every length that a frame can carry, in both directions.
#[test]
fn every_payload_length_arrives() {
    let mut random = SplitMix64::new(1);
    let lengths: Vec<usize> = (0..=PAYLOAD_MAX).collect();
    for (i, &length) in lengths.iter().enumerate().step_by(13) {
        let source = i as u32 % 2;
        let payload = bytes(&mut random, length);
        check(&[
            message(source, 1 - source, payload.clone()),
            message(1 - source, source, payload),
        ]);
    }
    // Sends all lengths in one run on the faster engine. The longest message determines the phase.
    let all: Vec<Message> = lengths
        .iter()
        .map(|&length| {
            let source = length as u32 % 2;
            message(source, 1 - source, bytes(&mut random, length))
        })
        .collect();
    assert_eq!(run(&mut evaluator(), &all).deliveries, expected(&all));
}

/// Uneven queues in both directions, in random order.
#[test]
fn random_lists_arrive_in_the_phases_of_the_schedule() {
    let mut random = SplitMix64::new(2);
    for (count, longest, from_0) in [
        (1, 8, 0),
        (1, 8, 10),
        (7, 0, 5),
        (9, 4, 10),
        (9, 4, 0),
        (12, 8, 8),
        (12, 8, 2),
        (6, PAYLOAD_MAX, 5),
    ] {
        check(&list(&mut random, count, longest, from_0));
    }
}

/// Bytes that resemble idle, a long start bit, and the sync byte.
#[test]
fn payloads_that_look_like_something_else_arrive() {
    for byte in [0x00, 0xFF, 0xAA, 0x55, 0x80, 0x01] {
        check(&[
            message(0, 1, vec![byte; 9]),
            message(1, 0, vec![byte; 3]),
            message(1, 0, vec![!byte; 9]),
        ]);
    }
}

/// A node that receives nothing in its phases receives later frames correctly.
#[test]
fn nothing_to_send_takes_no_time() {
    check(&[]);
    check(&[message(0, 0, vec![1]), message(1, 1, vec![])]);
}
