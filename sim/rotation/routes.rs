//! Routes of packets: in the golden files, in the relation and in the circuits.

use crate::rotation::{lockstep, machine, messages, run_load, shape};
use phasecube::machine::{Load, MessageEventKind};
use phasecube::routing::rotation::{least_rotation, RotationRouting, RotationRule};
use phasecube::routing::Relation;
use phasecube::topology::Hypercube;
use phasecube::traffic::MessageList;
use serde::Deserialize;

/// A line of the golden tables.
#[derive(Deserialize)]
struct GoldenRoute {
    /// Source xor destination.
    x: String,
    min: String,
    rot: u32,
    flip: u32,
    sequence: Vec<u32>,
}

fn golden(dims: u32) -> Vec<GoldenRoute> {
    let text = match dims {
        3 => include_str!("../golden/rot_k3.json"),
        4 => include_str!("../golden/rot_k4.json"),
        _ => include_str!("../golden/rot_k5.json"),
    };
    let lines: Vec<GoldenRoute> = serde_json::from_str(text).unwrap();
    assert_eq!(lines.len(), (1 << dims) - 1);
    lines
}

fn number(word: &str) -> u32 {
    u32::from_str_radix(word, 2).unwrap()
}

#[test]
fn the_relation_is_the_golden_one() {
    for dims in 3..=5 {
        let routing = RotationRouting::new(Hypercube::new(dims.into()).unwrap());
        for line in golden(dims) {
            let left = number(&line.x);
            assert_eq!(least_rotation(dims, left), (number(&line.min), line.rot));
            assert_eq!(RotationRule::Minimal.next_dim(dims, left), Some(line.flip));
            for source in 0..1 << dims {
                let route = routing.route(source, source ^ left);
                let crossed: Vec<u32> = route.iter().map(|c| c.from.port).collect();
                assert_eq!(crossed, line.sequence, "{source}, {}", line.x);
            }
        }
    }
}

/// Sends all pairs at once in the lockstep engine. Every channel then carries 2^(k-1) messages.
#[test]
fn the_circuits_take_the_golden_routes() {
    for dims in 3..=5u32 {
        let shape = shape(&machine(dims));
        let nodes = 1 << dims;
        let pairs: Vec<(u32, u32)> =
            (0..nodes * nodes).map(|i| (i / nodes, i % nodes)).filter(|(s, d)| s != d).collect();
        let mut list = messages(&pairs, 3, (0, 5));
        // Makes all messages different, so that each is identified on arrival.
        for (number, message) in (0u16..).zip(&mut list) {
            message.payload.extend(number.to_le_bytes());
        }
        let load = Load { keep_events: true, ..Load::at_once(MessageList::from(&list[..])) };
        let run = run_load(&mut *lockstep(&shape), &shape, &load, 1_000_000);
        assert!(run.is_complete());
        let lanes = shape.crossbar().lanes();
        let golden = golden(dims);
        let mut routes = vec![vec![]; list.len()];
        let mut loads = vec![vec![0; dims as usize]; nodes as usize];
        for event in run.events.iter().filter(|e| e.what == MessageEventKind::Forwarded) {
            let dim = lanes[event.from_reg as usize].dim;
            assert_eq!(event.to, event.node ^ 1 << dim);
            routes[event.message as usize].push(dim as u32);
            loads[event.node as usize][dim] += 1;
        }
        for (route, (source, destination)) in routes.iter().zip(pairs) {
            let line = golden.iter().find(|g| number(&g.x) == source ^ destination);
            assert_eq!(*route, line.unwrap().sequence, "{source} to {destination}");
        }
        assert!(loads.iter().flatten().all(|load| *load == nodes / 2));
    }
}
