//! The measurement against queues whose behaviour is known.

use super::*;
use crate::report::comparison::TrafficResult;
use interconnect::traffic::{OfferedLoad, PayloadLengths};
use machine::{Timebase, WireCounts};

/// A machine with a period of 16 clock cycles, so that a moment is one.
fn machine() -> MachineReport {
    MachineReport {
        machine: "queue",
        network: "queue",
        timebase: Timebase::unscheduled("packet time", "packet times", 16),
        wires: WireCounts { per_node: 1.0, pins: 2 },
        broadcast: 0,
        silicon: None,
    }
}

const WINDOW: LoadWindow = LoadWindow { warm_up: 500, measured: 8000, drain: 200 };

/// A node that serves the messages of its source one after the other, each for `service` clock
/// cycles.
fn queue(load: f64, seed: u64, service: u64) -> LoadPoint {
    queue_in(WINDOW, PayloadLengths::Fixed(4), (load, seed, service))
}

fn queue_in(
    window: LoadWindow,
    lengths: PayloadLengths,
    (load, seed, service): (f64, u64, u64),
) -> LoadPoint {
    let offered = OfferedLoad { lengths, ..OfferedLoad::uniform(load, window.periods(), seed, 4) };
    let nodes = interconnect::topology::AddressSpace::new(2).unwrap();
    let (messages, moments) = offered.messages(nodes, 0).unwrap();
    let created = window.creation_times(&moments, 16);
    let mut free = [0; 2];
    let mut arrivals = vec![];
    for (message, created) in messages.iter().zip(&created) {
        let free = &mut free[message.source as usize];
        *free = (*free).max(*created) + service;
        arrivals.push(Some(*free));
    }
    let carried = TrafficResult { arrivals, ..TrafficResult::default() };
    let bytes: Vec<usize> = messages.iter().map(|m| m.payload.len()).collect();
    LoadPoint::new(&LoadRun {
        machine: &machine(),
        nodes: 2,
        load,
        window,
        created: &created,
        bytes: &bytes,
        carried: &carried,
    })
}

/// A queue with fixed service and independent arrivals waits rho / (2 (1 - rho)) service times if
/// arrivals are Poisson (M/D/1). With at most one arrival in each of the S moments of a service it
/// waits (S - 1) / S of that (Geo/D/1). The theoretical wait is in the confidence interval of ten
/// seeds, widened by half.
#[test]
fn one_link_is_a_queue_with_fixed_service() {
    for rho in [0.2, 0.5, 0.8] {
        let runs: Vec<LoadPoint> = (1..=10).map(|seed| queue(rho, seed, 16)).collect();
        let point = LoadPoint::of_seeds(runs, 16);
        let m_d_1 = 16.0 * (1.0 + rho / (2.0 * (1.0 - rho)));
        let geo_d_1 = 16.0 + (m_d_1 - 16.0) * 15.0 / 16.0;
        let (mean, half) = (point.mean_latency.unwrap(), point.mean_latency_ci95.unwrap());
        assert!((mean - geo_d_1).abs() < 1.5 * half, "{rho}: {mean} +- {half}, {geo_d_1}");
        assert!(half < 0.1 * mean, "{rho}: {mean} +- {half}");
        assert!((mean / m_d_1 - 1.0).abs() < 0.07, "{rho}: {mean}, {m_d_1}");
        // A message that meets an empty queue has the latency at zero load.
        assert_eq!(point.latency.min, Some(16));
        assert!(!point.saturated && point.lost == 0);
        assert!((point.accepted / rho - 1.0).abs() < 0.05);
        // Four bytes in each message, and 16 clock cycles in a period.
        assert!((point.accepted_flits - point.accepted * 4.0 / 16.0).abs() < 1e-12);
        assert_eq!(point.seeds, 10);
    }
}

/// Beyond its capacity the queue accepts a message in each service time, and grows.
#[test]
fn an_overloaded_queue_accepts_its_capacity() {
    let point = queue(2.0, 1, 16);
    assert!(point.saturated && point.undrained > 0);
    assert!((point.accepted - 1.0).abs() < 0.001, "{}", point.accepted);
    assert!((point.offered - 2.0).abs() < 0.05);
}

/// In a short window few messages come, and the backlog changes by some of them. Only the overload is
/// saturated.
#[test]
fn a_light_load_in_a_short_window_is_not_saturated() {
    let window = LoadWindow { warm_up: 4, measured: 32, drain: 0 };
    let saturated = |load: f64| {
        let point = |seed| queue_in(window, PayloadLengths::Fixed(4), (load, seed, 16));
        (1..=300).filter(|seed| point(*seed).saturated).count()
    };
    assert_eq!(saturated(0.05), 0);
    assert_eq!(saturated(0.2), 0);
    assert_eq!(saturated(2.0), 300);
}

/// With different lengths, the flits vary more than the messages.
#[test]
fn accepted_flits_have_an_interval_of_their_own() {
    let lengths = PayloadLengths::Weighted(vec![(1, 9.0), (64, 1.0)]);
    let window = LoadWindow { warm_up: 10, measured: 200, drain: 0 };
    let point = |seed| queue_in(window, lengths.clone(), (0.3, seed, 16));
    let runs: Vec<LoadPoint> = (1..=8).map(point).collect();
    let flits: Vec<f64> = runs.iter().map(|run| run.accepted_flits).collect();
    let all = LoadPoint::of_seeds(runs.clone(), 16);
    assert_eq!(all.accepted_flits_ci95, confidence95(&flits));
    let relative = |half: Option<f64>, mean: f64| half.unwrap() / mean;
    let of_messages = relative(all.accepted_ci95, all.accepted);
    assert!(relative(all.accepted_flits_ci95, all.accepted_flits) > 1.5 * of_messages);
    assert_eq!(runs[0].accepted_flits_ci95, None);
}

/// Student's example: the interval of 10 values with a deviation of 1 is 2.262 / sqrt(10).
#[test]
fn confidence_is_students() {
    assert_eq!(confidence95(&[]), None);
    assert_eq!(confidence95(&[3.0]), None);
    assert_eq!(confidence95(&[3.0; 5]), Some(0.0));
    let half = confidence95(&[1.0, 3.0]).unwrap();
    assert!((half - 12.706).abs() < 1e-9, "{half}");
    let many: Vec<f64> = (0..200).map(|n| f64::from(n % 2)).collect();
    let half = confidence95(&many).unwrap();
    assert!((half - 1.972 * 0.5 * (200f64 / 199.0).sqrt() / 200f64.sqrt()).abs() < 1e-4);
}

/// The interval has the true mean in 95 % of the samples. Uniform values of 8 draws are close enough
/// to a normal distribution.
#[test]
fn confidence_intervals_have_the_mean_in_95_percent() {
    let mut random = interconnect::traffic::SplitMix64::new(5);
    let inside = (0..4000).filter(|_| {
        let values: Vec<f64> = (0..8).map(|_| random.below(1 << 20) as f64).collect();
        let mean = values.iter().sum::<f64>() / 8.0;
        let truth = ((1 << 20) - 1) as f64 / 2.0;
        (mean - truth).abs() <= confidence95(&values).unwrap()
    });
    let share = inside.count() as f64 / 4000.0;
    assert!((0.935..0.965).contains(&share), "{share}");
}

#[test]
fn bins_have_all_messages() {
    let latencies: Histogram = (0..1000u64).map(|n| 100 + n * n / 100).collect();
    let bins = latency_bins(&latencies);
    assert!(bins.len() <= 64 && bins.len() > 30, "{}", bins.len());
    assert_eq!(bins.iter().map(|bin| bin.messages).sum::<u64>(), 1000);
    assert!(bins.windows(2).all(|pair| pair[0].to < pair[1].from));
    assert!(bins[0].from <= 100 && bins.last().unwrap().to >= 100 + 999 * 999 / 100);
    let one: Histogram = [7].into_iter().collect();
    let bin = LatencyBin { from: 7, to: 7, messages: 1 };
    assert_eq!(latency_bins(&one), [bin]);
    assert_eq!(latency_bins(&Histogram::default()), []);
}

#[test]
fn seeds_are_combined() {
    let runs: Vec<LoadPoint> = (1..=3).map(|seed| queue(0.5, seed, 16)).collect();
    let both = LoadPoint::of_seeds(runs.clone(), 16);
    assert_eq!(both.measured, runs.iter().map(|run| run.measured).sum::<u64>());
    assert_eq!(both.latencies.len(), both.measured);
    let means = runs.iter().map(|run| run.mean_latency.unwrap());
    assert!((both.mean_latency.unwrap() - means.sum::<f64>() / 3.0).abs() < 1e-9);
    let most = runs.iter().map(|run| run.latency.max).max().unwrap();
    assert_eq!(both.latency.max, most);
    assert_eq!(LoadPoint::of_seeds(runs[..1].to_vec(), 16), runs[0]);
}
