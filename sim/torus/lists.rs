//! Random lists of messages. Circuits and model agree on every message and on all wires in every
//! clock cycle, including deadlocks.

use crate::torus::{
    evaluator, lockstep, machine, messages, packets, run_against_model, shape, ByteRun,
};
use models::bytes::ModelTailFormat;
use models::torus::{TorusModelMachine, TorusModelVcChange};
use phasecube::machine::Delivery;
use phasecube::networks::bytes::StallReport;
use phasecube::traffic::{Message, SplitMix64};

/// Returns messages between different nodes: few, one or two from each node, or many to few nodes.
fn list(nodes: u32, seed: u64, longest: u64) -> Vec<Message> {
    let mut random = SplitMix64::new(seed);
    let all = u64::from(nodes);
    let (count, targets) = match random.below(3) {
        0 => (1 + random.below(4), all),
        1 => (all + random.below(all), all),
        _ => (all, 1 + random.below(2)),
    };
    let draw = |_| (random.below(all) as u32, random.below(targets) as u32);
    let pairs: Vec<_> = (0..count).map(draw).filter(|(s, d)| s != d).collect();
    match pairs.is_empty() {
        true => list(nodes, seed + 1000, longest),
        false => messages(&pairs, seed, (1, longest)),
    }
}

/// Results of a run that both model and driver report.
#[derive(Debug, PartialEq)]
struct TorusResults {
    deliveries: Vec<Delivery>,
    bytes: u64,
    clock_cycles: u64,
    stall: Option<StallReport>,
}

/// Returns the model's results in the driver's format.
fn model_results(machine: &TorusModelMachine, messages: &[Message]) -> TorusResults {
    let run = machine.run(&packets(messages));
    let missing = run.delivered.iter().filter(|at| at.is_none()).count();
    assert_eq!(missing > 0, run.stall.is_some());
    let waiting = |w: &models::bytes::ModelBlockedPacket| {
        let channel = |(dim, vc): (usize, usize)| phasecube::routing::Channel {
            from: phasecube::topology::PortEnd { node: w.node, port: dim as u32 },
            vc: vc as u32,
        };
        phasecube::networks::bytes::WaitingPacket {
            message: w.packet,
            node: w.node,
            wanted_channel: w.wants.map(channel),
            blocked_by: w.blocked_by,
        }
    };
    let last = run.delivered.iter().flatten().max();
    TorusResults {
        deliveries: run
            .delivered
            .iter()
            .map(|at| match at {
                Some(at) => Delivery::Delivered { t: *at as u32 },
                None => Delivery::UnderWay,
            })
            .collect(),
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
fn driver_results(run: ByteRun) -> TorusResults {
    let sent = run.deliveries.iter().zip(&run.sent);
    for (delivery, sent) in sent {
        assert!(*sent > 0 || *delivery == Delivery::UnderWay);
    }
    assert_eq!(run.wrong, 0);
    TorusResults {
        deliveries: run.deliveries,
        bytes: run.bytes,
        clock_cycles: run.clock_cycles,
        stall: run.stall,
    }
}

/// Runs random lists. Returns the number of deadlocks and of lists.
fn same(machine: &TorusModelMachine, seeds: std::ops::Range<u64>, longest: u64) -> (usize, usize) {
    let shape = shape(machine);
    let (mut stall, mut all) = (0, 0);
    for seed in seeds {
        let list = list(shape.torus().nodes(), seed, longest);
        let wanted = model_results(machine, &list);
        let ran = match shape.torus().nodes() {
            ..=8 => run_against_model(&mut evaluator(&shape), machine, &list),
            _ => run_against_model(&mut *lockstep(&shape), machine, &list),
        };
        assert_eq!(driver_results(ran), wanted, "{machine:?}, seed {seed}");
        stall += usize::from(wanted.stall.is_some());
        all += 1;
    }
    (stall, all)
}

#[test]
fn on_rings() {
    for (radix, queue) in [(2, 4), (3, 1), (4, 4), (5, 2), (6, 3), (7, 8), (8, 4)] {
        for change in [TorusModelVcChange::AtZero, TorusModelVcChange::AfterZero] {
            let machine = TorusModelMachine { queue, vc_change: change, ..machine(&[radix]) };
            assert_eq!(same(&machine, 0..8, 80), (0, 8));
        }
    }
}

#[test]
fn on_tori_of_two_dimensions() {
    for (radices, queue) in [
        ([2, 2], 4),
        ([3, 2], 1),
        ([4, 2], 2),
        ([2, 5], 4),
        ([3, 3], 4),
        ([4, 4], 4),
        ([5, 3], 3),
        ([6, 6], 4),
        ([8, 8], 4),
    ] {
        for change in [TorusModelVcChange::AtZero, TorusModelVcChange::AfterZero] {
            let machine = TorusModelMachine { queue, vc_change: change, ..machine(&radices) };
            assert_eq!(same(&machine, 0..6, 80), (0, 6));
        }
    }
}

/// Two chips in series, and one with all dimensions.
#[test]
#[ignore = "thorough: long lists"]
fn on_tori_of_three_dimensions() {
    for radices in [[2, 2, 2], [3, 2, 3], [2, 4, 3], [4, 4, 4]] {
        let two = machine(&radices);
        assert_eq!((two.per_chip, two.format), (2, ModelTailFormat::Wire));
        assert_eq!(same(&two, 0..5, 80), (0, 5));
        for format in [ModelTailFormat::Zero, ModelTailFormat::Wire] {
            let one = TorusModelMachine { per_chip: 3, format, ..two.clone() };
            assert_eq!(same(&one, 0..4, 40), (0, 4));
        }
    }
}

#[test]
fn with_a_tail_wire() {
    for radices in [&[4][..], &[3, 4], &[8, 2]] {
        let machine = TorusModelMachine { format: ModelTailFormat::Wire, ..machine(radices) };
        assert_eq!(same(&machine, 0..8, 80), (0, 8));
    }
}

/// Deadlocks occur at the same time, with the same list of waiting packets.
#[test]
fn with_one_virtual_channel() {
    let (mut stall, mut all) = (0, 0);
    for (radices, queue) in [
        (&[2][..], 4),
        (&[3], 2),
        (&[4], 4),
        (&[5], 1),
        (&[8], 4),
        (&[2, 2], 4),
        (&[3, 3], 4),
        (&[4, 4], 4),
        (&[5, 4], 2),
        (&[8, 8], 4),
        (&[3, 3, 3], 4),
        (&[4, 2, 3], 2),
    ] {
        let machine = TorusModelMachine { channels: 1, queue, ..machine(radices) };
        let (stood, of) = same(&machine, 0..12, 40);
        // In rings of two, no packet continues in its ring.
        assert!(stood == 0 || radices.iter().any(|radix| *radix > 2));
        (stall, all) = (stall + stood, all + of);
    }
    assert!(stall > 20 && stall < all, "{stall} of {all}");
}

/// Returns a machine of up to 48 nodes with random parameters.
fn drawn(seed: u64) -> TorusModelMachine {
    let mut random = SplitMix64::new(seed);
    let radices = loop {
        let dims = 1 + random.below(3);
        let radices: Vec<u32> = (0..dims).map(|_| 2 + random.below(7) as u32).collect();
        if radices.iter().product::<u32>() <= 48 {
            break radices;
        }
    };
    let (dims, per_chip) = (radices.len(), 1 + random.below(3) as usize);
    let of_two = |random: &mut SplitMix64| random.below(2) == 1;
    TorusModelMachine {
        channels: 1 + usize::from(of_two(&mut random)),
        queue: 1 + random.below(8) as usize,
        vc_change: match of_two(&mut random) {
            true => TorusModelVcChange::AtZero,
            false => TorusModelVcChange::AfterZero,
        },
        // A tail of zero requires a single chip.
        format: match of_two(&mut random) && per_chip >= dims {
            true => ModelTailFormat::Zero,
            false => ModelTailFormat::Wire,
        },
        per_chip,
        radices,
    }
}

#[test]
fn on_drawn_machines() {
    let (mut stall, mut kinds) = (0, std::collections::BTreeSet::new());
    for seed in 500..560 {
        let machine = drawn(seed);
        let (stood, _) = same(&machine, 2 * seed..2 * seed + 2, 80);
        assert!(stood == 0 || machine.channels == 1, "{machine:?}");
        stall += stood;
        let chips = machine.radices.len().div_ceil(machine.per_chip);
        kinds.insert((machine.radices.len(), machine.channels, chips));
    }
    // One to three dimensions, one or two virtual channels, and all possible numbers of chips.
    assert_eq!(kinds.len(), 12, "{kinds:?}");
    assert!(stall > 5, "{stall}");
}
