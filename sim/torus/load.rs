//! Messages created during the run. The bytes on channels and each arrival match the model, and the
//! load carried does not exceed the capacity. At 4,096 nodes, every message of a permutation arrives.

use crate::torus::{lockstep, machine, packets, run_on, shape};
use models::torus::{TorusModelMachine, TorusModelNetwork};
use phasecube::machine::{drive, drive_for, EndReason, Load, MachineDriver, RunControl};
use phasecube::networks::bytes::ByteDriver;
use phasecube::networks::torus::TorusShape;
use phasecube::report::comparison::LoadWindow;
use phasecube::topology::{AddressSpace, Hypercube};
use phasecube::traffic::{ExchangeOrder, Message, MessageList, OfferedLoad, Recipe};
use std::sync::Arc;

const WINDOW: LoadWindow = LoadWindow { warm_up: 20, measured: 60, drain: 0 };

/// Returns the bytes carried in the measured periods, per clock cycle and channel.
fn carried(machine: &TorusModelMachine, load: f64, seed: u64) -> f64 {
    let shape: TorusShape = shape(machine);
    let period = shape.packet(4) as u64;
    let nodes = shape.torus().nodes();
    let offered = OfferedLoad::uniform(load, WINDOW.periods(), seed, 4);
    let addresses = AddressSpace::new(nodes.into()).unwrap();
    let (messages, moments) = offered.messages(addresses, 0).unwrap();
    let created = WINDOW.creation_times(&moments, period);
    let mut model = TorusModelNetwork::with_releases(machine, &packets(&messages), &created);
    let load = Load { created, ..Load::at_once(MessageList::from(&messages[..])) };
    let mut engine = lockstep(&shape);
    let mut driver =
        Box::new(ByteDriver::new(&mut *engine, Arc::new(shape.clone()), period, &load));
    let mut bytes = vec![];
    for periods in [WINDOW.warm_up, WINDOW.periods()] {
        let end = periods * period;
        // The wires of a clock cycle result from the previous one.
        while model.clock + 1 < end {
            model.step();
        }
        let before = (bytes.len() as u64) * WINDOW.warm_up * period;
        drive_for(&mut *driver, end - before).unwrap();
        let found = driver.carried_traffic().unwrap() * period as f64;
        assert_eq!(found.round() as u64, model.run.crossings, "after {end}");
        bytes.push(model.run.crossings);
    }
    while !model.is_done() {
        model.step();
    }
    let control = RunControl::to_end(1, Some(ByteDriver::QUIESCENT_AFTER));
    let stats = drive(&mut *driver, control).unwrap();
    assert_eq!(stats.end, EndReason::Complete);
    let arrived = stats.deliveries.iter().map(|delivery| delivery.arrival_step());
    let wanted = model.run.delivered.iter().map(|at| at.map(|at| at as u32));
    assert!(arrived.eq(wanted), "{machine:?}");
    // At the end, each byte of a packet has crossed each channel of its route.
    let torus = shape.torus();
    let bytes_of = |m: &Message| -> u64 {
        let dims = 0..torus.dims();
        let far = dims.map(|dim| u64::from(torus.relative(m.source, m.destination, dim)));
        (0..).zip(far).map(|(dim, far)| far * (period - dim)).sum()
    };
    let all: u64 = messages.iter().map(bytes_of).sum();
    assert_eq!(stats.figure("bytes"), all);
    let channels = u64::from(nodes) * machine.radices.len() as u64;
    (bytes[1] - bytes[0]) as f64 / (channels * WINDOW.measured * period) as f64
}

#[test]
fn circuits_carry_what_the_model_carries() {
    for (radices, load) in
        [(&[5][..], 0.2), (&[4, 4], 0.1), (&[4, 4], 0.5), (&[3, 5], 0.3), (&[4, 2, 3], 0.4)]
    {
        for seed in [1, 2] {
            let found = carried(&machine(radices), load, seed);
            // A virtual channel moves one byte in two clock cycles, and two channels together one
            // byte in each.
            assert!(found > 0.05 && found <= 1.0, "{radices:?}: {found}");
        }
    }
}

/// On 8 x 8 nodes, a small load is carried completely. Of a large load, 0.26 to 0.30 bytes are
/// carried.
#[test]
fn a_torus_of_64_nodes_saturates_below_the_half() {
    // A message has 8 bytes in X and 7 in Y, over 3.5 channels each among 64 nodes.
    let bytes = 3.5 * 64.0 / 63.0 * (8.0 + 7.0) / 2.0;
    let light = carried(&machine(&[8, 8]), 0.03, 1);
    let wanted = 0.03 / 8.0 * bytes;
    // With 115 messages, the standard deviation is a tenth.
    assert!((light / wanted - 1.0).abs() < 0.2, "{light} {wanted}");
    for load in [0.15, 0.3] {
        let full = carried(&machine(&[8, 8]), load, 1);
        assert!((0.26..0.30).contains(&full), "{full}");
    }
}

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
