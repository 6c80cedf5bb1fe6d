//! Tests of the expected output, and of the comparison.

use super::*;

fn run(pattern: &str) -> RecordedRun {
    let traffic = RunLine { pattern: pattern.into(), seed: 7, messages: 8, to_self: 0 };
    simulate_links(HostedShape::Cube3, &traffic).unwrap()
}

/// By the schedule, complement takes one superframe and all its wires.
#[test]
fn complement_arrives_in_the_last_dimension_of_the_first_superframe() {
    let run = run("complement");
    let Some(RunCounters::Links(done)) = run.counters else {
        panic!("links are counted otherwise: {run:?}");
    };
    assert_eq!((done.delivered, done.hops, done.superframes), (8, 24, 1));
    for line in &run.arrivals {
        assert_eq!((line.from ^ line.to, line.t), (7, 4 + (line.to >> 2 ^ 1)));
    }
}

#[test]
fn every_changed_field_is_a_difference() {
    let simulated = run("complement");
    assert_eq!(difference(&simulated, &simulated), None);
    let mut swapped = simulated.clone();
    swapped.arrivals.reverse();
    assert_eq!(difference(&swapped, &simulated), None);

    let differs = |change: fn(&mut RecordedRun)| {
        let mut printed = simulated.clone();
        change(&mut printed);
        difference(&printed, &simulated).unwrap()
    };
    assert!(differs(|run| run.arrivals[3].t += 1).contains("not simulated"));
    assert!(differs(|run| run.arrivals[0].payload = "00".into()).contains("not simulated"));
    assert!(differs(|run| drop(run.arrivals.pop())).contains("not reported"));
    assert!(differs(|run| run.arrivals.push(run.arrivals[0].clone())).contains("twice"));
    assert!(differs(|run| run.traffic.messages += 1).contains("messages"));
    assert!(differs(|run| run.counters = None).contains("counters"));
    assert!(differs(|run| run.cm1 = Some(Cm1Pass::default())).contains("not simulated"));
}

/// Each processor has one message. Clock cycles are not compared.
#[test]
fn a_change_in_the_cm1_part_is_a_difference() {
    let mut simulated = run("complement");
    simulated.cm1 = Some(simulate_cm1(&simulated.traffic).unwrap());
    let cm1 = simulated.cm1.clone().unwrap();
    let done = cm1.counters.unwrap();
    assert_eq!((done.delivered, done.lost, done.wrong), (8, 0, 0));
    assert!(cm1.arrivals.iter().all(|line| line.from ^ line.to == 7));
    let differs = |change: fn(&mut Cm1Pass)| {
        let mut printed = simulated.clone();
        change(printed.cm1.as_mut().unwrap());
        difference(&printed, &simulated)
    };
    assert_eq!(differs(|cm1| cm1.counters.as_mut().unwrap().clocks = 5), None);
    let other = |change| differs(change).unwrap();
    assert!(other(|cm1| cm1.arrivals[3].t += 1).contains("CM-1: not simulated"));
    assert!(other(|cm1| drop(cm1.arrivals.pop())).contains("CM-1: not reported"));
    assert!(other(|cm1| cm1.counters.as_mut().unwrap().petits += 1).contains("counters"));
    let mut printed = simulated.clone();
    printed.cm1 = None;
    assert!(difference(&printed, &simulated).unwrap().contains("not reported"));
}

#[test]
fn an_unknown_pattern_is_an_error() {
    let traffic = RunLine { pattern: "spiral".into(), seed: 0, messages: 8, to_self: 0 };
    assert!(matches!(
        simulate_links(HostedShape::Cube3, &traffic),
        Err(ExpectedRunError::Pattern(_))
    ));
}

/// Packets of 12 bytes over 1, 3, 1 and 3 channels of each ring of four. In the ring of two,
/// packets travel over one channel without the first address.
#[test]
fn a_change_in_the_torus_is_a_difference() {
    check_byte_network_difference(ByteNetwork::Torus, 2 * (1 + 3 + 1 + 3) * 12 + 8 * 11);
}

/// Eight packets of 11 bytes, each over three channels.
#[test]
fn a_change_in_rotation_is_a_difference() {
    check_byte_network_difference(ByteNetwork::Rotation, 8 * 3 * 11);
}

/// Arrival times are not compared, but the number of bytes over channels is.
fn check_byte_network_difference(network: ByteNetwork, bytes: u64) {
    let traffic = run("complement").traffic;
    let simulated = simulate_byte_network(network, &traffic).unwrap();
    assert_eq!(simulated.network.as_deref(), Some(network.name()));
    let Some(RunCounters::Bytes(done)) = &simulated.counters else {
        panic!("bytes are not counted: {simulated:?}");
    };
    assert_eq!((done.delivered, done.lost, done.wrong), (8, 0, 0));
    assert_eq!(done.bytes, bytes);
    let differs = |change: fn(&mut RecordedRun)| {
        let mut printed = simulated.clone();
        change(&mut printed);
        difference(&printed, &simulated)
    };
    assert_eq!(differs(|run| run.arrivals[3].t += 640), None);
    let other = |change| differs(change).unwrap();
    assert!(other(|run| run.arrivals[3].payload = "00".into()).contains("not simulated"));
    assert!(other(|run| drop(run.arrivals.pop())).contains("not reported"));
    assert!(other(|run| run.arrivals.push(run.arrivals[0].clone())).contains("twice"));
    assert!(other(|run| run.counters = None).contains("counters"));
    let counted =
        |bytes| Some(RunCounters::Bytes(BytesDoneLine { bytes, clocks: 7, ..done.clone() }));
    let mut printed = simulated.clone();
    printed.counters = counted(done.bytes);
    assert_eq!(difference(&printed, &simulated), None);
    printed.counters = counted(done.bytes + 1);
    assert!(difference(&printed, &simulated).unwrap().contains("counters"));
}

#[test]
fn the_error_names_an_unknown_network() {
    let mut run = run("complement");
    run.network = Some("ring".into());
    let error = expected_run(&run).unwrap_err().to_string();
    assert_eq!(
        error,
        "the board's network is called ring; accepted: tdma, metacube, torus, rotation"
    );
}
