//! Loads of the channels between nodes: each network against its second model or its log, and the
//! picture against the report.

mod drawn;

use crate::cm1;
use crate::command_line::program::call;
use crate::cube;
use crate::model::{self, CubeRule};
use crate::rotation;
use crate::support::byte_runs::{list, ByteRun};
use crate::torus;
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use models::rotation::RotationModelNetwork;
use models::torus::TorusModelNetwork;
use phasecube::machine::{ChannelUse, MessageEventKind};
use phasecube::topology::PortEnd;
use phasecube::traffic::{Message, SplitMix64};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Compares the counts of a run with those of a model, given by node and port.
fn compare(found: &ChannelUse, nodes: usize, wanted: impl Fn(usize, usize) -> u64) -> u64 {
    for node in 0..nodes {
        for port in 0..found.ports() {
            let count = found.count(PortEnd::new(node as u32, port as u32));
            assert_eq!(count, wanted(node, port), "node {node}, port {port}");
        }
    }
    found.total()
}

/// Counts the changes of request wires of a model, which are the bytes that it sends, by node and
/// dimension.
#[derive(Default)]
struct SentBytes {
    before: Vec<u32>,
    counts: Vec<u64>,
}

impl SentBytes {
    fn look(&mut self, requests: impl Iterator<Item = u32>) {
        let now: Vec<u32> = requests.collect();
        self.before.resize(now.len(), 0);
        self.counts.resize(now.len(), 0);
        for (count, (before, now)) in self.counts.iter_mut().zip(self.before.iter().zip(&now)) {
            *count += u64::from((before ^ now).count_ones());
        }
        self.before = now;
    }
}

fn compare_bytes(run: &ByteRun, nodes: usize, sent: &SentBytes) {
    let channels = run.channel_use.as_ref().unwrap();
    let ports = channels.ports();
    let total = compare(channels, nodes, |node, port| sent.counts[node * ports + port]);
    assert_eq!((total, run.bytes > 0), (run.bytes, true));
}

/// The second model of the torus moves as many bytes over each channel, also up to a deadlock.
#[test]
fn a_torus_loads_channels_as_its_model_does() {
    for (radices, channels) in
        [(&[5][..], 2), (&[4, 4], 2), (&[3, 5], 2), (&[3, 2, 4], 2), (&[4, 4], 1)]
    {
        let mut machine = torus::machine(radices);
        machine.channels = channels;
        let nodes: u32 = radices.iter().product();
        let messages = list(nodes, 3);
        let mut model = TorusModelNetwork::new(&machine, &torus::packets(&messages));
        let mut sent = SentBytes::default();
        while !model.is_done() {
            model.step();
            let ends =
                (0..nodes as usize).flat_map(|node| (0..radices.len()).map(move |d| (node, d)));
            sent.look(ends.map(|(node, dim)| model.wires(node, dim).1));
        }
        let run = torus::run(&machine, &messages);
        assert_eq!(run.is_complete(), model.run.stall.is_none());
        compare_bytes(&run, nodes as usize, &sent);
    }
}

/// The second model of minimal rotation moves as many bytes over each channel.
#[test]
fn a_rotation_cube_loads_channels_as_its_model_does() {
    for dims in 2..=5 {
        let machine = rotation::machine(dims);
        let nodes = 1 << dims;
        let messages = list(nodes, 5);
        let mut model = RotationModelNetwork::new(&machine, &rotation::packets(&messages));
        let mut sent = SentBytes::default();
        while !model.is_done() {
            model.step();
            let ends =
                (0..nodes as usize).flat_map(|node| (0..dims as usize).map(move |d| (node, d)));
            // Bits of both virtual channels.
            let requests = |(node, dim)| {
                u32::from(model.wires(node, dim, 0).0 | model.wires(node, dim, 1).0 << 1)
            };
            sent.look(ends.map(requests));
        }
        let run = rotation::run(&machine, &messages);
        compare_bytes(&run, nodes as usize, &sent);
    }
}

/// The second model of the CM-1 sends as many messages over each wire, also in desperation.
#[test]
fn a_cm1_loads_wires_as_its_model_does() {
    let mut desperate = 0;
    for (dims, rows, seed) in [(2, 2, 1), (3, 2, 2), (4, 4, 3)] {
        let machine =
            Cm1ModelMachine { dims, rows, processors: 2, eject: Cm1ModelEject::Or, timeout: 64 };
        let processors = 2u64 << dims;
        let mut random = SplitMix64::new(seed);
        let mut draw = || random.below(processors) as u32;
        let pairs: Vec<(u32, u32)> = (0..6 * processors).map(|_| (draw(), draw())).collect();
        let wanted = models::cm1::run(machine, &pairs, 20_000);
        let run = cm1::run(machine, &pairs);
        let channels = run.channel_use.as_ref().unwrap();
        let crossed = |chip: usize, dim: usize| {
            let petits = wanted.petit_cycle_events.iter();
            petits.filter(|petit| petit.columns[dim].out[chip].is_some()).count() as u64
        };
        let total = compare(channels, 1 << dims, crossed);
        assert_eq!((total, total), (run.hops, wanted.hops));
        assert_eq!(channels.slots(0), wanted.petit_cycles);
        desperate += wanted.desperation;
    }
    assert!(desperate > 0);
}

/// The second model of the TDMA cube makes as many hops over each link in each direction.
#[test]
fn a_tdma_cube_loads_links_as_its_model_does() {
    const DIMS: usize = 3;
    let shape = cube::cube(DIMS);
    for acked in [true, false] {
        for pattern in ["bitrev", "hotspot", "relation:3"] {
            let messages: Vec<Message> = cube::pattern(pattern, 1, DIMS);
            let wanted = model::run(shape, &messages, CubeRule::of(acked));
            let run = cube::run::<DIMS>(acked, &messages);
            let channels = run.channel_use.as_ref().unwrap();
            let hops = |node: usize, dim: usize| {
                let to = node as u32 ^ 1 << dim;
                let crossed = wanted.events.iter().filter(|event| {
                    use MessageEventKind::{Delivered, Forwarded};
                    let moved = matches!(event.what, Forwarded | Delivered);
                    moved && (event.node, event.to) == (node as u32, to)
                });
                crossed.count() as u64
            };
            let total = compare(channels, 1 << DIMS, hops);
            assert_eq!((total, total), (run.hops, wanted.hops), "{pattern}");
            assert_eq!(channels.slots(2), wanted.superframes, "{pattern}");
            assert_eq!(channels.mean_load(), wanted.wire_utilisation(shape));
        }
    }
}

/// Runs a command with `--json`, which may fail. Returns its report.
fn report(dir: &Path, args: &str) -> Value {
    let args: Vec<&str> = args.split(' ').collect();
    let done = call(dir, &[&["run", "--json"], &args[..]].concat());
    serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}"))
}

fn numbers(value: &Value) -> Vec<u64> {
    let list = value.as_array().unwrap();
    list.iter().map(|number| number.as_u64().unwrap()).collect()
}

/// In the report of every network, the counts add up to the hops or bytes, and the mean load is the
/// utilisation that the report has already.
#[test]
fn loads_of_every_network_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let compiled = "compile --dims 4 --pattern bitrev --out b.csv";
    let compiled: Vec<&str> = compiled.split(' ').collect();
    assert_eq!(call(dir.path(), &compiled).code, Some(0));
    for (args, unit, slot) in [
        ("--dims 4 --pattern bitrev", "message", "phase"),
        ("--dims 4 --pattern bitrev --superframes 1", "message", "phase"),
        ("--dims 4 --pattern relation:2 --routing adaptive", "message", "phase"),
        ("--dims 4 --compiled b.csv", "message", "phase"),
        ("--network metacube --dims 3 --pattern relation:2", "message", "phase"),
        ("--network metacube --dims 3 --exchange lockstep", "message", "phase"),
        ("--network cm1 --dims 3 --pattern relation:2", "message", "petit cycle"),
        ("--network torus --radix 4,4 --pattern relation:3", "byte", "clock cycle"),
        ("--network torus --radix 4 --vcs 1 --pattern xor:2", "byte", "clock cycle"),
        ("--network rotation --dims 4 --pattern relation:3", "byte", "clock cycle"),
        ("--network rotation --dims 4 --pattern permutation --dead 5", "byte", "clock cycle"),
    ] {
        let json = report(dir.path(), args);
        let loads = &json["channel_loads"];
        assert_eq!((&loads["unit"], &loads["slot"]), (&unit.into(), &slot.into()), "{args}");
        let counts: Vec<Vec<u64>> =
            loads["counts"].as_array().unwrap().iter().map(numbers).collect();
        let slots = numbers(&loads["slots"]);
        assert_eq!(counts.len() as u64, json["nodes"].as_u64().unwrap(), "{args}");
        let total: u64 = counts.iter().flatten().sum();
        assert!(total > 0, "{args}");
        for node in &counts {
            let fits = node.iter().zip(&slots).all(|(count, slots)| count <= slots);
            assert!(fits && node.len() == slots.len(), "{args}: {node:?} of {slots:?}");
        }
        if unit == "byte" {
            assert_eq!(json["bytes"], total, "{args}");
            assert!(slots.iter().all(|slots| json["bit_times"] == *slots), "{args}");
            continue;
        }
        assert_eq!(json["hops"], total, "{args}");
        let all = slots.iter().sum::<u64>() * counts.len() as u64;
        let used = json["wire_utilisation"].as_f64().unwrap();
        assert!((used - total as f64 / all as f64).abs() < 1e-12, "{args}: {used}");
    }
}

/// A log has a line for each hop, with its phase and its ends.
#[test]
fn loads_are_counted_again_from_the_log() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        "--dims 4 --pattern relation:3 --routing adaptive",
        "--dims 3 --pattern relation:3 --noise 0.002 --seed 3",
        "--network metacube --dims 3 --pattern relation:3",
    ] {
        let json = report(dir.path(), &format!("{args} --trace"));
        let counts = json["channel_loads"]["counts"].as_array().unwrap();
        let mut counts: Vec<Vec<u64>> = counts.iter().map(numbers).collect();
        for line in json["log"].as_array().unwrap() {
            if ["fwd", "dlv"].contains(&line["what"].as_str().unwrap()) {
                let number = |key: &str| line[key].as_u64().unwrap() as usize;
                // A link is open for two phases, one for each direction.
                counts[number("node")][number("phase") / 2] -= 1;
            }
        }
        assert!(counts.iter().flatten().all(|left| *left == 0), "{args}: {counts:?}");
    }
}

/// `parallel_sum` exchanges each of its two values with the neighbour in each dimension.
#[test]
fn loads_of_programs_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let values: String = (0..8).map(|node| format!("{node},{node},5\n")).collect();
    fs::write(dir.path().join("d.csv"), values).unwrap();
    let json = report(dir.path(), "--firmware parallel_sum --data d.csv");
    let loads = &json["channel_loads"];
    assert_eq!(loads["counts"], serde_json::json!(vec![[2; 3]; 8]));
    assert_eq!(loads["slots"], serde_json::json!(vec![2; 3]));
}
