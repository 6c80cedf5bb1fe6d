//! On each network, messages arrive at the times that the second models predict.

use crate::compare::machine::{
    at_once, carry, carry_on, compared_machine, compared_machines, lockstep, messages, random,
    spec, takes_any, Spec, COMPILED, PAYLOAD, ROWS,
};
use crate::model::CubeModelRun;
use models::cm1::{self, Cm1ModelEject};
use phasecube::engine::NodeEngine;
use phasecube::machine::Load;
use phasecube::networks::Machine;
use phasecube::report::comparison::TrafficResult;
use phasecube::traffic::{Message, MessageList};

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
    assert_eq!(
        carried.hops,
        model.events.iter().filter(|e| hops(e)).count() as u64
    );
    let places =
        carried.periods * 2 * u64::from(spec.cube.dims()) * u64::from(spec.cube.nodes()) / 2;
    assert_eq!(
        carried.wire_utilisation,
        Some(carried.hops as f64 / places as f64)
    );
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
            assert_eq!(
                phase_clock_cycles(&*machine),
                beat.step * beat.clocks_per_bit
            );
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
        let pairs: Vec<(u32, u32)> = (0..nodes)
            .map(|node| (node << proc_bits, (node ^ (nodes - 1)) << proc_bits))
            .collect();
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
        let created: Vec<u64> = starts
            .iter()
            .flat_map(|start| vec![start.saturating_sub(beat.step / 2); 20])
            .collect();
        let all = messages(&lists.concat());
        let load = Load {
            created,
            ..Load::at_once(MessageList::from(&all[..]))
        };
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
