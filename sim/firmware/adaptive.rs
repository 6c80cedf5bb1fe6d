//! The program `route` on nodes with a pool matches the adaptive forwarder. The event logs are
//! equal, phase by phase. Slot numbers may differ, and the order of two messages for the same node.
//! All engines show the same outputs in each clock cycle.

use crate::firmware::service::longest;
use crate::firmware::{
    assert_all_delivered_in_noise, cube, dead, is_delivered, pool_route, pool_timing, run,
    run_pool_hard, run_pool_soft, slips_in_noise, traffic, SmallPoolSoftNode, PAYLOAD,
};
use crate::support::array_runs;
use crate::support::cube_runs::counts;
use crate::support::whole_runs::OutputTrace;
use phasecube::engine::{ByNode, CircuitEngine};
use phasecube::machine::array::BlockCircuit;
use phasecube::machine::{Delivery, EndReason, MessageEvent, MessageEventKind, RunStats};
use phasecube::networks::tdma::cube::{cube_array, CubeFaults, DeadMode, Slip};
use phasecube::report::OutputProbe;
use phasecube::routing::tdma::Routing;
use phasecube::traffic::{Message, TrafficPattern};

fn run_soft<const D: usize, const P: usize>(
    disturbance: CubeFaults,
    messages: &[Message],
) -> RunStats {
    run_pool_soft::<D, P>(pool_timing(D), disturbance, messages).0
}

/// Returns the event log without the fields that depend on a message's slot.
fn log(run: &RunStats) -> Vec<(u64, u32, u32, u32, u32, MessageEventKind)> {
    let events = run.events.iter();
    events
        .map(|event| {
            let MessageEvent { t, phase, node, to, .. } = *event;
            (t, phase, node, to, event.dst, event.what)
        })
        .collect()
}

/// Returns the results of the messages, sorted by destination.
fn deliveries(run: &RunStats, messages: &[Message]) -> Vec<(u32, String)> {
    let deliveries = messages.iter().zip(&run.deliveries);
    let mut deliveries: Vec<_> = deliveries
        .map(|(message, delivery)| (message.destination, format!("{delivery:?}")))
        .collect();
    deliveries.sort();
    deliveries
}

fn same(soft: &RunStats, hard: &RunStats, messages: &[Message], what: &str) {
    for (place, (found, wanted)) in log(soft).iter().zip(&log(hard)).enumerate() {
        assert_eq!(found, wanted, "{what}, line {place}");
    }
    assert_eq!(soft.events.len(), hard.events.len(), "{what}");
    assert_eq!(deliveries(soft, messages), deliveries(hard, messages), "{what}");
    assert_eq!(counts(soft), counts(hard), "{what}");
}

fn delivers<const D: usize, const P: usize>(pattern: TrafficPattern) {
    let what = format!("{pattern} on the {D}-cube");
    let messages = traffic(D, pattern, 7);
    let soft = run_soft::<D, P>(CubeFaults::default(), &messages);
    assert!(soft.deliveries.iter().all(is_delivered), "{what}: {:?}", soft.deliveries);
    assert_eq!(soft.end, EndReason::Complete, "{what}");
    assert_eq!((soft.figure("late"), soft.figure("refused")), (0, 0), "{what}");
    let hard = run_pool_hard::<D, P>(CubeFaults::default(), &messages);
    same(&soft, &hard, &messages, &what);
}

fn patterns() -> Vec<TrafficPattern> {
    vec![
        TrafficPattern::Complement,
        TrafficPattern::Bitrev,
        TrafficPattern::Random,
        TrafficPattern::Hotspot,
        TrafficPattern::Relation(12),
    ]
}

#[test]
#[ignore = "thorough: long runs"]
fn every_pattern() {
    for pattern in patterns() {
        delivers::<3, 4>(pattern.clone());
        delivers::<4, 5>(pattern);
    }
    delivers::<1, 4>(TrafficPattern::Relation(9));
    // Fewer slots than links, and destinations that need more than one byte.
    delivers::<10, 9>(TrafficPattern::Relation(3));
}

/// Full pools, repeated frames, and a node that loses sync.
#[test]
#[ignore = "thorough: long runs"]
fn with_noise_and_a_slip() {
    let slip = CubeFaults { slips: vec![Slip { node: 6, t: 9 }], ..CubeFaults::default() };
    let messages = traffic(3, TrafficPattern::Relation(12), 2);
    let soft = run_soft::<3, 4>(slip.clone(), &messages);
    assert_eq!(soft.figure("slips"), 1);
    assert!(soft.figure("silences") > 0);
    // The node is synchronised again at t = 18. In the first phase that it did not expect it sends
    // nothing, and the message that the forwarder sends there waits.
    let hard = run_pool_hard::<3, 4>(slip, &messages);
    let before = |run| -> Vec<_> { log(run).into_iter().filter(|line| line.0 < 18).collect() };
    assert!(before(&soft).len() > 20);
    assert_eq!(before(&soft), before(&hard));
    assert!(soft.deliveries.iter().chain(&hard.deliveries).all(is_delivered));

    // The inverted bits depend on the length of a phase, so the logs differ.
    let mut refused = 0;
    for seed in 1..=4 {
        let noisy = CubeFaults { noise: 1e-2, seed, ..CubeFaults::default() };
        let messages = traffic(3, TrafficPattern::Relation(12), seed);
        let soft = run_soft::<3, 4>(noisy, &messages);
        assert!(soft.deliveries.iter().all(is_delivered), "seed {seed}: {:?}", soft.deliveries);
        assert_eq!(soft.duplicated + soft.undetected, 0);
        assert!(soft.figure("retries") > 0);
        refused += soft.figure("refused");
    }
    assert!(refused > 10, "pools were full: {refused}");
}

/// Messages route around a dead node. Those that cannot are dropped, and those sent to it are
/// unknown.
#[test]
#[ignore = "thorough: long runs"]
fn with_a_dead_node() {
    let messages = traffic(3, TrafficPattern::Relation(4), 2);
    for mode in [DeadMode::Silent, DeadMode::Hung] {
        let dead = dead(5, mode);
        let soft = run_soft::<3, 4>(dead.clone(), &messages);
        assert_eq!(soft.end, EndReason::Complete);
        for delivery in [Delivery::Undelivered, Delivery::Unknown] {
            assert!(soft.deliveries.contains(&delivery), "{mode:?}: {:?}", soft.deliveries);
        }
        let hard = run_pool_hard::<3, 4>(dead, &messages);
        same(&soft, &hard, &messages, &format!("{mode:?}"));
    }
}

/// Returns the worst case: full pools, a dead neighbour, further messages from the hosts, and
/// messages at their destination.
fn worst(dims: usize) -> (CubeFaults, Vec<Message>) {
    let rounds = (0..12u32).flat_map(|round| cube(dims).addresses().map(move |s| (s, round)));
    let messages = rounds.filter(|(source, _)| *source != 1);
    let messages = messages.map(|(source, round)| Message {
        source,
        destination: if round % 2 == 0 { 1 } else { round % 8 },
        payload: vec![round as u8; PAYLOAD],
    });
    (dead(1, DeadMode::Silent), messages.collect())
}

fn window_is_enough<const D: usize, const P: usize>(relations: u64) {
    let timing = pool_timing(D);
    let mut seen = 0;
    let (dead, messages) = worst(D);
    let random = (0..2).map(|seed| {
        let messages = traffic(D, TrafficPattern::Relation(relations), seed);
        (CubeFaults::default(), messages)
    });
    for (disturbance, messages) in random.chain([(dead, messages)]) {
        let (run, cores) = run_pool_soft::<D, P>(timing, disturbance, &messages);
        assert_eq!((run.end, run.figure("late")), (EndReason::Complete, 0));
        seen = seen.max(longest(&cores));
    }
    let given = timing.service * timing.clocks_per_bit;
    println!("{D}-cube: service time up to {seen} clock cycles, {given} given");
    assert!(seen <= given, "{seen} clock cycles, {given} given");
    assert!(2 * given <= 3 * seen, "{seen} clock cycles, {given} given");
}

/// The default window is sufficient, and at most 1.5 times the longest measured service time.
#[test]
#[ignore = "thorough: long runs"]
fn the_default_window_is_measured() {
    window_is_enough::<2, 4>(12);
    window_is_enough::<3, 4>(12);
    window_is_enough::<5, 6>(4);
}

/// A node that has not decided in time sends nothing, stores nothing, and loses nothing.
#[test]
fn a_window_that_is_too_short_costs_no_message() {
    let mut timing = pool_timing(3);
    timing.service = timing.service * 4 / 5;
    let messages = traffic(3, TrafficPattern::Relation(8), 3);
    let (run, _) = run_pool_soft::<3, 4>(timing, CubeFaults::default(), &messages);
    assert!(run.figure("late") > 0);
    assert!(run.deliveries.iter().all(is_delivered), "{:?}", run.deliveries);
    assert_eq!(run.undetected + run.duplicated, 0);
}

/// Nodes lose sync while links have frames to repeat, or are late for the repetition. Decisions
/// made ahead then become invalid.
#[test]
#[ignore = "thorough: long runs"]
fn with_slips_and_late_nodes_in_noise() {
    let mut late = 0;
    for seed in 0..5 {
        let disturbance = slips_in_noise(6e-3, seed);
        let messages = traffic(3, TrafficPattern::Relation(8), seed);
        let run = run_soft::<3, 4>(disturbance.clone(), &messages);
        assert_all_delivered_in_noise(&run, seed);
        assert!(run.figure("slips") > 4, "{seed}: {}", run.figure("slips"));

        let mut timing = pool_timing(3);
        timing.service = 15 + seed as u32 % 2;
        let (run, _) = run_pool_soft::<3, 4>(timing, disturbance, &messages);
        assert_all_delivered_in_noise(&run, seed);
        late += run.figure("late");
    }
    assert!(late > 10, "{late}");
}

fn trace(engine: &mut dyn CircuitEngine, messages: &[Message]) -> OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let mut nodes = ByNode::new(&mut probe, 4);
    let none = CubeFaults::default();
    let run = run::<2>(&mut nodes, pool_timing(2), Routing::Adaptive, none, messages);
    assert_eq!((run.end, run.figure("late")), (EndReason::Complete, 0));
    probe.into_trace()
}

/// The same check as for the whole run of the 2-cube with e-cube routing.
#[test]
#[ignore = "thorough: four engines on a whole run"]
fn engines_agree_on_a_whole_run_of_the_2_cube() {
    let messages = traffic(2, TrafficPattern::Complement, 7);
    let program = pool_route().words;
    let plan = pool_timing(2).plan().pooled();
    let node = BlockCircuit::of(move || Box::new(SmallPoolSoftNode::<2, 4>::new(plan, &program)));
    let array = cube_array(cube(2), node.unwrap()).unwrap();
    array_runs::agree(&array, |engine| trace(engine, &messages));
}
