//! Service time of the routing code, and behaviour with a shorter window.

use crate::firmware::{
    assert_all_delivered_in_noise, cube, dead, firmware, run_on, run_soft, soft, timing, traffic,
};
use crate::support::cube_runs;
use phasecube::machine::{Delivery, EndReason};
use phasecube::networks::tdma::cube::{CubeFaults, DeadMode};
use phasecube::networks::tdma::{CoreProfile, PhaseTiming};
use phasecube::routing::tdma::Routing;
use phasecube::traffic::{Message, TrafficPattern};

pub fn longest(cores: &[CoreProfile]) -> u32 {
    let all = cores.iter().flat_map(|core| core.service.iter().copied());
    all.max().unwrap()
}

/// Returns the worst case at a node whose neighbour is dead. All its buffers are full, the host
/// offers a message, one message must be delivered and one dropped.
fn worst(dims: usize) -> (CubeFaults, Vec<Message>) {
    let messages = (0..6u32)
        .flat_map(|round| cube(dims).addresses().map(move |source| (source, round)))
        .filter(|(source, _)| *source != 1)
        .map(|(source, round)| Message {
            source,
            destination: u32::from(round % 2 == 0),
            payload: vec![round as u8; crate::firmware::PAYLOAD],
        })
        .collect();
    (dead(1, DeadMode::Silent), messages)
}

/// Returns the longest service time in random traffic.
fn in_random_traffic<const D: usize>(seeds: std::ops::Range<u64>) -> u32 {
    let mut seen = 0;
    for seed in seeds {
        let messages = traffic(D, TrafficPattern::Relation(3), seed);
        let (run, cores) = run_soft::<D>(CubeFaults::default(), &messages);
        assert_eq!(run.figure("late"), 0);
        seen = seen.max(longest(&cores));
    }
    seen
}

/// Checks that the default window is sufficient and at most 1.5 times the longest measured service
/// time.
pub fn fits(timing: PhaseTiming, seen: u32) {
    let service = timing.service * timing.clocks_per_bit;
    println!("service time up to {seen} clock cycles, {service} given");
    assert!(seen <= service, "{seen} clock cycles, {service} given");
    assert!(2 * service <= 3 * seen, "{seen} clock cycles, {service} given");
}

#[test]
fn the_default_window_is_enough_on_the_3_cube() {
    let (disturbance, messages) = worst(3);
    let (run, cores) = run_soft::<3>(disturbance, &messages);
    assert_eq!((run.end, run.figure("late")), (EndReason::Complete, 0));
    fits(timing(3), longest(&cores).max(in_random_traffic::<3>(0..4)));
}

#[test]
fn the_default_window_is_enough_on_the_4_cube() {
    fits(timing(4), in_random_traffic::<4>(0..3));
}

/// A node that has not decided in time sends nothing, reports that it is late, and loses nothing.
#[test]
fn a_window_that_is_too_short_costs_time_but_no_message() {
    let messages = traffic(3, TrafficPattern::Relation(2), 3);
    let mut late = vec![];
    for service in [2, 8] {
        let mut timing = timing(3);
        timing.service = service;
        let mut engine = soft::<3>(&firmware("route"), timing);
        let circuit = cube_runs::circuit(cube(3), timing);
        let faults = CubeFaults::default();
        let run = cube_runs::run_for(&mut engine, &circuit, &faults, &messages, 40);
        let good = |f: &Delivery| {
            matches!(f, Delivery::Delivered { .. } | Delivery::ToSelf | Delivery::UnderWay)
        };
        assert!(run.deliveries.iter().all(good), "{service}: {:?}", run.deliveries);
        assert_eq!(run.undetected + run.duplicated, 0);
        late.push(run.figure("late"));
        // With the longer window, a late node has done part of its work and is in time in the next
        // phase.
        let delivered = !run.deliveries.contains(&Delivery::UnderWay);
        assert_eq!(delivered, service == 8, "{service}: {:?}", run.deliveries);
    }
    assert!(late[0] > late[1] && late[1] > 0, "{late:?}");
}

/// Nodes are late while links have frames to repeat. Decisions made ahead then become invalid.
#[test]
fn a_window_that_is_too_short_costs_no_message_in_noise_either() {
    for seed in 0..12 {
        let messages = traffic(3, TrafficPattern::Relation(4), seed);
        let mut timing = timing(3);
        timing.service = 9 + seed as u32 % 3;
        let disturbance = CubeFaults { noise: 4e-3, seed, ..CubeFaults::default() };
        let mut engine = soft::<3>(&firmware("route"), timing);
        let circuit = cube_runs::circuit(cube(3), timing);
        let run = cube_runs::run(&mut engine, &circuit, &disturbance, &messages);
        assert!(run.figure("late") > 0, "{seed}");
        assert_all_delivered_in_noise(&run, seed);
    }
}

/// Cores sleep when they have no work, and the counters are consistent.
#[test]
fn a_profile_adds_up() {
    let messages = traffic(3, TrafficPattern::Hotspot, 1);
    let mut engine = soft::<3>(&firmware("route"), timing(3));
    let (run, cores) =
        run_on::<3>(&mut engine, timing(3), Routing::ECube, CubeFaults::default(), &messages);
    for core in &cores {
        assert_eq!(core.awake + core.asleep, run.clock_cycles);
        assert_eq!(core.service.len() as u64, run.steps);
        let service: u64 = core.service.iter().map(|s| u64::from(*s)).sum();
        // A core is awake from the start of a phase to the decision, while it looks ahead, and in
        // the answer slot. The bound is the time with all buffers full.
        assert!(service < core.awake && core.awake < service + 850 * run.steps + 2000);
        assert!(core.instructions > 12 * run.steps);
    }
}
