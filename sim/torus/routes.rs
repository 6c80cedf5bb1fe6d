//! The ways of packets: the golden ones, those of the relation, those of the circuits.

use crate::machine::{lockstep, machine, messages, shape};
use phasecube::machine::torus::TorusMachine;
use phasecube::routing::torus::{Switch, TorusRouting};
use phasecube::routing::{Channel, Relation};
use phasecube::topology::Torus;
use phasecube::traffic::Message;
use std::collections::HashMap;

/// By source and destination: node, dimension and virtual channel of each channel.
fn golden() -> HashMap<String, Vec<(u32, u32, u32)>> {
    let text = include_str!("../golden/trc_routes_k4n2_at.json");
    serde_json::from_str(text).unwrap()
}

fn triples(route: &[Channel]) -> Vec<(u32, u32, u32)> {
    let triple = |c: &Channel| (c.from.node, c.from.port, c.vc);
    route.iter().map(triple).collect()
}

#[test]
fn the_relation_is_the_golden_one() {
    let routing = TorusRouting::new(Torus::new(&[4, 4]).unwrap(), Switch::At);
    let golden = golden();
    assert_eq!(golden.len(), 256);
    for (pair, wanted) in golden {
        let (source, destination) = pair.split_once('-').unwrap();
        let route = routing.route(source.parse().unwrap(), destination.parse().unwrap());
        assert_eq!(triples(&route), wanted, "{pair}");
    }
}

/// All pairs at once, in the lockstep engine.
#[test]
fn the_circuits_take_the_golden_ways() {
    let shape = shape(&machine(&[4, 4]));
    let golden = golden();
    let pairs: Vec<(u32, u32)> = (0..256)
        .map(|i| (i / 16, i % 16))
        .filter(|(s, d)| s != d)
        .collect();
    let list = messages(&pairs, 3, (0, 5));
    let list: Vec<Message<&[u8]>> = list.iter().map(Message::as_ref).collect();
    let mut engine = lockstep(&shape);
    let mut driver = TorusMachine::new(&mut *engine, &shape);
    driver.log = true;
    let run = driver.run(&list).unwrap();
    for (number, (source, destination)) in pairs.iter().enumerate() {
        let way: Vec<Channel> = run
            .log
            .iter()
            .filter(|e| e.message == number)
            .map(|e| e.channel)
            .collect();
        assert_eq!(triples(&way), golden[&format!("{source}-{destination}")]);
    }
}
