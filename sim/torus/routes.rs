//! Routes of packets: in the golden files, in the relation and in the circuits.

use crate::torus::{lockstep, machine, messages, run_load, shape};
use phasecube::machine::{Load, MessageEvent, MessageEventKind};
use phasecube::routing::torus::{TorusRouting, VcSwitchNode};
use phasecube::routing::{Channel, Relation};
use phasecube::topology::Torus;
use phasecube::traffic::MessageList;
use std::collections::HashMap;

/// Returns node, dimension and virtual channel of each channel, by source and destination.
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
    let routing = TorusRouting::new(Torus::new(&[4, 4]).unwrap(), VcSwitchNode::AtOrigin);
    let golden = golden();
    assert_eq!(golden.len(), 256);
    for (pair, wanted) in golden {
        let (source, destination) = pair.split_once('-').unwrap();
        let route = routing.route(source.parse().unwrap(), destination.parse().unwrap());
        assert_eq!(triples(&route), wanted, "{pair}");
    }
}

/// Sends all pairs at once in the lockstep engine.
#[test]
fn the_circuits_take_the_golden_routes() {
    let shape = shape(&machine(&[4, 4]));
    let golden = golden();
    let pairs: Vec<(u32, u32)> =
        (0..256).map(|i| (i / 16, i % 16)).filter(|(s, d)| s != d).collect();
    let mut list = messages(&pairs, 3, (0, 5));
    // Makes all messages different, so that each is identified on arrival.
    for (number, message) in (0..=u8::MAX).zip(&mut list) {
        message.payload.push(number);
    }
    let load = Load { keep_events: true, ..Load::at_once(MessageList::from(&list[..])) };
    let run = run_load(&mut *lockstep(&shape), &shape, &load, 1_000_000);
    let channels = shape.plan().channels as u32;
    let forwarded = |e: &&MessageEvent| e.what == MessageEventKind::Forwarded;
    assert_eq!(run.events.iter().filter(forwarded).count() as u64, run.hops);
    for (number, (source, destination)) in pairs.iter().enumerate() {
        let events = || run.events.iter().filter(|e| e.message == number as u32);
        let route: Vec<(u32, u32, u32)> = events()
            .filter(forwarded)
            .map(|e| (e.node, e.from_reg / channels, e.from_reg % channels))
            .collect();
        assert_eq!(route, golden[&format!("{source}-{destination}")]);
        // The log ends with the place and time of arrival.
        let last = events().next_back().unwrap();
        assert_eq!((last.what, last.node), (MessageEventKind::Delivered, *destination));
        assert_eq!(Some(last.t as u32), run.deliveries[number].arrival_step());
    }
}
