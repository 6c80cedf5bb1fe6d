//! Nodes that miss the beginning of a phase, on perfect wires: every message is
//! delivered once, whatever the length of a phase, the node and the phase.

use crate::doorman::Doorman;
use crate::machine::{cube, CLOCKS};
use lockstep::lanes::Options;
use phasecube::engine::Observed;
use phasecube::lower::lower;
use phasecube::machine::cube::{cube_array, CubeMachine, Disturbance, RunEnd, Slip};
use phasecube::machine::PhaseTiming;
use phasecube::rtl::tdma::Node;
use phasecube::traffic::Message;

/// Superframes from one slip to the next: a node is out of step until the next sync
/// but one, and what it missed is sent again in the superframe after that.
const APART: u64 = 4;

/// Every node misses every phase of the superframe, one after the other, while all
/// send to all.
fn sweep<const D: usize>(payload: usize) {
    let cube = cube(D);
    let phases = 2 * D as u64;
    let nodes = u64::from(cube.nodes());
    let slips: Vec<Slip> = (0..nodes * phases)
        .map(|number| Slip {
            node: (number % nodes) as u32,
            // The first superframe is without: before it no node is in step.
            t: (1 + number * APART) * phases + number / nodes,
        })
        .collect();
    let superframes = nodes * phases * APART;
    // More than the wires carry until the last slip.
    let messages: Vec<Message> = (0..2 * superframes * nodes)
        .map(|i| {
            let source = (i % nodes) as u32;
            let offset = 1 + (i / nodes % (nodes - 1)) as u32;
            Message {
                source,
                destination: source ^ offset,
                payload: i
                    .to_le_bytes()
                    .iter()
                    .cycle()
                    .take(payload)
                    .copied()
                    .collect(),
            }
        })
        .collect();

    let timing = PhaseTiming::forwarder(CLOCKS as u32, payload + 2, D as u32, true);
    let node = lower(&Node::<D, CLOCKS, 7, 11>::new(timing.plan())).unwrap();
    let array = cube_array(cube, &node).unwrap();
    let mut engine = array.lockstep(&Options::default()).unwrap();
    let mut doorman = Doorman::new(&mut engine);
    let disturbance = Disturbance {
        slips: slips.clone(),
        ..Disturbance::default()
    };
    let mut observed = Observed::new(&mut engine, vec![&mut doorman]);
    let mut machine = CubeMachine::new(&mut observed, cube, timing, disturbance);
    machine.keep_events = false;
    let run = machine.run(&messages).unwrap();
    let which = format!("{D} dimensions, {payload} bytes");
    assert_eq!(run.end, RunEnd::Complete, "{which}");
    assert!(
        run.phases > superframes * phases,
        "{which}: too few messages"
    );
    assert_eq!(run.slips, slips.len() as u64, "{which}");
    assert!(doorman.delivered == Doorman::once(&messages), "{which}");
    assert_eq!(doorman.given_up, 0, "{which}");
    let counters = run.counters;
    assert_eq!(counters.duplicated + counters.undetected, 0, "{which}");
    assert!(counters.silences > 0, "{which}: the slips were felt");
}

#[test]
fn on_the_1_cube() {
    (0..=78).for_each(sweep::<1>);
}

#[test]
fn on_the_2_cube() {
    (0..=78).step_by(4).for_each(sweep::<2>);
}

#[test]
fn on_the_3_cube() {
    [0, 2, 14, 37, 78].into_iter().for_each(sweep::<3>);
}
