//! The blocks of the TDMA machine, of soft nodes and of hosts.

use crate::agreement::engines::{agree, agree_but, agree_on};
use crate::agreement::scripts::{line, mostly_small, rarely, schedule};
use engine::Stimulus;
use hdl::lower::Circuit;
use interconnect::topology::Hypercube;
use interconnect::traffic::SplitMix64;
use machine::networks::tdma::PhaseTiming;
use rtl::hosted::{HostPort, LineQueue, ProgramWatch, Restart, SharedMemory, Supervisor};
use rtl::tdma::{
    DmaCopy, EnginePlan, Link, LinkPort, MoveTable, NodeOscillator, NodePeripheral, NodePort,
    NodeService, Occupancy, OpenDrainWire, PhaseClock, PhaseClockDelay, PhaseOrder, PhaseSequencer,
    PinMux, ProgrammedPhaseClock, ProgrammedSequencer, ScheduleFollower, ServiceState,
    SynchronisedPort, Synchroniser, WordAccess,
};

#[test]
#[ignore = "thorough: Verilator on each block"]
fn phase_clocks_agree() {
    agree_on(PhaseClock::<3>::default, |stimulus| {
        stimulus.script(&["divider"], mostly_small(5, 700))
    });
    agree_on(PhaseClock::<6, 19>::default, |stimulus| {
        stimulus.script(&["divider"], mostly_small(5, 700))
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn node_clocks_agree() {
    agree(NodeOscillator::default);
    agree(Synchroniser::<3>::default);
    agree_on(PhaseClockDelay::default, |stimulus| {
        stimulus
            .script(&["phase_clock", "sync"], schedule(6, &[5, 20, 60]))
            .script(&["delay"], mostly_small(5, 40))
    });
}

#[test]
fn phase_sequencers_agree() {
    agree_on(PhaseSequencer::<3>::default, |stimulus| {
        stimulus.script(&["phase_clock", "sync"], schedule(6, &[1, 2, 5, 20]))
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn phase_sequencers_agree_on_noise() {
    agree(PhaseSequencer::<3>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn programmed_orders_agree() {
    agree(PhaseOrder::<4>::default);
    agree_on(ProgrammedPhaseClock::<3>::default, |stimulus| {
        stimulus.script(&["divider"], mostly_small(5, 700))
    });
    agree_on(ProgrammedSequencer::<3, 4>::default, |stimulus| {
        stimulus.script(&["phase_clock", "sync"], schedule(6, &[1, 2, 5, 20]))
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn blocks_of_compiled_schedules_agree() {
    agree(MoveTable::<4>::default);
    // Short messages, so that some are delivered and taken whole.
    let short = |stimulus: Stimulus| {
        stimulus
            .script(&["begin"], rarely(24))
            .at_most("host_data", 3)
            .at_most("memory_read_data", 3)
    };
    // Messages of a compiled schedule are always delivered, so the reason stays constant.
    agree_but(ScheduleFollower::<3, 6>::default, short, &["out_reason"]);
}

#[test]
fn pin_muxes_agree() {
    agree(PinMux::<1>::default);
    agree(PinMux::<4>::default);
    agree(PinMux::<12>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn wires_agree() {
    agree(OpenDrainWire::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn link_ports_agree() {
    agree_on(LinkPort::<3, 8>::default, |stimulus| {
        let mut lines = [line(8), line(8), line(8)];
        stimulus.script(&["phase_clock", "sync"], schedule(6, &[3, 60, 130])).script(
            &["level"],
            move |random| {
                let levels = lines.iter_mut().enumerate();
                vec![levels.map(|(d, line)| line(random) << d).sum()]
            },
        )
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn synchronised_ports_agree() {
    agree_on(SynchronisedPort::<2, 8>::default, |stimulus| {
        let mut lines = [line(8), line(8)];
        stimulus.script(&["phase_clock", "sync"], schedule(4, &[3, 60, 130])).script(
            &["level"],
            move |random| {
                let levels = lines.iter_mut().enumerate();
                vec![levels.map(|(d, line)| line(random) << d).sum()]
            },
        )
    });
}

#[test]
fn links_agree() {
    agree_on(Link::<8>::default, |stimulus| stimulus.at_most("divider", 300));
}

// The blocks between a core and its node.

/// Returns a level that is held for a while and is high most of the time.
pub fn held(cycles: u64) -> impl FnMut(&mut SplitMix64) -> Vec<u64> {
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
    agree_on(WordAccess::default, |stimulus| stimulus.script(&["go"], held(40)));
}

#[test]
fn movers_agree() {
    agree_on(DmaCopy::<4>::default, |stimulus| stimulus.script(&["open"], held(60)));
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
            let tag = if random.below(4) > 0 { phase } else { random.below(8) };
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
    for (plan, quiet) in plans().into_iter().zip([&["held", "crowded"][..], &["injected"]]) {
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

/// Stimulus of a peripheral with three links.
pub fn on_node_peripheral(stimulus: Stimulus) -> Stimulus {
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
}

/// Random bytes rarely form a valid frame. The machine tests cover behaviour that needs one.
#[test]
#[ignore = "thorough: Verilator on each block"]
fn node_peripherals_agree() {
    let plan = PhaseTiming::forwarder(8, 4, Hypercube::of(3), true).plan();
    agree_but(
        || NodePeripheral::<3, 3, 3, 8, 4, 8>::new(plan),
        on_node_peripheral,
        &["down", "all_down", "full", "held", "crowded", "pending"],
    );
}

// The blocks around a core that both nodes and hosts use.

#[test]
#[ignore = "thorough: Verilator on each block"]
fn shared_memories_agree() {
    let words: Vec<u32> = (0..1500u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    let stimulus = |width: u64| {
        move |stimulus: Stimulus| {
            stimulus.script(&["address"], move |random| {
                let bits = 1 + random.below(width);
                vec![random.below(1 << bits)]
            })
        }
    };
    agree_on(|| SharedMemory::<0, 1>::new(&words), stimulus(12));
    agree_on(|| SharedMemory::<4, 9>::new(&words), stimulus(12));
    agree_on(|| SharedMemory::<0, 1, 13, 13>::new(&words), stimulus(13));
    // The first bank has words, the second starts without words, and constants follow.
    let bank = std::iter::repeat_n(0, 1024 + 548);
    let words: Vec<u32> = words.iter().copied().chain(bank).chain(1..200).collect();
    agree_on(|| SharedMemory::<4, 10>::new(&words), stimulus(12));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn line_queues_agree() {
    agree(LineQueue::<1>::default);
    agree(LineQueue::<3>::default);
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn program_watches_agree() {
    agree_on(ProgramWatch::<2>::default, |stimulus| stimulus.script(&["begins"], rarely(20)));
}

#[test]
fn supervisors_agree() {
    agree_on(Supervisor::<2, 4>::default, |stimulus| {
        stimulus.script(&["restart"], rarely(100)).script(&["looks"], rarely(20))
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn restarts_agree() {
    agree_on(Restart::<4>::default, |stimulus| stimulus.script(&["requested"], rarely(100)));
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn host_ports_agree() {
    agrees(HostPort::<16, 4>::new);
    agrees(HostPort::<64, 6, 6, 7, 7>::new);
    agrees(HostPort::<8, 3, 4, 5, 6, 9>::new);
}

fn agrees<C: Circuit + 'static>(port: fn() -> C) {
    agree_on(port, |stimulus| {
        let mut serial = line(25);
        let (mut access, mut left) = (vec![0; 4], 0);
        stimulus
            .script(&["rx"], move |random| vec![serial(random)])
            .script(&["request", "offset", "write", "write_data"], move |random| {
                if left == 0 {
                    let offset = 4 * random.below(9);
                    let data = random.next_u64() & 0xF1F;
                    access = vec![random.below(2), offset, random.below(2), data];
                    left = 1 + random.below(4);
                }
                left -= 1;
                access.clone()
            })
            .script(&["begin"], rarely(50))
            .script(&["taken"], rarely(5))
            .script(&["arrived"], rarely(5))
    });
}
