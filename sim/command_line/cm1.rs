//! The commands `phasecube run --network cm1` and `phasecube figure12`.

use crate::command_line::program::{call, refused, stdout};
use serde_json::Value;
use std::fs;

fn golden(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/sim/golden");
    let text = fs::read_to_string(format!("{folder}/cm1_c3_{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Runs the messages of a golden trace from a user's file.
#[test]
fn a_file_of_messages_gives_the_figures_of_the_golden_trace() {
    let golden = golden("random");
    let list: Vec<[u32; 6]> = serde_json::from_value(golden["messages_list"].clone()).unwrap();
    let line = |m: &[u32; 6]| format!("{},{}\n", m[1] * 16 + m[2], m[3] * 16 + m[4]);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("list.csv"), list.iter().map(line).collect::<String>()).unwrap();
    let mut results = vec![];
    for engine in ["lockstep", "evaluator"] {
        let args = ["run", "--network", "cm1", "--pattern", "file:list.csv"];
        let args = [&args[..], &["--json", "--engine", engine]].concat();
        let done = call(dir.path(), &args);
        assert_eq!(done.code, Some(0), "{done:?}");
        let mut result: Value = serde_json::from_str(&done.stdout).unwrap();
        for (ours, theirs) in [
            ("petit_cycles", "petit_cycles"),
            ("hops", "hops"),
            ("productive_hops", "productive_hops"),
            ("desperation_hops", "desperation_hops"),
            ("collisions", "or_collisions"),
            ("delivered", "delivered"),
        ] {
            assert_eq!(result[ours], golden[theirs], "{ours}");
        }
        for (field, number) in [
            ("rows", 7),
            ("processors", 16),
            ("data_bits", 32),
            ("lost", 0),
            ("duplicated", 0),
            ("undetected", 0),
            ("undelivered", 0),
            // l = 2 + 3 + 4 + 32. The time is 10 petit cycles, one message and 2c.
            ("petit_period", 41),
            ("bit_times", 410 + 41 + 6),
        ] {
            assert_eq!(result[field], number, "{field}");
        }
        let fields = result.as_object_mut().unwrap();
        for unequal in ["engine", "wall_seconds", "node_cycles_per_second"] {
            fields.remove(unequal).unwrap();
        }
        results.push(result);
    }
    assert_eq!(results[0], results[1]);
}

fn json(args: &[&str]) -> Value {
    let text = stdout(&[&["run", "--network", "cm1", "--json"], args].concat());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_virtual_processor_sends() {
    let shape = ["--dims", "2", "--processors", "2", "--rows", "3"];
    let rest = ["--pattern", "complement", "--vp-ratio", "3"];
    let result =
        json(&[&shape[..], &rest, &["--eject", "per-processor", "--data-bits", "9"]].concat());
    assert_eq!(result["messages"], 3 * 8);
    assert_eq!(result["delivered"], 3 * 8);
    assert_eq!((&result["vp_bits"], &result["data_bits"]), (&2.into(), &9.into()));
    // Each message takes two hops, and no two messages meet.
    assert_eq!(result["productive_hops"], 48);
    assert_eq!(result["collisions"], 0);
    // l = 2 + 2 + 1 + 2 + 9, plus one for the processor's address.
    assert_eq!(result["petit_period"], 17);
}

/// Messages to their own source pass through injector and ejector.
#[test]
fn messages_to_oneself_are_delivered_by_the_machine() {
    let result = json(&["--dims", "1", "--processors", "1", "--pattern", "xor:0"]);
    for (field, number) in [("delivered", 2), ("to_self", 2), ("hops", 0), ("petit_cycles", 1)] {
        assert_eq!(result[field], number, "{field}");
    }
}

#[test]
fn invalid_values_are_rejected_with_accepted_ones() {
    let cm1 = |args: &[&str], says: &str| {
        refused(2, &[&["run", "--network", "cm1"], args].concat(), says);
    };
    cm1(&["--rows", "1"], "'--rows <B>': accepted: 2 to 16");
    cm1(&["--processors", "3"], "accepted: 1, 2, 4, 8 or 16");
    cm1(&["--dims", "17"], "accepted: 1 to 16");
    cm1(
        &["--dims", "13", "--processors", "16"],
        "accepted: up to 65536 in all, such as --processors 8",
    );
    cm1(&["--data-bits", "4294967295"], "accepted: 0 to 640");
    cm1(&["--vp-ratio", "4294967295"], "accepted: 1 to 65536");
    cm1(&["--vp-ratio", "0"], "accepted: 1 to 65536");
    cm1(&["--dims", "12", "--vp-ratio", "300"], "is 19660800 messages; accepted: up to 16777216");
    cm1(&["--link", "raw"], "accepted: --network tdma");
    cm1(&["--vp-ratio", "5", "--vp-bits", "2"], "--vp-bits 3 to 16");
    cm1(&["--eject", "all"], "accepted: or, per-processor, per-chip");
    // The CM-1 supports noise and dead chips, but not nodes that slip.
    cm1(&["--slip", "1@2"], "accepted: --network tdma");
    cm1(&["--skew", "1"], "accepted: --network tdma");
    cm1(&["--trace"], "accepted: --network tdma");
    refused(2, &["run", "--rows", "4"], "accepted: --network cm1, or no --rows");
}

/// The route of a lone message is the one that it takes in the machine.
#[test]
fn the_route_of_a_lone_message_is_what_the_machine_does() {
    for (source, destination) in [("0x05", "0x3A"), ("7", "6"), ("63", "1")] {
        let args = ["route", source, destination, "--dims", "6", "--network", "cm1", "--json"];
        let route: Value = serde_json::from_str(&stdout(&args)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("one.csv"), format!("{source},{destination}\n")).unwrap();
        let args = "run --network cm1 --dims 6 --processors 1 --pattern file:one.csv --json";
        let done = call(dir.path(), &args.split(' ').collect::<Vec<_>>());
        let run: Value = serde_json::from_str(&done.stdout).unwrap();
        let hops = route["hops"].as_array().unwrap();
        assert_eq!(run["hops"], hops.len());
        assert_eq!(run["delivered"], 1);
        let last = hops.last().unwrap()["petit_cycle"].as_u64().unwrap();
        assert_eq!(run["petit_cycles"], last + 1);
    }
}

#[test]
fn a_payload_that_does_not_fit_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("list.csv"), "0,1,01\n2,3,FFFF\n").unwrap();
    let args = ["run", "--network", "cm1", "--pattern", "file:list.csv", "--data-bits", "12"];
    crate::command_line::program::refused_in(
        dir.path(),
        2,
        &args,
        "message 2 from 2 has a payload of more than 12 bits; accepted: --data-bits 16",
    );
}

#[test]
fn figure_12_is_one_command() {
    let args = ["figure12", "--dims", "3", "--ratios", "2", "--seeds", "2"];
    let text = stdout(&args);
    assert!(text.contains("| messages per processor | bound |"), "{text}");
    let figure: Value = serde_json::from_str(&stdout(&[&args[..], &["--json"]].concat())).unwrap();
    for (point, ratio) in figure["points"].as_array().unwrap().iter().zip(1..) {
        assert_eq!(point["ratio"], ratio);
        assert_eq!(point["bound"], 8.0 * f64::from(ratio));
        assert_eq!(point["random"].as_array().unwrap().len(), 2);
        // Ejecting one message per chip and petit cycle takes longer.
        assert!(point["per_chip"].as_u64() > point["random"][0].as_u64());
    }
}

/// Returns the rows that `--hearts` prints for a chip, without the heading.
fn heart(args: &str, engine: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("two.csv"), "source,destination\n0,4\n1,5\n").unwrap();
    let args = format!("run --network cm1 --engine {engine} {args}");
    let done = call(dir.path(), &args.split(' ').collect::<Vec<_>>());
    assert_eq!(done.code, Some(0), "{done:?}");
    let (_, heart) = done.stdout.split_once("         column").unwrap();
    heart.to_owned()
}

/// Expected values by hand. If every message wants every wire, each column takes the arriving
/// message and gets another from its wire, in the last row (Figure 10 a). If two messages of chip 0
/// for chip 2 fill both rows, the second leaves by dimension 0 in desperation (Figure 10 b).
#[test]
fn the_rows_of_a_heart_are_those_of_figure_10() {
    for engine in ["lockstep", "evaluator"] {
        let everyone = "--dims 3 --processors 1 --rows 3 --pattern complement --hearts 0";
        assert_eq!(
            heart(everyone, engine),
            "    0    1    2  exit
petit cycle 0
         row  0    7>   .    .    .
         row  1    .    .    .    .
         row  2    .    6>   4>   0
"
        );
        let two = "--dims 2 --processors 2 --rows 2 --pattern file:two.csv --hearts 1";
        assert_eq!(
            heart(two, engine),
            "    0    1  exit
petit cycle 0
         row  0    .    .    .
         row  1    .    2>   .
"
        );
    }
    let everyone =
        "run --network cm1 --dims 1 --rows 2 --processors 1 --engine reference --hearts 0";
    let args: Vec<&str> = everyone.split(' ').collect();
    let dir = tempfile::tempdir().unwrap();
    let printed = call(dir.path(), &args).stdout;
    assert!(printed.contains("accepted: --engine lockstep"), "{printed}");
}

#[test]
fn faults_of_the_cm1_are_checked() {
    for (args, error) in [
        ("--broken 0-3", "differ in one bit"),
        ("--broken 0-8", "outside"),
        ("--broken 0-1:blue", "FROM-TO:high"),
        ("--broken 0", "such as 0x1-0x3"),
        ("--dead 9", "outside"),
        ("--dead 5:hung", "no program that could hang"),
        ("--dead 5 --dead 5:high", "--dead names 0x5 twice; accepted: once"),
        ("--broken 0-1 --broken 1-0 --broken 0-1:high", "--broken names 0x0-0x1 twice"),
        ("--hearts 8", "outside"),
    ] {
        let args = format!("run --network cm1 --dims 3 {args}");
        refused(2, &args.split(' ').collect::<Vec<_>>(), error);
    }
}
