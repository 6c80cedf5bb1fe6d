//! Random lists of messages. Circuits and model agree on every message and on all wires in every
//! clock cycle, including deadlocks.
//! At 4,096 nodes, every message of a list arrives.

use crate::rotation::deadlock::hexagon;
use crate::rotation::{
    lockstep, machine, messages, packets, pattern, run_against_model, run_on, shape, ByteRun,
};
use models::bytes::ModelBlockedPacket;
use models::rotation::{RotationModelMachine, RotationModelRule};
use phasecube::machine::Delivery;
use phasecube::networks::bytes::{StallReport, WaitingPacket};
use phasecube::routing::Channel;
use phasecube::topology::PortEnd;
use phasecube::traffic::{Message, SplitMix64};
use std::ops::Range;

/// Number of nodes from which lists are short, because the model is slow.
const MANY: u64 = 128;

/// Returns distinct messages between different nodes: few, one or two from each node, or many to
/// few nodes.
fn list(nodes: u32, seed: u64, longest: u64) -> Vec<Message> {
    let mut random = SplitMix64::new(seed);
    let all = u64::from(nodes);
    let (count, targets) = match random.below(3) {
        _ if all > MANY => (MANY / 4, all),
        0 => (1 + random.below(4), all),
        1 => (all + random.below(all), all),
        _ => (all, 1 + random.below(2)),
    };
    let draw = |_| (random.below(all) as u32, random.below(targets) as u32);
    let pairs: Vec<_> = (0..count).map(draw).filter(|(s, d)| s != d).collect();
    if pairs.is_empty() {
        return list(nodes, seed + 1000, longest);
    }
    let mut list = messages(&pairs, seed, (0, longest - 1));
    for (number, message) in (0..=u8::MAX).cycle().zip(&mut list) {
        message.payload.push(number);
    }
    list
}

/// Results of a run that both model and driver report.
#[derive(Debug, PartialEq)]
pub struct RotationResults {
    deliveries: Vec<Delivery>,
    bytes: u64,
    clock_cycles: u64,
    stall: Option<StallReport>,
}

/// Returns the model's results in the driver's format.
pub fn model_results(machine: &RotationModelMachine, messages: &[Message]) -> RotationResults {
    let run = machine.run(&packets(messages));
    let missing = run.delivered.iter().filter(|at| at.is_none()).count();
    assert_eq!(missing > 0, run.stall.is_some());
    let waiting = |w: &ModelBlockedPacket| WaitingPacket {
        message: w.packet,
        node: w.node,
        wanted_channel: w
            .wants
            .map(|(dim, vc)| Channel::new(PortEnd::new(w.node, dim as u32), vc as u32)),
        blocked_by: w.blocked_by,
    };
    let delivery = |at: &Option<u64>| match at {
        Some(at) => Delivery::Delivered { t: *at as u32 },
        None => Delivery::UnderWay,
    };
    let last = run.delivered.iter().flatten().max();
    RotationResults {
        deliveries: run.delivered.iter().map(delivery).collect(),
        bytes: run.crossings,
        clock_cycles: match &run.stall {
            Some(_) => run.clocks,
            None => last.map_or(0, |last| last + 1),
        },
        stall: run.stall.map(|stall| StallReport {
            waiting: stall.waiting.iter().map(waiting).collect(),
            cycle: stall.cycle.iter().map(waiting).collect(),
        }),
    }
}

/// Returns the driver's results. The model does not report when messages were sent.
pub fn driver_results(run: ByteRun) -> RotationResults {
    for (delivery, sent) in run.deliveries.iter().zip(&run.sent) {
        assert!(*sent > 0 || *delivery == Delivery::UnderWay);
    }
    assert_eq!(run.wrong, 0);
    RotationResults {
        deliveries: run.deliveries,
        bytes: run.bytes,
        clock_cycles: run.clock_cycles,
        stall: run.stall,
    }
}

/// Runs random lists. Returns the number of deadlocks.
fn same(machine: &RotationModelMachine, seeds: Range<u64>, longest: u64) -> usize {
    let drawn = |seed| list(1 << machine.dims, seed, longest);
    same_lists(machine, seeds.map(drawn))
}

/// Runs these lists. Returns the number of deadlocks.
fn same_lists(machine: &RotationModelMachine, lists: impl Iterator<Item = Vec<Message>>) -> usize {
    let shape = shape(machine);
    let is_stalled = |list: &Vec<Message>| {
        let wanted = model_results(machine, list);
        let ran = run_against_model(&mut *lockstep(&shape), machine, list);
        assert_eq!(driver_results(ran), wanted, "{machine:?}: {list:?}");
        wanted.stall.is_some()
    };
    lists.filter(is_stalled).count()
}

#[test]
fn on_cubes_with_two_virtual_channels() {
    for (dims, queue) in [(1, 4), (2, 1), (3, 4), (3, 2), (4, 4), (5, 3), (6, 4), (8, 4)] {
        let table = RotationModelMachine { queue, ..machine(dims) };
        let serial = RotationModelMachine { serial: true, ..table };
        let longest = if dims < 5 { 80 } else { 16 };
        assert_eq!(same(&table, 0..6, longest), 0);
        assert_eq!(same(&serial, 6..9, longest), 0);
    }
}

/// Headers of two bytes.
#[test]
fn on_cubes_of_more_than_eight_dimensions() {
    assert_eq!(same(&machine(9), 0..2, 12), 0);
    let narrow = RotationModelMachine { queue: 1, ..machine(10) };
    assert_eq!(same(&narrow, 2..3, 6), 0);
}

/// Deadlocks occur at the same time, with the same list of waiting packets.
#[test]
fn with_one_virtual_channel() {
    let (mut stall, mut all) = (0, 0);
    for (dims, queue) in [(3, 1), (3, 2), (3, 4), (4, 4), (5, 4)] {
        let one = RotationModelMachine { channels: 1, queue, ..machine(dims) };
        // The random messages either block the hexagon or arrive too late.
        let with_hexagon = |seed| {
            let drawn = list(1 << dims, seed, 20);
            let few = (seed % 4) as usize * 4;
            [&drawn[..few.min(drawn.len())], &hexagon(6), &drawn].concat()
        };
        stall += same_lists(&one, (0..8).map(with_hexagon));
        all += 8;
    }
    let two = RotationModelMachine { channels: 1, ..machine(2) };
    assert_eq!(same(&two, 0..8, 40), 0);
    assert!(stall > 4 && stall < all, "{stall} of {all}");
}

/// With four dimensions there is no cycle. With more there may be one.
#[test]
#[ignore = "thorough: long lists"]
fn by_thackers_rule() {
    for (dims, channels) in [(3, 2), (4, 2), (5, 2), (6, 2), (4, 1)] {
        let thacker =
            RotationModelMachine { rule: RotationModelRule::Thacker, channels, ..machine(dims) };
        let stood = same(&thacker, 0..8, 40);
        assert!(stood == 0 || channels == 1 || dims > 4);
    }
}

/// Every message of two patterns arrives. For the first pattern, the times match the model.
#[test]
#[ignore = "thorough: 4,096 nodes"]
fn of_4096_nodes_all_messages_arrive() {
    let machine = machine(12);
    let shape = shape(&machine);
    for name in ["permutation", "bitrev"] {
        let mut list = pattern(name, 12, 4);
        // The model has no messages to their own source.
        list.retain(|message| message.source != message.destination);
        let run = run_on(&mut *lockstep(&shape), &shape, &list);
        assert_eq!((run.is_complete(), run.delivered()), (true, list.len()));
        if name == "permutation" {
            assert_eq!(driver_results(run), model_results(&machine, &list));
        }
    }
}
