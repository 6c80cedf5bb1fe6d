//! `bench` runs the same machine in every engine, including Verilator, and reports whether all
//! reach the same final state. Speed is not tested, because test machines are shared.

use crate::command_line::program::{refused, with_tools, CallResult};
use serde_json::Value;
use std::collections::BTreeSet;

fn bench(steps: &str) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let args = "bench --network rotation --dims 2 --monolith 4 --json --phases";
    let output = with_tools(dir.path())
        .args(args.split(' '))
        .arg(steps)
        .output();
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
        let all = [
            "evaluator",
            "lockstep",
            "monolith",
            "reference",
            "verilator",
        ];
        assert!(engines.iter().eq(all), "{engines:?}");
        let clocks: BTreeSet<u64> = rows
            .iter()
            .map(|row| row["clock_cycles"].as_u64().unwrap())
            .collect();
        assert_eq!(clocks.len(), 1, "{rows:?}");
        for row in &rows {
            let rate = row["rate"].as_f64().unwrap() * row["seconds"].as_f64().unwrap() * 1e6;
            let work = row["clock_cycles"].as_f64().unwrap() * 4.0;
            assert!((rate / work - 1.0).abs() < 1e-6, "{row}");
        }
        let ends: BTreeSet<String> = rows.iter().map(|row| text(row, "fingerprint")).collect();
        assert_eq!(ends.len(), 1, "{rows:?}");
        ends
    });
    assert_ne!(
        fingerprints[0], fingerprints[1],
        "what the machine did counts"
    );
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
    let all = [
        "2K,512", "4K,1K", "8K,2K", "16K,4K", "32K,8K", "64K,16K", "64K,32K",
    ];
    assert_eq!(sizes, all);
    for row in &rows {
        assert_eq!(
            (text(row, "engine"), row["nodes"].as_u64()),
            ("lockstep".into(), Some(4))
        );
        assert_eq!(row["fingerprint"], rows[0]["fingerprint"], "{row}");
        assert!(
            row["memory"].as_u64() > Some(0) && row["rate"].as_f64() > Some(0.0),
            "{row}"
        );
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
