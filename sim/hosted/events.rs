//! The board's nodes, watched phase by phase.

use crate::board::{circuit, Boards};
use crate::forwarders::{cube, messages, run};
use crate::same_run::same_run;
use phasecube::machine::End;
use phasecube::networks::tdma::cube::{CubeMachine, Disturbance};

/// The event logs of both machines are equal, in one run and in the next.
#[test]
fn every_hop_is_in_the_phase_in_which_hardware_forwarders_make_it() {
    let circuit = circuit();
    let mut boards = Boards::new(&circuit, 2);
    boards.until_ready();
    for (pattern, seed) in [("relation:2", 7), ("hotspot", 3)] {
        boards.terminals[0].send(&format!("{pattern} {seed}\n"));
        let messages = messages(pattern, seed);
        let timing = circuit.timing();
        let machine = CubeMachine::new(&mut boards, cube(), timing, Disturbance::default());
        let found = machine.run(&messages).unwrap();
        let wanted = run(&messages);
        assert_eq!(found.end, End::Complete, "{pattern}");
        same_run(&found, &wanted, pattern);
        assert_eq!(found.clashes, 0, "{pattern}");
        boards.until_still(&circuit);
    }
}
