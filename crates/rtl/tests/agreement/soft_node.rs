//! The blocks between a core and its node.

use crate::agreement::agree::{agree_but, agree_on};
use crate::agreement::scripts::{line, rarely, schedule};
use interconnect::topology::Hypercube;
use interconnect::traffic::SplitMix64;
use machine::networks::tdma::PhaseTiming;
use rtl::tdma::{
    DmaCopy, EnginePlan, NodePeripheral, NodePort, NodeService, Occupancy, ServiceState, WordAccess,
};

/// Returns a level that is held for a while and is high most of the time.
fn held(cycles: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    let (mut level, mut left) = (0, 0);
    move |random| {
        if left == 0 {
            level = u64::from(random.below(4) > 0);
            left = 1 + random.below(cycles);
        }
        left -= 1;
        vec![level]
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn word_accesses_agree() {
    agree_on(WordAccess::default, |stimulus| {
        stimulus.script(&["go"], held(40))
    });
}

#[test]
fn movers_agree() {
    agree_on(DmaCopy::<4>::default, |stimulus| {
        stimulus.script(&["open"], held(60))
    });
}

/// Returns accesses to the existing registers, each held for some clock cycles. The phase is mostly
/// the one named.
fn accesses() -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
    const OFFSETS: [u64; 18] = [
        0x00, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x40, 0x44, 0x48, 0x4C, 0x50, 0x54,
        0x58, 0x5C, 0x60,
    ];
    let (mut values, mut left) = (vec![0; 5], 0);
    move |random| {
        if left == 0 {
            let phase = random.below(8);
            let tag = if random.below(4) > 0 {
                phase
            } else {
                random.below(8)
            };
            let data = random.next_u64() & 0xFFFF | tag << 24;
            let offset = OFFSETS[random.below(18) as usize];
            let request = u64::from(random.below(8) > 0);
            values = vec![request, offset, random.below(2), data, phase];
            left = 1 + random.below(6);
        }
        left -= 1;
        values.clone()
    }
}

/// Returns the plans of a node with one buffer for each link and of a node with a pool.
fn plans() -> [EnginePlan; 2] {
    let registers = PhaseTiming::software(8, 6, Hypercube::of(3), true).plan();
    [registers, registers.pooled()]
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn node_ports_agree() {
    for plan in plans() {
        agree_on(
            || NodePort::<3, 3, 4>::new(plan),
            |stimulus| {
                let inputs = ["request", "offset", "write", "write_data", "phase"];
                stimulus
                    .script(&inputs, accesses())
                    .script(&["begin"], rarely(30))
                    .script(&["open"], held(60))
            },
        );
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn occupancies_agree() {
    for (plan, quiet) in plans()
        .into_iter()
        .zip([&["held", "crowded"][..], &["injected"]])
    {
        agree_but(
            || Occupancy::<3, 3, 3>::new(plan, 4, 8),
            |stimulus| stimulus.script(&["reset"], rarely(100)),
            quiet,
        );
    }
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn service_states_agree() {
    agree_on(
        || ServiceState::<4>::new(3),
        |stimulus| {
            stimulus
                .script(&["begin"], rarely(20))
                .script(&["window"], rarely(40))
                .script(&["reset"], rarely(500))
        },
    );
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn node_services_agree() {
    for plan in plans() {
        agree_on(
            || NodeService::<3, 3, 4, 4, 8>::new(plan),
            |stimulus| {
                let inputs = ["request", "offset", "data", "write_data", "phase"];
                stimulus
                    .script(&inputs, accesses())
                    .script(&["open"], held(60))
                    .script(&["host_valid", "host_ready", "host_room"], |random| {
                        (0..3).map(|_| u64::from(random.below(8) > 0)).collect()
                    })
                    .script(&["injected"], rarely(4))
            },
        );
    }
}

/// Random bytes rarely form a valid frame. The machine tests cover behaviour that needs one.
#[test]
#[ignore = "thorough: Verilator on each block"]
fn node_peripherals_agree() {
    let plan = PhaseTiming::forwarder(8, 4, Hypercube::of(3), true).plan();
    agree_but(
        || NodePeripheral::<3, 3, 3, 8, 4, 8>::new(plan),
        |stimulus| {
            let mut lines = [line(8), line(8), line(8)];
            stimulus
                .script(&["phase_clock", "sync"], schedule(6, &[3, 60, 700, 700]))
                .script(&["level"], move |random| {
                    let levels = lines.iter_mut().enumerate();
                    vec![levels.map(|(d, line)| line(random) << d).sum()]
                })
                .script(&["serve"], held(30))
                .script(&["decide"], rarely(60))
                .script(&["hang"], rarely(1000))
                .script(&["reset"], rarely(1000))
        },
        &["down", "all_down", "full", "held", "crowded", "pending"],
    );
}
