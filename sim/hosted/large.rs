//! The cubes that only an ECP5 has room for: every hop is in the phase in which hardware
//! forwarders make it, and the host tells what the simulator tells.

use crate::board::{circuit, Boards};
use crate::forwarders::{messages, run};
use crate::same_run::same_run;
use crate::text::number;
use phasecube::board::lines::Line;
use phasecube::board::{expected, Transcript};
use phasecube::machine::End;
use phasecube::networks::tdma::cube::{CubeMachine, Disturbance};
use phasecube::topology::Hypercube;
use std::env;

/// Thirty-two nodes in one circuit, or 64 with the dimensions 6, which takes minutes; and
/// other messages.
#[test]
fn every_hop_of_a_large_cube_is_in_the_phase_in_which_hardware_forwarders_make_it() {
    let setting = |name: &str, otherwise: &str| env::var(name).unwrap_or(otherwise.into());
    let dims = setting("PHASECUBE_LARGE_DIMS", "5").parse().unwrap();
    let command = setting("PHASECUBE_LARGE_COMMAND", "complement 3");
    let (pattern, seed) = command.split_once(' ').expect("a pattern and a seed");
    same_events_and_words(dims, pattern, number(seed));
}

/// Two boards of the same; the first is watched.
fn same_events_and_words(dims: u32, pattern: &str, seed: u64) {
    let circuit = circuit(dims);
    let mut boards = Boards::new(&circuit, 2);
    let hello = format!("phasecube cube nodes={}", 1 << dims);
    assert_eq!(boards.until_ready()[0], [&hello, "ready"]);
    for terminal in &mut boards.terminals {
        terminal.send(&format!("{pattern} {seed}\n"));
    }
    let messages = messages(dims, pattern, seed);
    let (cube, timing) = (Hypercube::of(dims), circuit.timing());
    let machine = CubeMachine::new(&mut boards, cube, timing, Disturbance::default());
    let found = machine.run(&messages).unwrap();
    assert_eq!(found.end, End::Complete);
    assert_eq!(found.clashes, 0);
    same_run(&found, &run(dims, &messages), pattern);

    let mut transcript = Transcript::default();
    for said in boards.until_ready().swap_remove(0) {
        transcript.enter(&Line::read(&said));
    }
    assert_eq!((transcript.other, transcript.fault()), (0, None));
    let [told] = &transcript.runs[..] else {
        panic!("one run was asked for: {transcript:?}");
    };
    assert_eq!(told.arrivals.len(), messages.len());
    let simulated = expected::of(told).unwrap();
    assert_eq!(expected::difference(told, &simulated), None);
    // No error, and done.
    assert_eq!(boards.lights(0) >> 1, 2);
}
