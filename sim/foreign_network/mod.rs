//! A network from outside the crates passes through all stages. `examples/your_own_network.rs` is
//! wired, runs in all engines, and deadlocks where its relation allows it.

#[allow(dead_code, reason = "the example's `main` is not ours to call")]
#[path = "../../examples/your_own_network.rs"]
pub mod your_own_network;

use lockstep::lanes::LaneOptions;
use phasecube::cli::run_command_line;
use phasecube::engine::{EngineError, NodeEngine};
use phasecube::machine::{EngineKind, MachineCircuit};
use phasecube::networks::Networks;
use phasecube::routing::dependencies::{check_deadlock, DeadlockVerdict, Filling, Switching};
use phasecube::routing::Relation;
use phasecube::topology::{PortEnd, Topology};
use phasecube::traffic::SplitMix64;
use serde_json::{json, Value};
use std::collections::VecDeque;
use std::path::Path;
use your_own_network::{networks, RingMachine};

fn work_dir() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn lockstep(ring: RingMachine) -> impl NodeEngine {
    ring.array().unwrap().lockstep(&LaneOptions::default()).unwrap()
}

/// Returns the machine in all four engines.
fn engines(ring: RingMachine) -> Vec<Box<dyn NodeEngine>> {
    let kinds =
        [EngineKind::Lockstep, EngineKind::Reference, EngineKind::Evaluator, EngineKind::Verilator];
    let start = |kind: EngineKind| kind.start(&ring, &LaneOptions::default(), work_dir());
    kinds.map(start).into_iter().map(Result::unwrap).collect()
}

/// Result of a run. Each message has a source, a destination and data.
#[derive(Debug, Default, PartialEq)]
struct RingOutcome {
    clock_cycles: u64,
    /// Node and data of each delivery, in order.
    arrived: Vec<(u32, u32)>,
    /// In a deadlock: each node that holds a message, and its destination.
    deadlocked: Vec<(u32, u32)>,
}

/// Sends the messages of each node in order until all have arrived or nothing moves. A clock cycle
/// without a move changes no register, so the machine is then deadlocked.
fn run(engine: &mut dyn NodeEngine, messages: &[[u32; 3]]) -> Result<RingOutcome, EngineError> {
    let [send, send_word] = ["send", "send_word"].map(|name| engine.port(name));
    let [delivered, holds, word_out] =
        ["delivered", "holds", "word_out"].map(|name| engine.port(name));
    let moves @ [accept, deliver, _] = ["accept", "deliver", "pass"].map(|name| engine.port(name));
    let mut queues = vec![VecDeque::new(); engine.nodes()];
    for &[source, destination, data] in messages {
        queues[source as usize].push_back(u64::from(data) << 8 | u64::from(destination));
    }
    let mut outcome = RingOutcome::default();
    while outcome.arrived.len() < messages.len() {
        for (node, queue) in queues.iter().enumerate() {
            engine.set(send, node, u64::from(!queue.is_empty()));
            engine.set(send_word, node, queue.front().copied().unwrap_or(0));
        }
        engine.settle()?;
        let moving = engine.any(&moves);
        for (node, queue) in (0..).zip(&mut queues) {
            if engine.get(accept, node) == 1 {
                queue.pop_front();
            }
            if engine.get(deliver, node) == 1 {
                let data = engine.get(delivered, node) >> 8;
                outcome.arrived.push((node as u32, data as u32));
            }
            if !moving && engine.get(holds, node) == 1 {
                let destination = engine.get(word_out, node) & 0xFF;
                outcome.deadlocked.push((node as u32, destination as u32));
            }
        }
        if !moving {
            break;
        }
        engine.clock()?;
        outcome.clock_cycles += 1;
    }
    Ok(outcome)
}

fn run_in_lockstep(ring: RingMachine, messages: &[[u32; 3]]) -> RingOutcome {
    run(&mut lockstep(ring), messages).unwrap()
}

/// Returns the outputs of all nodes in every clock cycle, with processors that send at random to
/// the next nodes.
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
    let engines = engines(RingMachine(5));
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

/// A lone message needs one clock cycle to enter and one for each channel. It follows the channels
/// of the relation.
#[test]
fn a_lone_message_follows_the_routing_relation() {
    let ring = RingMachine(6);
    for source in 0..6 {
        for destination in (0..6).filter(|&node| node != source) {
            let mut engine = lockstep(ring);
            let route = ring.route(source, destination);
            let outcome = run(&mut engine, &[[source, destination, 0xDEAD_BEEF]]).unwrap();
            assert_eq!(outcome.arrived, [(destination, 0xDEAD_BEEF)]);
            assert_eq!(outcome.clock_cycles, 1 + route.len() as u64);
            assert_eq!(outcome.deadlocked, []);
            let ends = route.iter().map(|channel| channel.from.node);
            assert!(ends.eq((0..route.len() as u32).map(|hop| (source + hop) % 6)));
        }
    }
}

/// A node's output port leads to the next node, and the reverse lookup leads back.
#[test]
fn peer_and_source_of_an_end_are_inverse() {
    for nodes in [2, 3, 7] {
        let ring = RingMachine(nodes);
        for node in 0..nodes {
            let end = PortEnd { node, port: 0 };
            assert_eq!(ring.peer(end).node, (node + 1) % nodes);
            assert_eq!(ring.source(ring.peer(end)), end);
        }
    }
}

/// A second model of the ring, without a circuit: queues, and one message in each node. All
/// messages that can move do so at once in every clock cycle.
#[derive(Default)]
struct RingModel {
    sent: Vec<Vec<[u32; 2]>>,
    /// Message that each node holds.
    held: Vec<Option<[u32; 2]>>,
    /// The message was passed on in the last clock cycle, so its buffer is free in this one.
    leaving: Vec<bool>,
}

fn modelled(nodes: usize, messages: &[[u32; 3]]) -> RingOutcome {
    let mut model = RingModel {
        sent: vec![vec![]; nodes],
        held: vec![None; nodes],
        leaving: vec![false; nodes],
    };
    for &[source, destination, data] in messages.iter().rev() {
        model.sent[source as usize].push([destination, data]);
    }
    let mut outcome = RingOutcome::default();
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
            outcome.deadlocked = held.collect();
            break;
        }
        outcome.clock_cycles += 1;
    }
    outcome
}

/// Random lists: the same messages arrive in the same clock cycles, or the same messages deadlock,
/// as in the model without circuits.
#[test]
fn the_circuit_does_what_the_model_does() {
    let mut random = SplitMix64::new(1);
    let mut deadlocked = 0;
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
        let found = run_in_lockstep(RingMachine(nodes), &messages);
        assert_eq!(found, modelled(nodes as usize, &messages), "{list}");
        deadlocked += u32::from(!found.deadlocked.is_empty());
        if found.deadlocked.is_empty() {
            let mut arrived = found.arrived;
            arrived.sort_unstable_by_key(|(_, data)| *data);
            let expected = messages.iter().map(|[_, to, data]| (*to, *data));
            assert!(arrived.into_iter().eq(expected), "each once, and at home");
        }
    }
    assert!((10..140).contains(&deadlocked), "{deadlocked} of 150 lists deadlock");
}

/// The checker's list deadlocks the circuit. Without any one of its messages, all others arrive.
#[test]
fn the_list_of_the_checker_deadlocks_the_circuit() {
    for nodes in 3..=8 {
        let ring = RingMachine(nodes);
        let DeadlockVerdict::Cyclic { cycle, filling, .. } =
            check_deadlock(&ring, Switching::StoreAndForward).unwrap()
        else {
            panic!("acyclic");
        };
        assert_eq!(cycle.len() as u32, nodes);
        assert!(filling.starts_in_cycle(&cycle));
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
        assert_eq!(outcome.deadlocked, waiting);
        assert_eq!(outcome.arrived, []);
        for left_out in 0..list.len() {
            let mut others = list.clone();
            others.remove(left_out);
            let outcome = run_in_lockstep(ring, &others);
            assert_eq!(outcome.deadlocked, []);
        }
    }
    assert!(matches!(
        check_deadlock(&RingMachine(2), Switching::StoreAndForward).unwrap(),
        DeadlockVerdict::Acyclic { .. }
    ));
}

/// Runs a command line with the ring among the networks.
fn phasecube(words: &str) -> Result<(), String> {
    phasecube_with(&networks(), words)
}

/// Runs a command line with other networks.
fn phasecube_with(networks: &Networks, words: &str) -> Result<(), String> {
    let words = std::iter::once("phasecube").chain(words.split_whitespace());
    run_command_line(networks, words).map_err(|failure| failure.to_string())
}

/// A comparison skips a network without a machine of that size and reports it. The error remains if
/// the network is named or is the only one.
#[test]
fn a_comparison_skips_an_unavailable_network() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let compare = "compare --dims 2 --pattern xor:1 --no-synthesis --no-sweeps";
    let done = phasecube(&format!("{compare} --out {}", dir.path().display()));
    assert_eq!(done, Ok(()));
    let all: Value = serde_json::from_str(&file("compare.json")).unwrap();
    let left_out = |all: &Value| -> Vec<String> {
        let left_out = all["left_out"].as_array().unwrap().iter();
        left_out.map(|out| out["network"].as_str().unwrap().to_owned()).collect()
    };
    // There is no metacube of 4 nodes.
    assert_eq!(left_out(&all), ["metacube"]);
    assert_eq!(all["machines"].as_array().unwrap().last().unwrap()["network"], "ring");

    let compare = format!("{compare} --processors 2");
    let done = phasecube(&format!("{compare} --out {}", dir.path().display()));
    assert_eq!(done, Ok(()));
    let all: Value = serde_json::from_str(&file("compare.json")).unwrap();
    let why = "accepted by a ring: --dims 1 to 8, --processors 1";
    assert_eq!(left_out(&all), ["metacube", "ring"]);
    assert_eq!(all["left_out"][1], json!({ "network": "ring", "why": why }));
    let machines = all["machines"].as_array().unwrap();
    assert!(machines.iter().all(|m| m["network"] != "ring"));
    assert!(file("compare.html").contains(&format!("ring is left out: {why}")));
    // The command that reproduces the comparison names the networks that took part.
    let command = all["setup"]["command"].as_str().unwrap();
    assert!(command.contains("--networks tdma,cm1,torus,rotation --dims"), "{command}");

    let named = phasecube(&format!("{compare} --networks tdma,ring"));
    assert_eq!(named, Err(why.into()));
    let ring = networks().iter().find(|network| network.name() == "ring");
    let alone = phasecube_with(&Networks::of(&[ring.unwrap()]), &compare);
    let none = format!("no network has a machine of this size: ring is left out: {why}");
    assert_eq!(alone, Err(none));
}

/// All commands support the network through its single entry in the registry.
#[test]
fn all_commands_support_the_registered_network() {
    for engine in ["lockstep", "reference", "evaluator", "verilator"] {
        let run = format!("run --network ring --dims 3 --pattern xor:1 --engine {engine}");
        assert_eq!(phasecube(&run), Ok(()));
    }
    assert_eq!(phasecube("route 1 6 --network ring --dims 3"), Ok(()));
    let compare =
        "compare --networks tdma,ring --dims 2 --pattern xor:1 --no-synthesis --no-sweeps \
                   --json";
    assert_eq!(phasecube(compare), Ok(()));
    let deadlock = phasecube("deadlock --network ring --dims 3 --confirm").unwrap_err();
    assert!(deadlock.contains("the machine deadlocks"), "{deadlock}");
    assert_eq!(phasecube("deadlock --network tdma --dims 4 --confirm"), Ok(()));
    let deadlocked = phasecube("run --network ring --dims 3 --pattern xor:4").unwrap_err();
    assert!(deadlocked.contains("no message has moved"), "{deadlocked}");
    let foreign = phasecube("run --network ring --rows 3").unwrap_err();
    assert!(foreign.contains("--rows is a flag of cm1"), "{foreign}");
    let unknown = phasecube("run --network rnig").unwrap_err();
    assert!(unknown.contains("accepted: tdma, cm1, torus"), "{unknown}");
}

/// The README promises a short example.
#[test]
fn the_example_is_one_short_file() {
    let lines = include_str!("../../examples/your_own_network.rs").lines();
    assert!(lines.count() <= 260);
}
