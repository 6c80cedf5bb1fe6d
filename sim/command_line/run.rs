//! The command `phasecube run`.

use crate::command_line::program::{call, refused, stdout};
use phasecube::rtl::CLOCKS_PER_BIT;
use serde_json::Value;
use std::fs;

const LIST: &str = "\
source,destination,payload
0,1,DEADBEEF   # four bytes
1,0
0,1,
1,1,AA
0,1,0x00FF00FF00FF00FF
";

fn json(args: &[&str]) -> Value {
    let all = [&["run", "--dims", "1", "--link", "raw", "--json"], args].concat();
    let text = stdout(&all);
    assert_eq!(text.lines().count(), 1, "one object and nothing else: {text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_file_of_messages_runs_the_same_on_both_engines() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("list.csv");
    fs::write(&path, LIST).unwrap();
    let pattern = format!("file:{}", path.display());
    let results = ["reference", "evaluator"].map(|engine| {
        let mut result = json(&["--pattern", &pattern, "--engine", engine]);
        let fields = result.as_object_mut().unwrap();
        assert_eq!(fields.remove("engine").unwrap(), engine);
        for speed in ["wall_seconds", "node_cycles_per_second"] {
            assert!(fields.remove(speed).unwrap().as_f64().unwrap() > 0.0);
        }
        result
    });
    assert_eq!(results[0], results[1]);
    let result = &results[0];
    assert_eq!(result["pattern"], pattern);
    for (field, text) in [("network", "tdma"), ("link", "raw")] {
        assert_eq!(result[field], text, "{field}");
    }
    for (field, number) in [
        ("dims", 1),
        ("nodes", 2),
        ("seed", 1),
        ("messages", 5),
        ("to_self", 1),
        ("delivered", 5),
        ("lost", 0),
        ("duplicated", 0),
        ("undelivered", 0),
        ("undetected", 0),
        ("hops", 4),
        // The third message of node 0 arrives in phase 4.
        ("superframes", 3),
        ("retries", 0),
        ("refused", 0),
        ("late", 0),
        ("slips", 0),
    ] {
        assert_eq!(result[field], number, "{field}");
    }
    let latency = &result["latency"];
    assert_eq!(latency["unit"], "phases");
    // Messages arrive in phases 0, 1, 2 and 4. Latencies count to the ends of these phases.
    let ranks = ["min", "p50", "p99", "max"].map(|rank| latency[rank].as_u64().unwrap());
    assert_eq!(ranks, [1, 2, 5, 5]);
    // Four of the six phases in three superframes carried a frame.
    assert_eq!(result["wire_utilisation"], 4.0 / 6.0);
    let number = |field: &str| result[field].as_u64().unwrap();
    assert!(number("clock_cycles") >= CLOCKS_PER_BIT as u64 * number("bit_times"));
    assert!(number("bit_times") > 5 * 150, "five phases with 15 bytes of frame");
}

/// Messages can be written to a file and sent again from it.
#[test]
fn dumped_traffic_is_the_traffic() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (dir.path().join("1.csv"), dir.path().join("2.csv"));
    let name = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let seeded = [
        "--pattern",
        "relation:3",
        "--seed",
        "5",
        "--payload",
        "20",
        "--dump-traffic",
        &name(&first),
    ];
    let sent = json(&seeded);
    assert_eq!(sent["delivered"], 6);
    let again = format!("file:{}", name(&first));
    json(&["--pattern", &again, "--dump-traffic", &name(&second)]);
    let text = fs::read_to_string(&first).unwrap();
    assert_eq!(text, fs::read_to_string(&second).unwrap());
    assert_eq!(text.lines().count(), 7);
}

#[test]
fn the_summary_is_for_people() {
    let text = stdout(&["run", "--dims", "1", "--link", "raw", "--pattern", "complement"]);
    let first = "1-cube, raw link, lockstep engine: 2 of 2 messages delivered";
    assert!(text.starts_with(first), "{text}");
}

/// Messages to their own source never enter the network.
#[test]
fn a_run_of_nothing_ends() {
    let result = json(&["--pattern", "xor:0"]);
    for (field, number) in [("delivered", 2), ("to_self", 2), ("hops", 0)] {
        assert_eq!(result[field], number, "{field}");
    }
}

#[test]
fn unsupported_runs_are_rejected() {
    let refused = |args: &[&str], says: &str| refused(2, &[&["run"], args].concat(), says);
    refused(
        &["--link", "raw", "--network", "mesh"],
        "there is no network \"mesh\"; accepted: tdma, cm1, torus",
    );
    refused(
        &["--dims", "5", "--engine", "reference"],
        "the reference engine runs machines of up to 16 nodes",
    );
}

#[test]
fn a_dump_that_cannot_be_written_stops_the_run() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let args = ["run", "--dims", "1", "--link", "raw", "--dump-traffic", "file/list.csv"];
    let done = call(dir.path(), &args);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("file/list.csv cannot be written"), "{done:?}");
    assert_eq!(done.stdout, "");
}

/// The acked link loses nothing on a cube with more messages than one buffer can hold.
#[test]
fn a_cube_delivers_all() {
    let args = ["run", "--dims", "2", "--pattern", "relation:3", "--json"];
    let result: Value = serde_json::from_str(&stdout(&args)).unwrap();
    assert_eq!(result["link"], "acked");
    assert_eq!((&result["messages"], &result["delivered"]), (&12.into(), &12.into()));
}

#[test]
fn impossible_clocks_are_rejected() {
    for (args, says) in [
        ("--skew 101", "accepted: 0 to 100 bit-times"),
        ("--skew-tree 16", "such as 16x2"),
        ("--ppm=-1", "accepted: 0 to 50000 millionths"),
        ("--dims 4 --skew 90", "accepted: up to 580 clock cycles"),
        ("--skew 1 --skew-tree 16x1", "cannot be used with"),
        ("--network metacube --dims 3 --exchange lockstep --skew 1", "with superframes"),
    ] {
        let args = format!("run {args}");
        refused(2, &args.split(' ').collect::<Vec<_>>(), says);
    }
}
