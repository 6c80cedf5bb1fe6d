//! The blocks of the TDMA machine.

use crate::agreement::agree::{agree, agree_but, agree_on};
use crate::agreement::scripts::{line, mostly_small, rarely, schedule};
use engine::Stimulus;
use rtl::tdma::{
    Link, LinkPort, MoveTable, NodeOscillator, OpenDrainWire, PhaseClock, PhaseClockDelay,
    PhaseOrder, PhaseSequencer, PinMux, ProgrammedPhaseClock, ProgrammedSequencer,
    ScheduleFollower, SynchronisedPort, Synchroniser,
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
        stimulus
            .script(&["phase_clock", "sync"], schedule(6, &[3, 60, 130]))
            .script(&["level"], move |random| {
                let levels = lines.iter_mut().enumerate();
                vec![levels.map(|(d, line)| line(random) << d).sum()]
            })
    });
}

#[test]
#[ignore = "thorough: Verilator on each block"]
fn synchronised_ports_agree() {
    agree_on(SynchronisedPort::<2, 8>::default, |stimulus| {
        let mut lines = [line(8), line(8)];
        stimulus
            .script(&["phase_clock", "sync"], schedule(4, &[3, 60, 130]))
            .script(&["level"], move |random| {
                let levels = lines.iter_mut().enumerate();
                vec![levels.map(|(d, line)| line(random) << d).sum()]
            })
    });
}

#[test]
fn links_agree() {
    agree_on(Link::<8>::default, |stimulus| {
        stimulus.at_most("divider", 300)
    });
}
