//! Observes the board's nodes phase by phase.

use crate::hosted::reports::{messages, run};
use crate::hosted::{circuit, Boards};
use crate::support::cube_runs;
use crate::support::cube_runs::same_run;
use phasecube::machine::EndReason;
use phasecube::networks::tdma::cube::CubeFaults;
use phasecube::topology::Hypercube;

/// The event logs of both machines are equal in two consecutive runs.
#[test]
#[ignore = "thorough: compiles firmware"]
fn every_hop_has_the_phase_of_hardware_forwarders() {
    same_events(3, &[("relation:2", 7), ("hotspot", 3)]);
}

/// Checks sixteen nodes in one circuit.
#[test]
#[ignore = "thorough: long runs"]
fn every_hop_of_the_four_cube_has_the_phase_of_hardware_forwarders() {
    same_events(4, &[("relation:2", 7), ("complement", 3)]);
}

fn same_events(dims: u32, runs: &[(&str, u64)]) {
    let circuit = circuit(dims);
    let cube = Hypercube::of(dims);
    let mut boards = Boards::new(&circuit, 2);
    boards.until_ready();
    for &(pattern, seed) in runs {
        boards.terminals[0].send(format!("{pattern} {seed}\n"));
        let messages = messages(dims, pattern, seed);
        let machine = cube_runs::circuit(cube, circuit.timing());
        let found = cube_runs::run(&mut boards, &machine, &CubeFaults::default(), &messages);
        let wanted = run(dims, &messages);
        assert_eq!(found.end, EndReason::Complete, "{pattern}");
        same_run(&found, &wanted, pattern);
        assert_eq!(found.figure("clashes"), 0, "{pattern}");
        boards.until_idle(&circuit);
    }
}
