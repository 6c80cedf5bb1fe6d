//! `bench` runs the same machine in every engine, including Verilator, and reports whether all
//! reach the same final state. Speed is not tested, because test machines are shared.

use crate::command_line::program::{call, program, refused, with_tools, CallResult};
use serde_json::Value;
use std::collections::BTreeSet;

fn bench(steps: &str) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let args = "bench --network rotation --dims 2 --monolith 4 --json --phases";
    let output = with_tools(dir.path()).args(args.split(' ')).arg(steps).output();
    let done = CallResult::from(output.unwrap());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let rows: Value = serde_json::from_str(&done.stdout).unwrap();
    rows.as_array().unwrap().clone()
}

#[test]
#[ignore = "thorough: compiles with Verilator"]
fn all_engines_end_in_the_same_state() {
    let fingerprints = ["400", "404"].map(|steps| {
        let rows = bench(steps);
        let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
        let engines: BTreeSet<String> = rows.iter().map(|row| text(row, "engine")).collect();
        let all = ["evaluator", "lockstep", "monolith", "reference", "verilator"];
        assert!(engines.iter().eq(all), "{engines:?}");
        let clocks: BTreeSet<u64> =
            rows.iter().map(|row| row["clock_cycles"].as_u64().unwrap()).collect();
        assert_eq!(clocks.len(), 1, "{rows:?}");
        for row in &rows {
            let rate = row["rate"].as_f64().unwrap() * row["seconds"].as_f64().unwrap() * 1e6;
            let work = row["clock_cycles"].as_f64().unwrap() * 4.0;
            assert!((rate / work - 1.0).abs() < 1e-6, "{row}");
            check_clock_cycle(row);
        }
        let ends: BTreeSet<String> = rows.iter().map(|row| text(row, "fingerprint")).collect();
        assert_eq!(ends.len(), 1, "{rows:?}");
        ends
    });
    assert_ne!(fingerprints[0], fingerprints[1], "what the machine did counts");
}

/// Checks the parts of a clock cycle of lockstep in one thread. Other rows have none.
fn check_clock_cycle(row: &Value) {
    let is_measured = row["engine"] == "lockstep" && row["threads"] == 1;
    assert_eq!(row["clock_cycle"].is_object(), is_measured, "{row}");
    if is_measured {
        let measured = &row["clock_cycle"];
        let parts = measured["parts"].as_array().unwrap();
        let times = parts.iter().map(|part| part[1].as_f64().unwrap());
        assert_eq!(parts[0][0], "gates", "{row}");
        assert!(times.sum::<f64>() <= measured["nanoseconds"].as_f64().unwrap(), "{row}");
        // The network is empty, so most clock cycles compute nothing.
        assert!(measured["instructions"].as_f64() > Some(0.0), "{row}");
    }
}

/// With `--sizes` each size of the memories is measured. The program uses no more of larger ones, so
/// the nodes behave alike.
#[test]
fn memories_of_every_size_are_measured() {
    let dir = tempfile::tempdir().unwrap();
    let args = "bench --dims 2 --phases 4 --sizes --json";
    let output = with_tools(dir.path()).args(args.split(' ')).output();
    let done = CallResult::from(output.unwrap());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let rows: Vec<Value> = serde_json::from_str(&done.stdout).unwrap();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let mut sizes: Vec<String> = rows.iter().map(|row| text(row, "sizes")).collect();
    sizes.dedup();
    let all = ["2K,512", "4K,1K", "8K,2K", "16K,4K", "32K,8K", "64K,16K", "64K,32K"];
    assert_eq!(sizes, all);
    for row in &rows {
        assert_eq!((text(row, "engine"), row["nodes"].as_u64()), ("lockstep".into(), Some(4)));
        assert_eq!(row["fingerprint"], rows[0]["fingerprint"], "{row}");
        assert!(row["memory"].as_u64() > Some(0) && row["rate"].as_f64() > Some(0.0), "{row}");
    }
    for wrong in ["--network rotation", "--memory 4K,1K"] {
        let args = format!("bench --sizes {wrong}");
        refused(
            2,
            &args.split(' ').collect::<Vec<_>>(),
            "accepted: --network tdma, without --memory",
        );
    }
}

/// Bad input of `--sizes` is found before the first run, with the message of the machine.
#[test]
fn bad_input_of_sizes_is_found_at_once() {
    for (wrong, says) in [
        ("--firmware none", "accepted:"),
        ("--monolith 4", "cannot be used with"),
        ("--engine lockstep", "cannot be used with"),
    ] {
        let args = format!("bench --dims 2 --sizes --json {wrong}");
        refused(2, &args.split(' ').collect::<Vec<_>>(), says);
    }
}

/// Flags of machines are rejected beside `--verilog`.
#[test]
fn lanes_of_verilog_have_no_flags_of_machines() {
    for flag in ["--sizes", "--engine lockstep", "--dims 2", "--monolith 4"] {
        let args = format!("bench --verilog a.v {flag}");
        refused(2, &args.split(' ').collect::<Vec<_>>(), "cannot be used with");
    }
}

/// An engine that can run none of the machines is rejected with its limit. If it can run some, the
/// others are named.
#[test]
fn machines_beyond_the_limit_of_an_engine_are_named() {
    for (args, says) in [
        ("--engine evaluator --dims 7,8", "evaluator runs up to 64 nodes, and the machine has 128"),
        ("--engine reference --dims 5", "reference runs up to 16 nodes, and the machine has 32"),
        (
            "--engine lockstep --engine monolith --dims 5",
            "accepted: a smaller --dims, or --monolith 32",
        ),
    ] {
        for json in ["", " --json"] {
            let args = format!("bench --firmware none --phases 1 {args}{json}");
            refused(2, &args.split(' ').collect::<Vec<_>>(), says);
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let args = "bench --firmware none --phases 1 --json --engine evaluator --dims 1,7";
    let done = call(dir.path(), &args.split(' ').collect::<Vec<_>>());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let rows: Vec<Value> = serde_json::from_str(&done.stdout).unwrap();
    let nodes: Vec<_> = rows.iter().map(|row| row["nodes"].as_u64()).collect();
    assert_eq!(nodes, [Some(2)]);
    let says = "left out: evaluator runs up to 64 nodes, and the machine has 128";
    assert!(done.stderr.contains(says), "{}", done.stderr);
}

/// Engines that need no tool are measured without any.
#[test]
fn engines_in_rust_need_no_verilator() {
    let dir = tempfile::tempdir().unwrap();
    let args = "bench --firmware none --dims 1 --phases 1 --engine lockstep --engine evaluator";
    let mut command = program(dir.path());
    command.args(args.split(' ')).env("PATH", "");
    let done = CallResult::from(command.env("PHASECUBE_TOOLS", "system").output().unwrap());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    for (word, is_printed) in [
        ("lockstep", true),
        ("evaluator: up to 64 nodes", true),
        ("monolith", false),
        ("-O3", false),
    ] {
        assert_eq!(done.stdout.contains(word), is_printed, "{}", done.stdout);
    }
}
