//! The figures of a run, recomputed from arrivals, clock and logic cells.

use crate::compare::machine::{at_once, carry, compared_machines, messages, random, spec};
use phasecube::machine::{Timebase, WireCounts};
use phasecube::report::comparison::{
    MachineReport, PartCost, RunReport, SiliconReport, TrafficResult,
};
use phasecube::report::Cost;
use phasecube::traffic::Travelling;

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
        wires: WireCounts {
            per_node: 1.5,
            pins: 3,
        },
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

fn reported(carried: &TrafficResult, travelling: &Travelling, silicon: bool) -> RunReport {
    let name = "random".to_owned();
    RunReport::new(&machine(silicon), name, 8, travelling, carried)
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
    let carried = carry(
        &*compared_machines(&spec).last().unwrap().machine,
        at_once(&travelling.messages),
    );
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
