//! The command-line options of `--network rotation`.

use crate::command_line::program::{call, refused, stdout, with_tools, CallResult};
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    let rotation = ["--network", "rotation", "--json"];
    serde_json::from_str(&stdout(&[args, &rotation].concat())).unwrap()
}

fn done(args: &[&str]) -> CallResult {
    let dir = tempfile::tempdir().unwrap();
    call(dir.path(), args)
}

/// Compares routes with the output of another program.
#[test]
fn routes_are_the_golden_ones() {
    let golden: Vec<Value> = serde_json::from_str(include_str!("../golden/rot_k5.json")).unwrap();
    for line in golden.iter().step_by(5) {
        let left = u32::from_str_radix(line["x"].as_str().unwrap(), 2).unwrap();
        let (from, to) = (0x13.to_string(), (0x13 ^ left).to_string());
        let route = json(&["route", &from, &to, "--dims", "5"]);
        let hops = route["hops"].as_array().unwrap().iter();
        let ports: Vec<&Value> = hops.map(|hop| &hop["port"]).collect();
        assert_eq!(Value::from_iter(ports.into_iter().cloned()), line["sequence"]);
    }
    let thacker = ["route", "0", "0xB", "--dims", "4", "--rule", "thacker"];
    assert_eq!(json(&thacker)["hops"][0]["port"], 3);
    assert_eq!(json(&thacker[..5])["hops"][0]["port"], 1);
}

/// Property 4 of the note as numbers, compared with the output of another program.
#[test]
fn statistics_are_those_of_all_pairs() {
    let loads = json(&["route", "--statistics", "--dims", "4"]);
    let steps = serde_json::json!([[3, 4, 4, 4], [3, 2, 3, 3], [1, 2, 1, 1], [1, 0, 0, 0]]);
    assert_eq!(loads["steps"], steps);
    assert_eq!(loads["loads"], serde_json::json!([[8, 8], [8, 8], [8, 8], [8, 8]]));
    let connections = serde_json::json!([[3], [0, 3], [0, 1], [2]]);
    assert_eq!(loads["connections"], connections);
    assert_eq!((&loads["messages"], &loads["hops"]), (&240.into(), &512.into()));
    let statistics = ["route", "--network", "rotation", "--statistics", "--dims"];
    let text = stdout(&[&statistics[..], &["12"]].concat());
    assert!(text.contains("\n all"), "{text}");
    let channel = text.lines().find(|line| line.starts_with(" all")).unwrap();
    assert_eq!(channel.matches("2048").count(), 12, "{channel}");
    // With e-cube routing all links carry equally many messages, and the first step is uneven.
    let tdma = stdout(&["route", "--statistics", "--dims", "3"]);
    assert!(tdma.contains("   1      4      2      1       3\n"), "{tdma}");
    refused(2, &["route", "--statistics", "1", "2"], "cannot be used with");
    refused(
        2,
        &["route", "--network", "torus", "--statistics", "--dims", "12"],
        "accepted: up to 1024 nodes",
    );
}

/// Figures of the specification from a model outside this repository, on every engine.
#[test]
fn runs_take_as_long_as_they_should() {
    let run = ["run", "--payload", "4", "--seed", "1", "--pattern"];
    for (dims, pattern, wanted) in [
        ("6", "permutation", 49),
        ("6", "transpose", 51),
        ("3", "complement", 21),
        ("3", "hotspot", 89),
    ] {
        let result = json(&[&run[..], &[pattern, "--dims", dims]].concat());
        assert_eq!(result["bit_times"], wanted, "{dims}, {pattern}");
        assert_eq!(result["delivered"], result["messages"]);
    }
    for engine in ["evaluator", "reference"] {
        let size = ["permutation", "--dims", "3", "--engine", engine];
        let result = json(&[&run[..], &size].concat());
        assert_eq!(result["bit_times"], 19, "{engine}");
    }
    // Finding the first hop by rotation takes one clock cycle for each dimension.
    let serial = ["complement", "--dims", "3", "--first-hop", "serial"];
    assert_eq!(json(&[&run[..], &serial].concat())["bit_times"], 24);
}

/// The log has a line for each channel of each route, and one for the delivery.
#[test]
fn the_log_has_every_hop() {
    let result = json(&["run", "--dims", "4", "--pattern", "bitrev", "--trace"]);
    let log = result["log"].as_array().unwrap();
    let lines = |what: &str| log.iter().filter(|line| line["what"] == what).count() as u64;
    assert_eq!(lines("fwd"), result["hops"].as_u64().unwrap());
    let moved = result["delivered"].as_u64().unwrap() - result["to_self"].as_u64().unwrap();
    assert_eq!(lines("dlv"), moved);
}

/// The checker finds the hexagon, and the circuit confirms the deadlock.
#[test]
fn with_one_virtual_channel_a_hexagon_is_a_cycle() {
    let check = ["deadlock", "--network", "rotation", "--dims", "3", "--confirm", "--vcs"];
    let one = done(&[&check[..], &["1"]].concat());
    assert_eq!(one.code, Some(1), "{one:?}");
    assert!(one.stdout.contains("6 channels wait for each other in a cycle"), "{one:?}");
    assert!(one.stdout.contains("nothing moves any more"), "{one:?}");
    let two = done(&[&check[..], &["2"]].concat());
    assert_eq!(two.code, Some(0), "{two:?}");
    assert!(two.stdout.contains("no deadlock"), "{two:?}");
    let thacker = ["deadlock", "--network", "rotation", "--rule", "thacker", "--dims"];
    assert!(stdout(&[&thacker[..], &["4"]].concat()).contains("no deadlock"));
    assert!(stdout(&[&thacker[..], &["5"]].concat()).contains("in a cycle"));
}

/// The time in a comparison equals the time of a separate run.
#[test]
fn rotation_can_be_compared() {
    let traffic = ["--dims", "3", "--pattern", "permutation", "--payload", "4"];
    let compare = [
        "compare",
        "--networks",
        "tdma,cm1,torus,rotation",
        "--no-synthesis",
        "--no-sweeps",
        "--json",
    ];
    let dir = tempfile::tempdir().unwrap();
    let done: CallResult =
        with_tools(dir.path()).args([&compare[..], &traffic].concat()).output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    let all: Value = serde_json::from_str(&done.stdout).unwrap();
    let machines = all["machines"].as_array().unwrap();
    let place = machines.iter().position(|m| m["network"] == "rotation");
    let place = place.unwrap();
    assert_eq!((machines.len(), place), (8, 7));
    // Eight data wires for each of three dimensions, plus request and acknowledge of four virtual
    // channels.
    assert_eq!(machines[place]["per_node"], 32.0);
    let single = json(&[&["run"], &traffic[..]].concat());
    let run = &all["runs"][place];
    assert_eq!(run["bit_times"], single["bit_times"]);
    assert_eq!(run["hops"], single["hops"]);
    // The wires of 8 nodes, for 19 bit-times.
    assert_eq!(run["wire_bit_times"], 32.0 * 19.0);
    let per_wire = run["delivered"].as_f64().unwrap() * 1000.0 / (8.0 * 32.0 * 19.0);
    let found = run["per_1000_wire_bit_times"].as_f64().unwrap();
    assert!((found - per_wire).abs() < 1e-9, "{found}");
}

/// Messages pass a failed switch in order. Other sizes have no known wiring.
#[test]
fn routes_avoid_a_failed_switch() {
    let past = ["--dims", "4", "--dead", "5"];
    let run = ["run", "--pattern", "total-exchange"];
    let result = json(&[&run[..], &past].concat());
    assert_eq!((&result["delivered"], &result["undelivered"]), (&210.into(), &30.into()));
    let check = ["deadlock", "--network", "rotation"];
    assert!(stdout(&[&check[..], &past].concat()).contains("no deadlock"));
    refused(
        2,
        &["run", "--network", "rotation", "--dims", "3", "--dead", "5"],
        "accepted: 4 dimensions",
    );
}

#[test]
fn the_switch_is_published() {
    let text = stdout(&["verilog", "--design", "rotation-switch"]);
    // Four virtual channels in each of three dimensions.
    for port in ["input  wire [3:0]  request_in,", "input  wire [23:0] data_in,"] {
        assert!(text.contains(port), "{text}");
    }
}

#[test]
fn invalid_values_are_rejected_with_accepted_ones() {
    for command in [&["run"][..], &["route", "1", "2"]] {
        let foreign = [command, &["--network", "tdma", "--rule", "thacker"]].concat();
        refused(
            2,
            &foreign,
            "--rule is a flag of rotation; accepted: --network rotation, or no --rule",
        );
        let foreign = [command, &["--network", "tdma", "--vcs", "1"]].concat();
        refused(2, &foreign, "--vcs is a flag of torus or rotation");
    }
    let rotation = |args: &[&str], says: &str| {
        refused(2, &[&["run", "--network", "rotation"], args].concat(), says);
    };
    rotation(&["--switch", "after"], "--switch is a flag of torus; accepted: --network torus");
    rotation(&["--rule", "e-cube"], "there is no rule \"e-cube\"; accepted: minimal, thacker");
    rotation(&["--dims", "9", "--first-hop", "table"], "accepted: up to 8 dimensions");
    rotation(&["--dims", "17"], "accepted: 1 to 16");
}
