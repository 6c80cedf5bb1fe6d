//! Figures of this network's specification, computed by models outside this repository.

use crate::torus::{lockstep, machine, messages, one_each, run, run_load, run_on, shape};
use models::torus::TorusModelMachine;
use phasecube::machine::{EndReason, Load};
use phasecube::topology::{Hypercube, Torus};
use phasecube::traffic::{ExchangeOrder, Message, MessageList, Recipe, SplitMix64};

/// Returns the clock cycles of a run in which everything arrives.
fn clock_cycles(machine: &TorusModelMachine, messages: &[Message]) -> u64 {
    let run = run(machine, messages);
    assert!(run.is_complete());
    assert_eq!(run.delivered(), messages.len());
    run.clock_cycles
}

/// One message from each node with a payload of 4, L = 8 bytes, seed 1.
#[test]
fn patterns_take_as_long_as_they_should() {
    for (dims, wanted) in [(6, [120, 157, 123, 117, 124, 855]), (3, [50, 39, 37, 37, 37, 91])] {
        let machine = machine(Torus::of_cube(dims).unwrap().radices());
        let names = ["permutation", "complement", "bitrev", "transpose", "shuffle", "hotspot"];
        for (name, wanted) in names.into_iter().zip(wanted) {
            let cube = Hypercube::new(dims.into()).unwrap();
            let messages = match (name, dims) {
                // With an odd number of bits, one half is one bit shorter.
                ("transpose", 3) => one_each(8, |s| (s << 1 | s >> 2) & 7, 4),
                _ => {
                    let recipe = Recipe {
                        pattern: name.parse().unwrap(),
                        seed: 1,
                        payload: 4,
                        order: ExchangeOrder::default(),
                    };
                    recipe.messages(cube).unwrap()
                }
            };
            assert_eq!(clock_cycles(&machine, &messages), wanted, "{dims} bits, {name}");
        }
    }
}

/// Every node sends to the node two hops on in a ring of four. The data bytes include the code byte
/// of COBS.
#[test]
fn a_full_ring_takes_eight_clock_cycles_a_byte() {
    for (data, wanted) in [(2, 24), (3, 32), (4, 40), (6, 56), (16, 136)] {
        let messages = one_each(4, |s| (s + 2) % 4, data - 1);
        assert_eq!(clock_cycles(&machine(&[4]), &messages), wanted, "{data} data bytes");
    }
}

/// Random lists with two virtual channels always arrive.
#[test]
fn random_lists_arrive() {
    let shape = shape(&machine(&[8, 8]));
    for seed in 0..20 {
        let mut random = SplitMix64::new(seed);
        let pairs: Vec<(u32, u32)> = (0..64 * 8)
            .map(|i| (i % 64, random.below(64) as u32))
            .filter(|(s, d)| s != d)
            .collect();
        let messages = messages(&pairs, seed, (0, 8));
        let run = run_on(&mut *lockstep(&shape), &shape, &messages);
        assert_eq!((run.is_complete(), run.delivered()), (true, pairs.len()));
    }
}

/// With random destinations, a channel of the 8 x 8 torus carries 0.27 to 0.28 bytes in a clock
/// cycle at any offered load. The paper's upper bound is one half.
#[test]
fn a_full_torus_uses_a_quarter_of_its_wires() {
    let shape = shape(&machine(&[8, 8]));
    let mut random = SplitMix64::new(1);
    let pairs: Vec<(u32, u32)> = (0..64 * 200)
        .map(|i| (i % 64, random.below(64) as u32))
        .filter(|(source, destination)| source != destination)
        .collect();
    let list = messages(&pairs, 1, (4, 4));
    let load = Load::at_once(MessageList::from(&list[..]));
    let run = run_load(&mut *lockstep(&shape), &shape, &load, 3000);
    assert!(matches!(run.end, EndReason::Limit { .. }), "{:?}", run.end);
    assert_eq!(run.clock_cycles, 3000);
    let carried = run.bytes as f64 / (3000.0 * 128.0);
    assert!((0.26..0.29).contains(&carried), "{carried}");
}
