//! Networks under steady load: the measurement, checked by hand and on the machines.

use crate::compare::machine::{carry, compared_machines, spec, takes_any, PAYLOAD};
use crate::compare::run::machine;
use phasecube::machine::Load;
use phasecube::report::comparison::{LoadPoint, LoadWindow, MachineReport, TrafficResult};
use phasecube::traffic::{MessageList, OfferedLoad};

const WINDOW: LoadWindow = LoadWindow {
    warm_up: 1,
    measured: 2,
};

fn point(created: &[u64], arrivals: Vec<Option<u64>>) -> LoadPoint {
    let carried = TrafficResult {
        arrivals,
        ..TrafficResult::default()
    };
    // A period of 600 bit-times and two nodes.
    LoadPoint::new(&machine(false), 2, 1.0, WINDOW, created, &carried)
}

/// Computed by hand: one message is created before the window, four in it, one after it.
#[test]
fn only_messages_created_in_the_window_are_measured() {
    let created = [0, 600, 700, 1000, 1799, 1800];
    let arrivals = vec![
        Some(700),
        Some(700),
        Some(900),
        None,
        Some(2099),
        Some(1900),
    ];
    let point = point(&created, arrivals);
    assert_eq!((point.measured, point.lost), (4, 1));
    assert_eq!(point.offered, 4.0 / 4.0);
    // Three messages arrive in the window.
    assert_eq!(point.accepted, 3.0 / 4.0);
    assert_eq!(point.offered_per_1000_bit_times, 1000.0 / 600.0);
    let latency = point.latency;
    let ranks = [latency.min, latency.p50, latency.max];
    assert_eq!(ranks, [100, 200, 300].map(Some));
    assert_eq!(point.p50_periods, Some(200.0 / 600.0));
    // One waits at the begin of the window, one at its end.
    assert!(!point.saturated);
}

/// The report has no latency if no message arrives.
#[test]
fn latency_without_samples_is_no_number() {
    let point = point(&[600, 700], vec![None, None]);
    assert_eq!((point.measured, point.lost), (2, 2));
    assert_eq!((point.mean_latency, point.p50_periods), (None, None));
    assert_eq!(point.latency.max, None);
}

#[test]
fn a_growing_backlog_is_saturation() {
    let created: Vec<u64> = (0..18).map(|i| 100 * i).collect();
    // In 300 bit-times, one message arrives and three are created.
    let slow = (1..=18).map(|i| Some(300 * i)).collect();
    assert!(point(&created, slow).saturated);
    let quick = created.iter().map(|time| Some(time + 250)).collect();
    assert!(!point(&created, quick).saturated);
}

/// The machines carry half of a wire's capacity. They do not carry more than a processor can
/// deliver.
#[test]
#[ignore = "thorough: many runs"]
fn machines_accept_load_up_to_their_limit() {
    let spec = spec(3, 0, true);
    for contender in compared_machines(&spec).into_iter().filter(takes_any) {
        let machine = &*contender.machine;
        let report = MachineReport::new(contender.network, machine, None);
        let report = report.unwrap();
        let saturated = [0.25, 6.0].map(|load| {
            let window = LoadWindow {
                warm_up: 6,
                measured: 24,
            };
            let offered = OfferedLoad {
                load,
                periods: window.periods(),
                seed: 1,
                payload: PAYLOAD,
            };
            let (messages, moments) = offered.messages(spec.cube, 0);
            let created = window.creation_times(&moments, machine.timebase().period);
            let load_of = Load {
                created: created.clone(),
                ..Load::at_once(MessageList::from(&messages[..]))
            };
            let carried = carry(machine, load_of);
            LoadPoint::new(&report, 8, load, window, &created, &carried).saturated
        });
        assert_eq!(saturated, [false, true], "{}", machine.label());
    }
}
