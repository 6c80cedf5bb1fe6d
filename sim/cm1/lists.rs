//! Random lists of messages: RTL and model give the same result.

use crate::cm1::drawn_list;
use crate::cm1::{run, run_lockstep};
use models::cm1::{self, Cm1ModelEject, Cm1ModelMachine};
use phasecube::machine::{Delivery, EndReason};
use phasecube::rtl::cm1::MessageFormat;

fn same(
    dims: u32,
    rows: usize,
    processors: usize,
    eject: Cm1ModelEject,
    seeds: std::ops::Range<u64>,
) {
    let machine = Cm1ModelMachine { dims, rows, processors, eject, timeout: 40 };
    for seed in seeds {
        let pairs = drawn_list(dims, processors, seed);
        let what = format!("{machine:?}, seed {seed}");
        let wanted = cm1::run(machine, &pairs, 20_000);
        // The evaluator runs small machines, the lockstep engine the others.
        let run = match dims {
            0..=4 => run(machine, &pairs),
            _ => run_lockstep(machine, &pairs),
        };
        assert_eq!(run.end, EndReason::Complete, "{what}");
        let petit = |delivery: &Delivery| match delivery {
            Delivery::Delivered { t: petit } => Some(u64::from(*petit)),
            _ => None,
        };
        let delivered: Vec<Option<u64>> = run.deliveries.iter().map(petit).collect();
        assert_eq!(delivered, wanted.delivered, "{what}");
        assert!(delivered.iter().all(Option::is_some), "{what}");
        for (name, ours, theirs) in [
            ("petit cycles", run.periods, wanted.petit_cycles),
            ("hops", run.hops, wanted.hops),
            ("productive hops", run.figure("productive_hops"), wanted.productive),
            ("desperation hops", run.figure("desperation_hops"), wanted.desperation),
            ("collisions", run.figure("collisions"), wanted.collisions),
            ("refused", run.figure("refused"), wanted.refused),
            ("timeouts", run.figure("timeouts"), wanted.timeouts),
            ("returned", run.figure("returned"), wanted.returned),
            ("duplicated", run.duplicated, 0),
            ("undetected", run.undetected, 0),
            ("parity errors", run.figure("parity_errors"), 0),
        ] {
            assert_eq!(ours, theirs, "{what}: {name}");
        }
        invariant(machine, &pairs, run.figure("productive_hops"), run.figure("desperation_hops"));
        times(machine, run.periods, run.bit_times);
    }
}

/// Checks that productive hops = total distance + desperation hops.
fn invariant(machine: Cm1ModelMachine, pairs: &[(u32, u32)], productive: u64, desperation: u64) {
    let per_chip = machine.processors as u32;
    let distance = |(s, d): &(u32, u32)| u64::from(((s / per_chip) ^ (d / per_chip)).count_ones());
    let total: u64 = pairs.iter().map(distance).sum();
    assert_eq!(productive, total + desperation);
}

/// Checks the time: (p - 1) T + l + 2c.
fn times(machine: Cm1ModelMachine, petit_cycles: u64, heart_bit_times: u64) {
    let MessageFormat { dims, proc_bits, vp_bits, data_bits } = crate::cm1::shape(machine).format;
    let l = u64::from(2 + dims + proc_bits + vp_bits + data_bits);
    let longer = match machine.eject {
        Cm1ModelEject::PerProcessor => u64::from(proc_bits),
        Cm1ModelEject::Bank { .. } => u64::from(proc_bits + vp_bits),
        _ => 0,
    };
    let period = l.max(3 * u64::from(dims) + 1) + longer;
    let wanted = match petit_cycles {
        0 => 0,
        p => (p - 1) * period + l + 2 * u64::from(dims),
    };
    assert_eq!(heart_bit_times, wanted);
}

#[test]
fn on_the_1_cube() {
    same(1, 2, 1, Cm1ModelEject::Or, 0..10);
    same(1, 3, 4, Cm1ModelEject::PerChip, 0..10);
    same(1, 7, 2, Cm1ModelEject::PerProcessor, 0..10);
}

#[test]
fn on_the_2_cube() {
    same(2, 2, 1, Cm1ModelEject::PerProcessor, 0..15);
    same(2, 2, 4, Cm1ModelEject::Or, 0..15);
    same(2, 4, 16, Cm1ModelEject::PerChip, 0..10);
    same(2, 7, 8, Cm1ModelEject::PerProcessor, 0..15);
}

#[test]
fn on_the_3_cube() {
    same(3, 3, 1, Cm1ModelEject::Or, 0..25);
    same(3, 7, 16, Cm1ModelEject::Or, 0..15);
    same(3, 7, 16, Cm1ModelEject::PerProcessor, 0..15);
    same(3, 7, 16, Cm1ModelEject::PerChip, 0..10);
    same(3, 2, 2, Cm1ModelEject::PerChip, 0..20);
    same(3, 16, 4, Cm1ModelEject::PerProcessor, 0..10);
}

#[test]
#[ignore = "thorough: long lists"]
fn on_the_4_cube() {
    same(4, 2, 2, Cm1ModelEject::Or, 0..20);
    same(4, 3, 4, Cm1ModelEject::PerProcessor, 0..15);
    same(4, 7, 16, Cm1ModelEject::Or, 0..5);
    same(4, 5, 1, Cm1ModelEject::PerChip, 0..10);
}

#[test]
fn on_the_5_cube() {
    same(5, 7, 4, Cm1ModelEject::Or, 0..5);
    same(5, 2, 1, Cm1ModelEject::PerProcessor, 0..10);
}

#[test]
fn on_the_6_cube() {
    same(6, 7, 16, Cm1ModelEject::Or, 0..1);
    same(6, 4, 2, Cm1ModelEject::PerProcessor, 0..10);
    same(6, 7, 1, Cm1ModelEject::PerChip, 0..5);
}

/// Messages of one bank leave in each petit cycle (section 4.5).
const BANKS: Cm1ModelEject = Cm1ModelEject::Bank { banks: 4 };

#[test]
fn by_banks_on_the_1_cube() {
    same(1, 3, 4, BANKS, 0..10);
}

#[test]
fn by_banks() {
    same(2, 2, 4, BANKS, 0..15);
    same(3, 7, 16, BANKS, 0..15);
    same(4, 3, 1, BANKS, 0..10);
    same(6, 4, 2, BANKS, 0..10);
}

#[test]
#[ignore = "thorough: long lists"]
fn on_larger_cubes() {
    same(8, 7, 4, Cm1ModelEject::Or, 0..5);
    same(9, 3, 2, Cm1ModelEject::PerProcessor, 0..5);
    same(10, 2, 1, Cm1ModelEject::Or, 0..5);
}
