//! The golden event logs and all other fields of their files.

use crate::model::{self, CubeModelRun, CubeRule};
use crate::model_golden::{congestion, cube, messages, pattern};
use phasecube::machine::MessageEventKind;
use phasecube::topology::Hypercube;
use phasecube::traffic::Message;
use serde_json::{json, Value};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sim/golden");

/// All golden logs: dimensions, traffic, link.
const LOGS: [(u64, &str, &str); 7] = [
    (3, "loss3", "register"),
    (4, "alltoone", "credit"),
    (4, "alltoone", "register"),
    (4, "bitrev", "credit"),
    (4, "bitrev", "register"),
    (4, "transpose", "credit"),
    (4, "transpose", "register"),
];

fn file_name(dims: u64, sent: &str, link: &str) -> String {
    match sent {
        "loss3" => format!("tdma_n{dims}_{sent}.json"),
        _ => format!("tdma_n{dims}_{sent}_{link}.json"),
    }
}

fn traffic(sent: &str, cube: Hypercube) -> Vec<Message> {
    match sent {
        "alltoone" => pattern("hotspot", 0, cube),
        "loss3" => messages(&[(0, 7), (1, 7), (2, 7)]),
        _ => pattern(sent, 0, cube),
    }
}

/// With flow control the golden logs serve in ascending order.
fn rule(link: &str) -> CubeRule {
    match link {
        "credit" => CubeRule::Ascending,
        _ => CubeRule::Raw,
    }
}

fn golden(name: &str) -> Value {
    let text = fs::read_to_string(Path::new(GOLDEN).join(name))
        .unwrap_or_else(|e| panic!("{GOLDEN}/{name}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Every log in the folder is listed.
#[test]
fn every_golden_log_is_compared() {
    let present: BTreeSet<String> = fs::read_dir(GOLDEN)
        .expect("the folder of golden files")
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("tdma_n"))
        .collect();
    let compared = LOGS.map(|(dims, sent, link)| file_name(dims, sent, link));
    assert_eq!(present, BTreeSet::from(compared));
}

#[test]
fn golden_logs_are_those_of_the_model() {
    for (dims, sent, link) in LOGS {
        let cube = cube(dims);
        let name = file_name(dims, sent, link);
        let golden = golden(&name);
        let traffic = traffic(sent, cube);
        let run = model::run(cube, &traffic, rule(link));
        let log = golden["log"].as_array().unwrap();
        for (place, (ours, theirs)) in run.events.iter().zip(log).enumerate() {
            // The golden logs do not number the messages.
            let mut ours = json!(ours);
            ours.as_object_mut().unwrap().remove("message");
            assert_eq!(ours, *theirs, "{name}, event {place}");
        }
        assert_eq!(run.events.len(), log.len(), "{name}");
    }
}

#[test]
fn golden_summaries_are_those_of_the_model() {
    for (dims, sent, link) in LOGS {
        let cube = cube(dims);
        let name = file_name(dims, sent, link);
        let mut golden = golden(&name);
        let traffic = traffic(sent, cube);
        let run = model::run(cube, &traffic, rule(link));

        let log = golden.as_object_mut().unwrap().remove("log").unwrap();
        let held = log.as_array().unwrap().iter().filter(|e| e["what"] == "held");
        assert_eq!(run.naks, held.count() as u64, "{name}");
        assert_eq!(golden, summary(cube, &traffic, &run), "{name}");
    }
}

/// Returns all fields of a golden file except the log.
fn summary(cube: Hypercube, traffic: &[Message], run: &CubeModelRun) -> Value {
    let last = run.last_phase.expect("something is delivered");
    let distance = |m: &Message| cube.distance(m.source, m.destination);
    // The golden files print six decimals.
    let utilisation = format!("{:.6}", run.wire_utilisation(cube));
    json!({
        "messages": traffic.len(),
        "delivered": run.delivered_count(),
        "lost": run.lost_count(),
        "to_self": run.to_self,
        "superframes": run.superframes,
        "last_phase": last,
        "max_latency_phases_from_start": last + 1,
        // With one message per node, all are injected before phase 0.
        "max_latency_phases_from_injection": last + 1,
        "hops": run.hops,
        "wire_utilisation": utilisation.parse::<f64>().unwrap(),
        "peak_messages_in_a_node": peak(traffic, run),
        "finished": true,
        "congestion": congestion(cube, traffic),
        "total_distance": traffic.iter().map(distance).sum::<u32>(),
    })
}

/// Returns the maximum number of messages in a node at the end of a phase, computed from the log.
fn peak(traffic: &[Message], run: &CubeModelRun) -> i64 {
    let mut held: HashMap<u32, i64> = HashMap::new();
    for message in traffic.iter().filter(|m| m.source != m.destination) {
        *held.entry(message.source).or_default() += 1;
    }
    let mut peak = held.values().copied().max().unwrap_or(0);
    for phase in run.events.chunk_by(|a, b| a.t == b.t) {
        for event in phase {
            let moved = |what| event.what == what;
            if moved(MessageEventKind::Forwarded) {
                *held.entry(event.to).or_default() += 1;
            }
            if !moved(MessageEventKind::Nak) {
                *held.entry(event.node).or_default() -= 1;
            }
        }
        peak = peak.max(held.values().copied().max().unwrap_or(0));
    }
    assert!(held.values().all(|&left| left == 0), "all are gone");
    peak
}
