//! A network that is none of ours goes all the way: `examples/your_own_network.rs` is
//! wired, runs in all engines, and stands still where its relation says that it can.

#[allow(dead_code, reason = "the example's `main` is not ours to call")]
#[path = "../../examples/your_own_network.rs"]
mod your_own_network;

use phasecube::engine::NodeEngine;
use phasecube::routing::dependencies::{judge, Filling, Holding, Verdict};
use phasecube::routing::Relation;
use phasecube::topology::{End, Topology};
use phasecube::traffic::SplitMix64;
use std::path::Path;
use your_own_network::{array, engines, run, show, Outcome, Ring};

fn models() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/models"))
}

fn lockstep(ring: Ring) -> impl NodeEngine {
    let array = array(ring).unwrap();
    array.lockstep(&Default::default()).unwrap()
}

fn run_in_lockstep(ring: Ring, messages: &[[u32; 3]]) -> Outcome {
    run(&mut lockstep(ring), messages).unwrap()
}

/// Outputs of all nodes in every clock cycle, with processors that send at random to the
/// next nodes.
fn trace(engine: &mut dyn NodeEngine, clock_cycles: usize) -> Vec<[Vec<u64>; 8]> {
    let outputs = [
        "accept",
        "deliver",
        "delivered",
        "pass",
        "holds",
        "request_out",
        "word_out",
        "acknowledge_out",
    ];
    let outputs = outputs.map(|name| engine.port(name));
    let [send, word] = ["send", "send_word"].map(|name| engine.port(name));
    let step = engine.shared_port("step");
    let (mut random, nodes) = (SplitMix64::new(7), engine.nodes() as u64);
    let mut trace = vec![];
    for cycle in 0..clock_cycles {
        for node in 0..nodes {
            let destination = (node + 1 + random.below(3)) % nodes;
            let sends = random.below(8) == 0;
            engine.set(send, node as usize, sends.into());
            let data = random.next_u64() & 0xFFFF_FFFF;
            engine.set(word, node as usize, data << 8 | destination);
        }
        engine.settle().unwrap();
        assert_eq!(engine.get_shared(step), u64::from(cycle % 2 == 0));
        trace.push(outputs.map(|port| {
            let mut values = vec![];
            engine.get_all(port, &mut values);
            values
        }));
        engine.clock().unwrap();
    }
    trace
}

#[test]
fn all_engines_agree_on_it() {
    let engines = engines(Ring(5), models()).unwrap();
    let mut names = vec![];
    let mut traces = vec![];
    for mut engine in engines {
        names.push(engine.name());
        traces.push(trace(&mut *engine, 600));
    }
    assert_eq!(names, ["lockstep", "reference", "evaluator", "verilator"]);
    for node in 0..5 {
        for output in 0..8 {
            let mut values = traces[0].iter().map(|cycle| cycle[output][node]);
            let first = values.next().unwrap();
            assert!(values.any(|value| value != first), "{output} of {node}");
        }
    }
    for (name, found) in names.iter().zip(&traces).skip(1) {
        let differ = (0..600).find(|&cycle| found[cycle] != traces[0][cycle]);
        assert_eq!(differ, None, "{name}");
    }
}

/// A message alone needs a clock cycle for each channel and one to begin with; it goes
/// along the channels of the relation.
#[test]
fn a_message_alone_goes_the_way_of_the_relation() {
    let ring = Ring(6);
    for source in 0..6 {
        for destination in (0..6).filter(|&node| node != source) {
            let mut engine = lockstep(ring);
            let route = ring.route(source, destination);
            let outcome = run(&mut engine, &[[source, destination, 0xDEAD_BEEF]]).unwrap();
            assert_eq!(outcome.arrived, [(destination, 0xDEAD_BEEF)]);
            assert_eq!(outcome.clock_cycles, 1 + route.len() as u64);
            assert_eq!(outcome.stuck, []);
            let ends = route.iter().map(|channel| channel.from.node);
            assert!(ends.eq((0..route.len() as u32).map(|hop| (source + hop) % 6)));
        }
    }
}

/// What leaves by a node's port arrives at the next node, and back.
#[test]
fn ends_meet() {
    for nodes in [2, 3, 7] {
        let ring = Ring(nodes);
        for node in 0..nodes {
            let end = End { node, port: 0 };
            assert_eq!(ring.peer(end).node, (node + 1) % nodes);
            assert_eq!(ring.source(ring.peer(end)), end);
        }
    }
}

/// A second model of the ring: queues, one message in a node, no circuit. Who can go on
/// goes on, in every clock cycle all at once.
#[derive(Default)]
struct Model {
    sent: Vec<Vec<[u32; 2]>>,
    /// What each node holds.
    held: Vec<Option<[u32; 2]>>,
    /// It was handed on in the last clock cycle; its register is free in this one.
    leaving: Vec<bool>,
}

fn modelled(nodes: usize, messages: &[[u32; 3]]) -> Outcome {
    let mut model = Model {
        sent: vec![vec![]; nodes],
        held: vec![None; nodes],
        leaving: vec![false; nodes],
    };
    for &[source, destination, data] in messages.iter().rev() {
        model.sent[source as usize].push([destination, data]);
    }
    let mut outcome = Outcome::default();
    while outcome.arrived.len() < messages.len() {
        let before: Vec<_> = model.held.clone();
        let leaving = std::mem::replace(&mut model.leaving, vec![false; nodes]);
        for (node, left) in leaving.iter().enumerate() {
            if *left {
                model.held[node] = None;
            }
        }
        let free: Vec<bool> = model.held.iter().map(Option::is_none).collect();
        let mut moved = false;
        for (node, &free) in free.iter().enumerate() {
            let below = (node + nodes - 1) % nodes;
            let comes = match leaving[below] {
                true => None,
                false => before[below],
            };
            match comes {
                Some([destination, data]) if destination as usize == node => {
                    outcome.arrived.push((destination, data));
                    model.leaving[below] = true;
                    moved = true;
                }
                Some(message) if free => {
                    model.held[node] = Some(message);
                    model.leaving[below] = true;
                    moved = true;
                    continue;
                }
                Some(_) => continue,
                None => {}
            }
            if free {
                if let Some(message) = model.sent[node].pop() {
                    model.held[node] = Some(message);
                    moved = true;
                }
            }
        }
        if !moved {
            let held = (0..).zip(&model.held);
            let held = held.filter_map(|(node, message)| Some((node, message.as_ref()?[0])));
            outcome.stuck = held.collect();
            break;
        }
        outcome.clock_cycles += 1;
    }
    outcome
}

/// Random lists: the same messages arrive in the same clock cycles, or the same are
/// stuck, as in a model without circuits.
#[test]
fn the_circuit_does_what_the_model_does() {
    let mut random = SplitMix64::new(1);
    let mut stuck = 0;
    for list in 0..150 {
        let nodes = 2 + random.below(8) as u32;
        let count = nodes * (1 + random.below(6) as u32);
        let messages: Vec<[u32; 3]> = (0..count)
            .map(|data| {
                let source = random.below(nodes.into()) as u32;
                let away = 1 + random.below(u64::from(nodes) - 1) as u32;
                [source, (source + away) % nodes, data]
            })
            .collect();
        let found = run_in_lockstep(Ring(nodes), &messages);
        assert_eq!(found, modelled(nodes as usize, &messages), "{list}");
        stuck += u32::from(!found.stuck.is_empty());
        if found.stuck.is_empty() {
            let mut arrived = found.arrived;
            arrived.sort_unstable_by_key(|(_, data)| *data);
            let expected = messages.iter().map(|[_, to, data]| (*to, *data));
            assert!(arrived.into_iter().eq(expected), "each once, and at home");
        }
    }
    assert!((10..140).contains(&stuck), "{stuck} of 150 lists are stuck");
}

/// The checker's list stops the circuit; without any one of its messages all arrive.
#[test]
fn the_list_of_the_checker_stops_the_circuit() {
    for nodes in 3..=8 {
        let ring = Ring(nodes);
        let Verdict::Cyclic { cycle, filling, .. } = judge(&ring, Holding::Whole).unwrap() else {
            panic!("acyclic");
        };
        assert_eq!(cycle.len() as u32, nodes);
        assert!(filling.begins_in_it(&cycle));
        let Filling::By(holders) = filling else {
            panic!("not filled");
        };
        let list: Vec<_> = (0..)
            .zip(&holders)
            .map(|(data, holder)| [holder.source, holder.destination, data])
            .collect();
        let outcome = run_in_lockstep(ring, &list);
        let mut waiting: Vec<_> = list.iter().map(|[from, to, _]| (*from, *to)).collect();
        waiting.sort_unstable();
        assert_eq!(outcome.stuck, waiting);
        assert_eq!(outcome.arrived, []);
        for left_out in 0..list.len() {
            let mut others = list.clone();
            others.remove(left_out);
            let outcome = run_in_lockstep(ring, &others);
            assert_eq!(outcome.stuck, []);
        }
    }
    assert!(matches!(
        judge(&Ring(2), Holding::Whole).unwrap(),
        Verdict::Acyclic { .. }
    ));
}

#[test]
fn the_example_prints_where_it_stands() {
    let text = show(models()).unwrap();
    for engine in ["lockstep", "reference", "evaluator", "verilator"] {
        let stuck = format!("{engine}: 8 sent, 0 arrived, 8 stand still");
        let others = format!("{engine}: 7 sent, 7 arrived, 0 stand still");
        assert!(text.contains(&others), "{text}");
        assert!(text.contains(&stuck), "{text}");
    }
}
