//! The torus at the size of the project's cube: 4,096 nodes as RTL.

use crate::torus::machine::{lockstep, machine, run_on, shape};
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Recipe};

/// Every message of a permutation arrives, on 64 x 64 nodes and on 16 x 16 x 16 nodes with two
/// chips each.
#[test]
#[ignore = "thorough: 4,096 nodes"]
fn of_4096_nodes_all_messages_arrive() {
    let recipe = Recipe {
        pattern: "permutation".parse().unwrap(),
        seed: 1,
        payload: 4,
        order: ExchangeOrder::default(),
    };
    let messages = recipe.messages(Hypercube::new(12).unwrap()).unwrap();
    for radices in [&[64, 64][..], &[16, 16, 16]] {
        let shape = shape(&machine(radices));
        let run = run_on(&mut *lockstep(&shape), &shape, &messages);
        assert_eq!((run.is_complete(), run.delivered()), (true, 4096));
        // Each byte of a packet crosses each channel. Addresses count only until they are removed.
        let packets = messages.iter().map(|m| models::torus::TorusModelPacket {
            source: m.source,
            destination: m.destination,
            payload: m.payload.clone(),
        });
        let machine = machine(radices);
        let length = radices.len() + 4 + 1 + usize::from(radices.len() < 3);
        let bytes = packets.map(|packet| {
            let relative = machine.relative_address(&packet);
            let dims = (0..).zip(relative);
            let bytes = dims.map(|(dim, far): (usize, u8)| usize::from(far) * (length - dim));
            bytes.sum::<usize>() as u64
        });
        assert_eq!(run.bytes, bytes.sum::<u64>());
    }
}
