//! Livelock, and the way out of it (`cm1-message-router`, section 3.4.1): a
//! timeout empties the router, and the rest is sent in halves.

use crate::machine::run;
use crate::model::{self, Eject, Machine};
use phasecube::machine::cm1::Cm1Fate;

/// With two rows, a machine of the 4-cube in which every chip has a message for
/// its neighbour in dimension 0 and one for that in dimension 2: in each column
/// that nobody wants, the chips are full and send one away.
fn stuck(processors: u32) -> Vec<(u32, u32)> {
    let chip = |c: u32| {
        let to = |relative: u32| (c ^ relative) * processors;
        let second = if processors > 1 { 1 } else { 0 };
        [(c * processors, to(1)), (c * processors + second, to(4))]
    };
    (0..16).flat_map(chip).collect()
}

fn machine(processors: usize, timeout: u64) -> Machine {
    Machine {
        dims: 4,
        rows: 2,
        processors,
        eject: Eject::Or,
        timeout,
    }
}

/// Without the timeout they would move for ever.
#[test]
fn messages_can_move_for_ever() {
    for processors in [1, 2] {
        let pairs = stuck(processors as u32);
        let run = model::run(machine(processors, u64::MAX), &pairs, 5_000);
        assert_eq!(run.delivered.iter().flatten().count(), 0);
        assert_eq!(run.petits.len(), 5_000);
        assert!(run.hops > 100_000);
    }
}

#[test]
fn the_timeout_empties_the_router_and_the_rest_goes_in_halves() {
    for processors in [1, 2, 4] {
        let machine = machine(processors, 30);
        let pairs = stuck(processors as u32);
        let run = run(machine, &pairs);
        let delivered = |fate: &Cm1Fate| matches!(fate, Cm1Fate::Delivered { .. });
        assert!(run.fates.iter().all(delivered));
        assert!(run.counters.timeouts >= 1);
        assert!(run.counters.returned >= 1);
        assert!(run.petit_cycles > 30);
        assert_eq!(run.counters.duplicated + run.counters.undetected, 0);
        let wanted = model::run(machine, &pairs, 5_000);
        assert_eq!(run.counters.timeouts, wanted.timeouts);
        assert_eq!(run.counters.returned, wanted.returned);
        assert_eq!(run.petit_cycles, wanted.petit_cycles);
    }
}
