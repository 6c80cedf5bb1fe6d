//! `deadlock`: an order of the channels, and rejected arguments.

use crate::command_line::program::{call, refused, stdout};
use crate::model_metacube::MetacubeModelShape;
use models::rotation::RotationModelRule;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the printed name of a channel in a network of `nodes` nodes.
fn hop(nodes: u32, from: u32, to: u32) -> String {
    let width = format!("{:X}", nodes - 1).len();
    format!("0x{from:0width$X} to 0x{to:0width$X}")
}

/// Checks that the printed order is a certificate. Each channel occurs once, and every message
/// passes its channels in ascending order. `route` is an independent routing that returns the
/// channels from one node to another. Every printed channel is on some route.
fn is_a_certificate(args: &[&str], nodes: u32, route: impl Fn(u32, u32) -> Vec<String>) {
    let text = stdout(&[&["deadlock", "--json"], args].concat());
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["acyclic"], true, "{args:?}");
    let order = report["channels"].as_array().unwrap().iter();
    let names: Vec<&str> = order.map(|name| name.as_str().unwrap()).collect();
    let places: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
    assert_eq!(places.len(), names.len(), "{args:?}: one is listed twice");
    let mut used = BTreeSet::new();
    for source in 0..nodes {
        for destination in 0..nodes {
            let mut last = None;
            for channel in route(source, destination) {
                let now = places.get(channel.as_str()).copied();
                let now = now.unwrap_or_else(|| panic!("{args:?}: no {channel}"));
                assert!(last < Some(now), "{args:?}: {source} to {destination}");
                last = Some(now);
                used.insert(channel);
            }
        }
    }
    assert_eq!(used.len(), names.len(), "{args:?}: some are on no route");
}

/// E-cube routing: the lowest dimension first.
#[test]
fn the_order_of_the_cube_is_a_certificate() {
    for dims in 1..=6u32 {
        let route = |source: u32, destination: u32| {
            let mut here = source;
            let differing = (0..dims).filter(|dim| (source ^ destination) >> dim & 1 == 1);
            let cross = differing.map(|dim| {
                let next = here ^ 1 << dim;
                let name = hop(1 << dims, here, next);
                here = next;
                name
            });
            cross.collect()
        };
        is_a_certificate(&["--dims", &dims.to_string()], 1 << dims, route);
    }
}

/// The routing goes dimension by dimension, with descending coordinates. It uses virtual channel 1
/// until the packet reaches coordinate 0, and channel 0 from there (torus-routing-chip, section 4).
#[test]
fn the_order_of_the_torus_is_a_certificate() {
    for radices in [&[3u32][..], &[4], &[8], &[3, 3], &[4, 4], &[2, 3, 4]] {
        let nodes = radices.iter().product();
        let route = |source: u32, destination: u32| {
            let (mut here, mut stride, mut names) = (source, 1, vec![]);
            for radix in radices {
                let coordinate = |node: u32| node / stride % radix;
                let mut channel = 1;
                while coordinate(here) != coordinate(destination) {
                    let next = match coordinate(here) {
                        0 => here + (radix - 1) * stride,
                        _ => here - stride,
                    };
                    names.push(format!("{}, virtual channel {channel}", hop(nodes, here, next)));
                    here = next;
                    if coordinate(here) == 0 {
                        channel = 0;
                    }
                }
                stride *= radix;
            }
            names
        };
        let sizes: Vec<String> = radices.iter().map(u32::to_string).collect();
        is_a_certificate(&["--network", "torus", "--radix", &sizes.join(",")], nodes, route);
    }
}

/// Routes follow the second model's rule. They use virtual channel 1 from the first hop that
/// crosses a higher dimension than the hop before (docs/rotation.md).
#[test]
fn the_order_of_minimal_rotation_is_a_certificate() {
    for dims in 1..=6u32 {
        let route = |source: u32, destination: u32| {
            let (mut here, mut last, mut channel, mut names) = (source, dims, 0, vec![]);
            while here != destination {
                let dim = RotationModelRule::Minimal.next(dims, here ^ destination);
                if dim > last {
                    channel = 1;
                }
                let next = here ^ 1 << dim;
                let hop = hop(1 << dims, here, next);
                names.push(format!("{hop}, virtual channel {channel}"));
                (here, last) = (next, dim);
            }
            names
        };
        let args = ["--network", "rotation", "--dims", &dims.to_string()];
        is_a_certificate(&args, 1 << dims, route);
    }
}

/// Routes follow the second model's links and the count of cross edges passed.
#[test]
fn the_order_of_the_metacube_is_a_certificate() {
    for (dims, shape) in [("3", (1, 1)), ("5", (1, 2)), ("6", (2, 1))] {
        let shape = MetacubeModelShape { class_bits: shape.0, field_bits: shape.1 };
        let route = |source: u32, destination: u32| {
            let (mut here, mut count, mut names) = (source, 0, vec![]);
            while let Some(link) = shape.next_link(here, destination) {
                let next = shape.neighbour(here, link);
                names.push(format!("{}, count {count}", hop(shape.nodes(), here, next)));
                count += u32::from(shape.is_cross(link));
                here = next;
            }
            names
        };
        is_a_certificate(&["--network", "metacube", "--dims", dims], shape.nodes(), route);
    }
}

#[test]
fn networks_without_channel_dependencies_are_rejected() {
    refused(2, &["deadlock", "--network", "cm1"], "messages of the CM-1 do not wait");
    refused(2, &["deadlock", "--dims", "17"], "accepted: 1 to 16");
    refused(2, &["deadlock", "--rows", "3"], "--rows is a flag of cm1");
}

/// There is nothing to confirm if no deadlock is possible.
#[test]
fn an_order_needs_no_confirmation() {
    let text = stdout(&["deadlock", "--dims", "3", "--confirm"]);
    assert!(text.starts_with("3-cube: no deadlock. In this order of 24 channels"), "{text}");
    assert!(text.contains("There is nothing to confirm"), "{text}");
}

/// Messages in any order of dimensions can form a cycle of buffers, but not of slots in a pool. The
/// messages that fill the cycle arrive.
#[test]
fn a_cycle_of_the_cube_in_any_order_does_not_deadlock() {
    for dims in ["2", "3", "4"] {
        let text = stdout(&["deadlock", "--routing", "adaptive", "--dims", dims, "--confirm"]);
        for line in [
            "4 channels wait for each other in a cycle",
            "These messages hold all channels of the cycle",
            "a pool of slots",
            "On the circuit 4 of 4 messages arrive",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert!(!text.contains("These messages fill the cycle"), "{text}");
    }
}

/// Compares the output of `deadlock --confirm` with the circuit, for a machine whose graph has a
/// cycle. A reported list deadlocks the machine. If the search finds none, the report states its
/// extent. Returns whether a list was found.
fn confirmed(machine: &str) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let run = |args: &str| {
        let args = words(args);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        call(dir.path(), &args)
    };
    let found = run(&format!("deadlock {machine} --confirm --dump-traffic list.csv"));
    assert_eq!(found.code, Some(1), "{found:?}");
    let listed = run(&format!("run {machine} --pattern file:list.csv"));
    let fills = found.stdout.contains("These messages fill the cycle:");
    if fills {
        assert!(found.stderr.contains("the machine deadlocks"), "{found:?}");
        assert_eq!(listed.code, Some(1), "{listed:?}");
        assert!(listed.stderr.contains("no message has moved"), "{listed:?}");
    } else {
        assert!(found.stdout.contains("no deadlocking list found: "), "{found:?}");
        assert_eq!(listed.code, Some(0), "{listed:?}");
    }
    fills
}

#[test]
fn a_list_that_fills_a_cycle_deadlocks_the_machine() {
    assert!(confirmed("--network metacube --dims 3 --counts 1"));
}

/// A run that is cut short deadlocks with no list. The report says how far the search went.
#[test]
fn an_unsuccessful_search_reports_its_extent() {
    let dir = tempfile::tempdir().unwrap();
    let cut = "deadlock --network metacube --dims 3 --counts 1 --confirm --superframes 2";
    let args: Vec<&str> = cut.split(' ').collect();
    let text = call(dir.path(), &args);
    assert_eq!(text.code, Some(1), "{text:?}");
    assert!(!text.stdout.contains("These messages fill the cycle"), "{text:?}");
    let json = call(dir.path(), &[&args[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["stands_still"], false);
    let [lists, longest] = ["lists_tried", "longest_list"].map(|key| report[key].as_u64().unwrap());
    assert!(lists > 16 && longest > 64, "{report}");
    let extent = format!(
        "cyclic in the dependency graph; no deadlocking list found: {lists} lists of up to \
         {longest} messages"
    );
    for reported in [&text.stdout, &text.stderr] {
        assert!(reported.contains(&extent), "{reported}");
    }
}

/// Metacubes with every number of counts that leaves a cycle, and the networks of bytes.
#[test]
#[ignore = "thorough: searches of machines with up to 64 nodes"]
fn lists_deadlock_every_machine_reported_to_deadlock() {
    for (machine, deadlocks) in [
        ("--network metacube --dims 5 --counts 1", true),
        ("--network metacube --dims 6 --counts 1", true),
        ("--network metacube --dims 6 --counts 2", true),
        ("--network metacube --dims 6 --counts 3", true),
        ("--network metacube --dims 6 --counts 4", true),
        ("--network metacube --dims 3 --counts 1 --firmware route", true),
        ("--network torus --radix 4 --vcs 1", true),
        ("--network rotation --dims 3 --vcs 1", true),
    ] {
        assert_eq!(confirmed(machine), deadlocks, "{machine}");
    }
}

const MESH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/relation/mesh.csv");
const ADAPTIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/relation/adaptive.csv");

/// A mesh of the examples: adaptive, with a cycle in its graph, and free of deadlock by its escape.
/// Its file is the output of the program beside it.
#[test]
fn a_network_from_files_has_escape_channels() {
    let args = ["deadlock", "--topology", MESH, "--routes", ADAPTIVE];
    let report: Value = serde_json::from_str(&stdout(&[&args[..], &["--json"]].concat())).unwrap();
    assert_eq!(report["network"], "own");
    assert_eq!(report["acyclic"], false);
    assert_eq!(report["deadlock_free"], true);
    assert_eq!(report["escape"]["set"], "declared");
    let order = report["escape"]["channels"].as_array().unwrap();
    // A channel in each direction between neighbours.
    assert_eq!(order.len(), 24);
    assert!(order.iter().all(|name| name.as_str().unwrap().ends_with(", virtual channel 0")));
    let text = stdout(&args);
    assert!(text.contains("There is no deadlock"), "{text}");
}

/// Without the escape, four messages around a square of the same mesh deadlock it.
#[test]
fn a_network_from_files_deadlocks_without_its_escape() {
    let dir = tempfile::tempdir().unwrap();
    let routes = std::fs::read_to_string(ADAPTIVE).unwrap();
    let without: String = routes
        .lines()
        .filter(|line| !line.ends_with("yes"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let path = dir.path().join("routes.csv");
    std::fs::write(&path, without).unwrap();
    let path = path.to_str().unwrap();
    let args = ["deadlock", "--topology", MESH, "--routes", path];
    for switching in ["wormhole", "store-and-forward"] {
        let args = [&args[..], &["--switching", switching, "--json"]].concat();
        let report: Value = serde_json::from_str(&stdout(&args)).unwrap();
        assert_eq!(report["deadlock_free"], false, "{report}");
        assert_eq!(report["channels"].as_array().unwrap().len(), 4);
        assert_eq!(report["messages"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn wrong_networks_from_files_are_rejected() {
    let own = |args: &[&str], says: &str| {
        refused(2, &[&["deadlock", "--topology", MESH], args].concat(), says);
    };
    own(&[], "--routes <FILE.csv>");
    own(&["--routes", "no.csv"], "no.csv cannot be read");
    own(
        &["--routes", MESH],
        "/relation/mesh.csv:1: there is no column \"vcs\"; accepted: at,to,next",
    );
    let both = |args: &[&str], says: &str| own(&[&["--routes", ADAPTIVE], args].concat(), says);
    both(&["--confirm"], "cannot be used with");
    both(&["--network", "torus"], "cannot be used with");
    both(&["--radix", "4"], "--radix is a flag of torus");
    both(&["--dump-traffic", ADAPTIVE], "would replace the file of --routes");
    refused(2, &["deadlock", "--switching", "wormhole"], "--topology");
}
