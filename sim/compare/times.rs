//! On each network, messages arrive at the times that the second models predict.

use crate::compare::{
    at_once, carry, carry_on, compared_machine, compared_machines, lockstep, messages, random,
    spec, takes_any, Spec, COMPILED, LABELS, PAYLOAD, ROWS,
};
use crate::model::CubeModelRun;
use models::cm1::{self, Cm1ModelEject};
use phasecube::engine::NodeEngine;
use phasecube::machine::{Delivery, Load, Timebase, WireCounts};
use phasecube::networks::Machine;
use phasecube::report::comparison::{
    ComparisonRun, LoadPoint, LoadRun, LoadWindow, MachineReport, PartCost, SiliconReport,
    TrafficResult,
};
use phasecube::report::Cost;
use phasecube::traffic::{Message, MessageList, OfferedLoad, Travelling};

/// Returns the same messages between nodes, as the TDMA cube sees them.
fn between_nodes(list: &[Message], proc_bits: u32) -> Vec<Message> {
    list.iter()
        .map(|m| Message {
            source: m.source >> proc_bits,
            destination: m.destination >> proc_bits,
            payload: m.payload.clone(),
        })
        .collect()
}

/// Returns the clock cycles of a phase, counted in the circuit after it has carried a message.
fn phase_clock_cycles(machine: &dyn Machine) -> u64 {
    let mut engine = lockstep(machine);
    let one = messages(&[(0, 3)]);
    let carried = carry_on(&mut engine, machine, at_once(&one));
    assert_eq!(carried.arrivals.len(), 1);
    let phase_clock = engine.shared_port("phase_clock");
    let (mut was_high, mut rises) = (true, vec![]);
    for clock in 0..100_000u64 {
        engine.settle().unwrap();
        let high = engine.get_shared(phase_clock) == 1;
        if high && !was_high {
            rises.push(clock);
        }
        was_high = high;
        if rises.len() == 3 {
            break;
        }
        engine.clock().unwrap();
    }
    assert_eq!(rises[2] - rises[1], rises[1] - rises[0]);
    rises[1] - rises[0]
}

/// Returns the bit-times of a phase according to docs/machine.md, "Phase": service window, guard,
/// frame, turnaround, answer, reaction time of the circuits, guard.
fn phase_bits(service: u64, proc_bits: u32, acked: bool) -> u64 {
    let (guard, reaction) = (2, 2);
    // Sync, header, length, destination, processor, payload, CRC.
    let frame = 10 * (3 + 2 + u64::from(proc_bits > 0) + PAYLOAD as u64 + 2) + 1;
    let answer = if acked { 2 + 20 + 1 + reaction } else { 0 };
    service + guard + frame + answer + reaction + guard
}

fn check_tdma(machine: &dyn Machine, spec: &Spec, model: &CubeModelRun, carried: &TrafficResult) {
    let beat = machine.timebase();
    let arrival = |t: &Option<u64>| t.map(|t| (t + 1) * beat.step);
    let expected: Vec<Option<u64>> = model.delivered.iter().map(arrival).collect();
    assert_eq!(carried.arrivals, expected);
    assert_eq!(carried.periods, model.superframes);
    assert_eq!(carried.hops, model.events.iter().filter(|e| hops(e)).count() as u64);
    let places =
        carried.periods * 2 * u64::from(spec.cube.dims()) * u64::from(spec.cube.nodes()) / 2;
    assert_eq!(carried.wire_utilisation, Some(carried.hops as f64 / places as f64));
}

fn hops(event: &phasecube::machine::MessageEvent) -> bool {
    use phasecube::machine::MessageEventKind::{Delivered, Forwarded};
    matches!(event.what, Delivered | Forwarded)
}

/// A phase has the scheduled length, in the circuit and in the report. Soft nodes have a longer
/// service window and the same schedule.
#[test]
fn a_phase_is_as_long_as_its_parts() {
    for (proc_bits, acked) in [(0, true), (0, false), (1, true)] {
        let spec = spec(2, proc_bits, acked);
        let services = ["TDMA route", "TDMA forwarder"].map(|label| {
            let machine = compared_machine(&spec, label);
            let beat = machine.timebase();
            assert_eq!(beat.period, 2 * 2 * beat.step);
            assert_eq!(phase_clock_cycles(&*machine), beat.step * beat.clocks_per_bit);
            beat.step - phase_bits(0, proc_bits, acked)
        });
        assert!(services[0] > services[1] && services[1] > 0, "{services:?}");
    }
}

/// Every message arrives at the end of the phase that the second model gives. The wires used are
/// those in the model's event log.
#[test]
fn tdma_times_are_those_of_the_model() {
    for (dims, proc_bits, seed) in [(1, 0, 1), (3, 0, 2), (3, 2, 3), (4, 0, 4)] {
        let spec = spec(dims, proc_bits, true);
        let list = messages(&random(1 << (dims + proc_bits), 50, seed));
        let model = crate::model::run(
            spec.cube,
            &between_nodes(&list, proc_bits),
            crate::model::CubeRule::Turns,
        );
        for label in ["TDMA route", "TDMA forwarder"] {
            let machine = compared_machine(&spec, label);
            let carried = carry(&*machine, at_once(&list));
            check_tdma(&*machine, &spec, &model, &carried);
        }
    }
}

/// Messages to the complements never wait. Each crosses every dimension in the phase in which its
/// source transmits, and the last arrives in the last phase of a superframe. A compiled machine
/// cannot be faster. It also passes a second pattern in two superframes.
#[test]
fn a_compiled_machine_takes_the_superframes_that_a_schedule_must() {
    for (dims, proc_bits) in [(1, 0), (3, 0), (3, 1), (4, 0)] {
        let spec = spec(dims, proc_bits, true);
        let machine = compared_machine(&spec, COMPILED);
        let beat = machine.timebase();
        assert_eq!(beat.period, u64::from(2 * dims) * beat.step);
        let nodes = 1u32 << dims;
        let pairs: Vec<(u32, u32)> =
            (0..nodes).map(|node| (node << proc_bits, (node ^ (nodes - 1)) << proc_bits)).collect();
        let carried = carry(&*machine, at_once(&messages(&pairs)));
        assert_eq!((carried.periods, carried.wire_utilisation), (1, Some(1.0)));
        let bit = |node: u32| u64::from(node >> (dims - 1) & 1);
        let last: Vec<u64> = carried.arrivals.iter().map(|t| t.unwrap()).collect();
        // In the last pair of phases, one half of the nodes transmits, then the other.
        let halves: Vec<u64> = (0..nodes).map(bit).collect();
        for (arrived, half) in last.iter().zip(&halves) {
            let same = last.iter().zip(&halves).find(|(_, other)| *other == half);
            assert_eq!(*arrived, *same.unwrap().0, "one phase for each half");
            assert!([beat.period - beat.step, beat.period].contains(arrived));
        }
        assert_ne!(last[0], *last.last().unwrap());
    }
    // Bit-reversed addresses: e-cube routes conflict, and two superframes are enough.
    let spec = spec(4, 0, true);
    let machine = compared_machine(&spec, COMPILED);
    let reversed = |node: u32| (0..4).fold(0, |to, bit| to << 1 | node >> bit & 1);
    let pairs: Vec<(u32, u32)> = (0..16).map(|node| (node, reversed(node))).collect();
    assert_eq!(carry(&*machine, at_once(&messages(&pairs))).periods, 2);
}

/// The last bit of a message of petit cycle p (from 0) reaches its processor after p T + l + 2c
/// bit-times. One more passes in the ejector. The second model gives p.
#[test]
fn cm1_times_are_those_of_the_model() {
    for (dims, proc_bits, seed) in [(1, 0, 1), (3, 0, 2), (3, 2, 3), (5, 1, 4)] {
        let spec = spec(dims, proc_bits, true);
        let pairs = random(1 << (dims + proc_bits), 120, seed);
        let list = messages(&pairs);
        let machine = compared_machine(&spec, "CM-1");
        let carried = carry(&*machine, at_once(&list));
        let model = cm1::run(cm1_machine(dims, proc_bits), &pairs, 1000);
        let l = u64::from(2 + dims + proc_bits) + 8 * PAYLOAD as u64;
        let period = l.max(u64::from(3 * dims + 1)) + u64::from(proc_bits);
        assert_eq!(machine.timebase().period, period);
        let expected: Vec<Option<u64>> = model
            .delivered
            .iter()
            .map(|petit| Some(petit.unwrap() * period + l + u64::from(2 * dims) + 1))
            .collect();
        assert_eq!(carried.arrivals, expected);
        assert_eq!(carried.periods, model.petit_cycles);
        let places = model.petit_cycles * u64::from(dims << dims);
        let used = model.hops as f64 / places as f64;
        assert_eq!(carried.wire_utilisation, Some(used));
    }
}

fn cm1_machine(dims: u32, proc_bits: u32) -> cm1::Cm1ModelMachine {
    cm1::Cm1ModelMachine {
        dims,
        rows: ROWS,
        processors: 1 << proc_bits,
        eject: Cm1ModelEject::PerProcessor,
        timeout: 64,
    }
}

/// Lists that are far enough apart are carried as if each were alone, in steps from their creation.
#[test]
#[ignore = "thorough: many runs"]
fn later_lists_take_as_long_as_alone() {
    let spec = spec(3, 0, true);
    let lists: Vec<Vec<(u32, u32)>> = (1..4).map(|seed| random(8, 20, seed)).collect();
    for contender in compared_machines(&spec).into_iter().filter(takes_any) {
        let machine = contender.machine;
        let beat = machine.timebase();
        // Messages created within a step wait for the next. The gap is longer than the CM-1's
        // timeout.
        let gap = 80 * beat.period;
        let starts: Vec<u64> = (0..3).map(|k| k * gap).collect();
        let created: Vec<u64> =
            starts.iter().flat_map(|start| vec![start.saturating_sub(beat.step / 2); 20]).collect();
        let all = messages(&lists.concat());
        let load = Load { created, ..Load::at_once(MessageList::from(&all[..])) };
        let together = carry(&*machine, load);
        let mut alone = vec![];
        for (list, start) in lists.iter().zip(&starts) {
            let carried = carry(&*machine, at_once(&messages(list)));
            let arrivals = carried.arrivals.iter();
            alone.extend(arrivals.map(|arrival| arrival.map(|time| time + start)));
        }
        assert_eq!(together.arrivals, alone, "{}", machine.label());
    }
}

// Delivered and lost messages on all networks of a comparison.

/// Every machine delivers every message except those that never leave their node. The machines'
/// ledgers have already compared the bytes.
#[test]
fn all_networks_deliver_the_same_messages() {
    for (dims, proc_bits, seed) in [(2, 0, 1), (3, 0, 2), (3, 1, 3), (4, 2, 4)] {
        let spec = spec(dims, proc_bits, true);
        let list = messages(&random(1 << (dims + proc_bits), 40, seed));
        let machines = compared_machines(&spec);
        let labels: Vec<&str> = machines.iter().map(|m| m.machine.label()).collect();
        let mut wanted = LABELS.to_vec();
        // There is no metacube of 4 or 16 nodes.
        if dims == 3 {
            wanted.extend(["metacube route", "metacube forwarder", "metacube compiled"]);
        }
        assert_eq!(labels, wanted);
        for machine in machines {
            let carried = carry(&*machine.machine, at_once(&list));
            assert_eq!((carried.wrong, carried.ored), (0, 0), "{}", machine.machine.label());
            for (message, delivery) in list.iter().zip(&carried.deliveries) {
                let leaves = message.source >> proc_bits != message.destination >> proc_bits;
                match delivery {
                    Delivery::Delivered { .. } => {}
                    Delivery::ToSelf => assert!(!leaves),
                    _ => panic!("{}: {message:?}", machine.machine.label()),
                }
                // Only the CM-1 carries messages that stay within a node.
                let stays = machine.network != "cm1";
                assert!(leaves || stays == (*delivery == Delivery::ToSelf));
            }
        }
    }
}

/// Messages lost by the TDMA machines on links without answers equal those lost by the second
/// model. The compiled machine and the CM-1 lose none.
#[test]
fn raw_links_lose_what_the_model_loses() {
    let spec = spec(4, 0, false);
    let list = messages(&random(16, 60, 5));
    let model = crate::model::run(spec.cube, &list, crate::model::CubeRule::Raw);
    assert!(model.lost_count() > 0, "the list is to lose something");
    for machine in compared_machines(&spec) {
        let carried = carry(&*machine.machine, at_once(&list));
        let lost: Vec<bool> = carried
            .deliveries
            .iter()
            .map(|delivery| matches!(delivery, Delivery::Lost { .. }))
            .collect();
        match machine.network {
            "tdma" if machine.machine.machine_builder().is_none() => {
                assert_eq!(lost, model.lost, "{}", machine.machine.label())
            }
            _ => assert!(!lost.contains(&true)),
        }
    }
}

// The figures of a run, recomputed from arrivals, clock and logic cells.

fn part(logic_cells: usize) -> PartCost {
    PartCost {
        cost: Cost {
            block: "Block".into(),
            logic_cells,
            flip_flops: 1,
            block_rams: 0,
            fmax_mhz: Some(50.0),
        },
        memory_bits: 0,
    }
}

/// Returns a machine that was not built: 50 MHz, 8 clock cycles per bit-time, routers of 250 cells
/// and nodes of 500.
pub fn machine(silicon: bool) -> MachineReport {
    MachineReport {
        machine: "Made up",
        network: "tdma",
        timebase: Timebase {
            clocks_per_bit: 8,
            step: 100,
            period: 600,
            period_name: "superframe",
            step_name: "phase",
            steps_name: "phases",
            arrival: 100,
        },
        wires: WireCounts { per_node: 1.5, pins: 3 },
        broadcast: 2,
        silicon: silicon.then(|| SiliconReport {
            router: part(250),
            node: part(500),
            shared: Some(part(10)),
            clock_mhz: Some(50.0),
        }),
    }
}

/// Returns the smallest latency that at least `percent` percent of the latencies do not exceed.
fn percentile(latencies: &[u64], percent: usize) -> u64 {
    let enough = |bound: &u64| {
        let within = latencies.iter().filter(|l| *l <= bound).count();
        100 * within >= percent * latencies.len()
    };
    *latencies.iter().filter(|l| enough(l)).min().unwrap()
}

fn reported(carried: &TrafficResult, travelling: &Travelling, silicon: bool) -> ComparisonRun {
    let name = "random".to_owned();
    ComparisonRun::new(&machine(silicon), name, 8, travelling, carried)
}

#[test]
fn the_figures_of_a_run_follow_from_its_arrivals() {
    for (proc_bits, seed) in [(0, 1), (1, 2)] {
        let spec = spec(3, proc_bits, true);
        let pairs = random(8 << proc_bits, 150, seed);
        for contender in compared_machines(&spec) {
            let travelling = Travelling::of(messages(&pairs), proc_bits);
            let carried = carry(&*contender.machine, at_once(&travelling.messages));
            let run = reported(&carried, &travelling, true);
            let leaves = |(s, d): &&(u32, u32)| s >> proc_bits != d >> proc_bits;
            let leaving = pairs.iter().filter(leaves).count();
            assert!((1..150).contains(&leaving));
            assert_eq!(carried.arrivals.len(), leaving);
            let arrivals = carried.arrivals.iter();
            let away: Vec<u64> = arrivals.map(|a| a.unwrap()).collect();
            assert_eq!(run.messages, away.len() as u64);
            assert_eq!(run.stayed, 150 - run.messages);
            assert_eq!((run.delivered, run.lost), (run.messages, 0));
            let last = *away.iter().max().unwrap();
            assert_eq!(run.bit_times, last);
            assert_eq!(run.latency.min, away.iter().min().copied());
            assert_eq!(run.latency.p50, Some(percentile(&away, 50)));
            assert_eq!(run.latency.p99, Some(percentile(&away, 99)));
            assert_eq!(run.latency.max, Some(last));
        }
    }
}

/// At 50 MHz and 8 clock cycles, a bit-time is 160 ns. Eight routers of 250 cells have 2000 cells,
/// and eight nodes of 500 have 4000.
#[test]
fn messages_per_second_are_messages_over_time_and_cells() {
    let spec = spec(3, 0, true);
    let pairs: Vec<(u32, u32)> = (0..8).map(|s| (s, s ^ 7)).collect();
    let travelling = Travelling::of(messages(&pairs), 0);
    let carried =
        carry(&*compared_machines(&spec).last().unwrap().machine, at_once(&travelling.messages));
    let run = reported(&carried, &travelling, true);
    let close = |value: Option<f64>, expected: f64| {
        let value = value.unwrap();
        assert!((value / expected - 1.0).abs() < 1e-9, "{value}, {expected}");
    };
    let seconds = run.bit_times as f64 * 160e-9;
    close(run.microseconds, seconds * 1e6);
    close(run.messages_per_second, 8.0 / seconds);
    close(run.per_second_and_1000_router_cells, 8.0 / seconds / 2.0);
    close(run.per_second_and_1000_node_cells, 8.0 / seconds / 4.0);
    close(run.per_1000_bit_times, 8000.0 / run.bit_times as f64);
    // Eight messages, eight nodes: one for the wires of each.
    let each = run.per_1000_wire_bit_times;
    close(each.map(|each| each * run.wire_bit_times), 1000.0);
    let run = reported(&carried, &travelling, false);
    assert_eq!(run.messages_per_second, None);
    assert_eq!(run.per_second_and_1000_node_cells, None);
}

// Networks under steady load: the measurement, checked by hand and on the machines.

const WINDOW: LoadWindow = LoadWindow { warm_up: 1, measured: 2, drain: 0 };

fn point(created: &[u64], arrivals: Vec<Option<u64>>) -> LoadPoint {
    let carried = TrafficResult { arrivals, ..TrafficResult::default() };
    // A period of 600 bit-times and two nodes.
    LoadPoint::new(&LoadRun {
        machine: &machine(false),
        nodes: 2,
        load: 1.0,
        window: WINDOW,
        created,
        bytes: &vec![4; created.len()],
        carried: &carried,
    })
}

/// Computed by hand: one message is created before the window, four in it, one after it.
#[test]
fn only_messages_created_in_the_window_are_measured() {
    let created = [0, 600, 700, 1000, 1799, 1800];
    let arrivals = vec![Some(700), Some(700), Some(900), None, Some(2099), Some(1900)];
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
    let created: Vec<u64> = (0..90).map(|i| 20 * i).collect();
    // In 60 bit-times, one message arrives and three are created.
    let slow = (1..=90).map(|i| Some(60 * i)).collect();
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
            let window = LoadWindow { warm_up: 6, measured: 24, drain: 0 };
            let offered = OfferedLoad::uniform(load, window.periods(), 1, PAYLOAD);
            let (messages, moments) = offered.messages(spec.cube, 0).unwrap();
            let created = window.creation_times(&moments, machine.timebase().period);
            let load_of = Load {
                created: created.clone(),
                ..Load::at_once(MessageList::from(&messages[..]))
            };
            let carried = carry(machine, load_of);
            LoadPoint::new(&LoadRun {
                machine: &report,
                nodes: 8,
                load,
                window,
                created: &created,
                bytes: &vec![PAYLOAD; created.len()],
                carried: &carried,
            })
            .saturated
        });
        assert_eq!(saturated, [false, true], "{}", machine.label());
    }
}
