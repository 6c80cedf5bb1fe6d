//! The program `route` on links without answers. It matches the second model of the machine,
//! although it has time for only one message at the start of a phase.

use crate::firmware::service::{fits, longest};
use crate::firmware::{cube, firmware, raw_timing, run_on, soft, traffic, PAYLOAD};
use crate::model::{self, CubeRule};
use crate::support::cube_runs::as_modelled;
use phasecube::machine::{Delivery, EndReason, MessageEvent, MessageEventKind, RunStats};
use phasecube::networks::tdma::cube::{CubeFaults, Slip};
use phasecube::networks::tdma::CoreProfile;
use phasecube::routing::tdma::Routing;
use phasecube::traffic::{Message, TrafficPattern};

fn run<const D: usize>(
    disturbance: CubeFaults,
    messages: &[Message],
) -> (RunStats, Vec<CoreProfile>) {
    let timing = raw_timing(D);
    let mut engine = soft::<D>(&firmware("route"), timing);
    run_on::<D>(&mut engine, timing, Routing::ECube, disturbance, messages)
}

/// Checks that the log equals the forwarder's. Returns the number of lost messages.
fn as_the_forwarder<const D: usize>(messages: &[Message], which: &str) -> u64 {
    let wanted = model::run(cube(D), messages, CubeRule::Raw);
    let (run, _) = run::<D>(CubeFaults::default(), messages);
    assert_eq!(run.figure("late"), 0);
    as_modelled(&run, &wanted, messages, &format!("dims {D}, {which}"));
    wanted.lost_count()
}

/// Checks random lists. Returns the number of lost messages.
fn lists_as_the_forwarder<const D: usize>(seeds: impl IntoIterator<Item = u64>) -> u64 {
    let lost = seeds.into_iter().map(|seed| {
        let messages = model::list(cube(D), seed, PAYLOAD);
        as_the_forwarder::<D>(&messages, &format!("seed {seed}"))
    });
    lost.sum()
}

/// Many messages overwrite others.
#[test]
fn lists_of_the_3_cube() {
    assert!(lists_as_the_forwarder::<3>(0..28) > 5);
}

#[test]
#[ignore = "thorough: long lists"]
fn lists_of_other_cubes() {
    lists_as_the_forwarder::<1>(0..7);
    lists_as_the_forwarder::<2>(0..14);
    assert!(lists_as_the_forwarder::<4>(0..14) > 20);
}

/// Information about a message becomes invalid when another one overwrites it.
#[test]
#[ignore = "thorough: long runs"]
fn much_traffic_of_the_4_cube() {
    for seed in 0..6 {
        let messages = traffic(4, TrafficPattern::Relation(12), seed);
        let lost = as_the_forwarder::<4>(&messages, &format!("relation:12, seed {seed}"));
        assert!(lost > 5, "{lost}");
    }
}

/// Nodes lose sync and miss phases in which messages overwrite others. They then send the message
/// that is present, over the link that it needs.
#[test]
fn after_slips() {
    for seed in 0..16u64 {
        let messages = model::list(cube(3), 2 + 7 * seed, PAYLOAD);
        let slips = (0..8u32).map(|node| Slip { node, t: 3 + u64::from(node) + seed });
        let disturbance = CubeFaults { slips: slips.collect(), ..CubeFaults::default() };
        let (run, _) = run::<3>(disturbance, &messages);
        assert_eq!((run.end, run.duplicated), (EndReason::Complete, 0));
        for (delivery, message) in run.deliveries.iter().zip(&messages) {
            let reported = matches!(delivery, Delivery::Delivered { .. } | Delivery::Lost { .. });
            assert!(reported || message.is_to_self(), "{seed}: {delivery:?}");
        }
        let sent = |e: &&MessageEvent| {
            matches!(e.what, MessageEventKind::Forwarded | MessageEventKind::Delivered)
        };
        for event in run.events.iter().filter(sent) {
            let wanted = (event.node ^ event.dst).trailing_zeros();
            assert_eq!(event.node ^ event.to, 1 << wanted, "{seed}: {event:?}");
        }
    }
}

/// The window of the 3-cube is sufficient but not excessive, including for messages at their
/// destination while the host offers others.
#[test]
fn the_window_is_enough() {
    let mut seen = 0;
    for pattern in [TrafficPattern::Relation(4), TrafficPattern::Hotspot, TrafficPattern::Random] {
        let (run, cores) = run::<3>(CubeFaults::default(), &traffic(3, pattern, 1));
        assert_eq!(run.figure("late"), 0);
        seen = seen.max(longest(&cores));
    }
    fits(raw_timing(3), seen);
}
