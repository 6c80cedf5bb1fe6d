//! `run --firmware`: programs on the nodes, the profile of their cores, and
//! programs that are refused.

use crate::program::{call, is_refusal, refused, with_tools, Done};
use std::fs;
use std::path::Path;

/// Calls the program with its tools.
fn run(dir: &Path, args: &[&str]) -> Done {
    let args = [&["run", "--dims", "2", "--payload", "4"], args].concat();
    with_tools(dir).args(args).output().unwrap().into()
}

#[test]
fn route_runs_and_is_profiled() {
    let dir = tempfile::tempdir().unwrap();
    let done = run(dir.path(), &["--firmware", "route", "--profile"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.stdout.contains("4 of 4 messages delivered"),
        "{done:?}"
    );
    assert!(done.stderr.contains("bytes of program"), "{done:?}");
    let lines: Vec<&str> = done.stdout.lines().collect();
    let head = lines.iter().position(|l| l.starts_with("node ")).unwrap();
    for (node, line) in lines[head + 1..head + 5].iter().enumerate() {
        assert!(line.starts_with(&format!("0x{node} ")), "{done:?}");
    }
    assert!(
        lines[head + 5].starts_with("longest service time"),
        "{done:?}"
    );
    assert!(lines[head + 6].contains('#'), "{done:?}");
}

/// Every node is late in every phase in which it might send.
#[test]
fn a_window_that_is_too_short_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "--firmware",
        "route",
        "--pattern",
        "complement",
        "--service",
        "5",
        "--superframes",
        "3",
        "--json",
    ];
    let done = run(dir.path(), &args);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.stderr
            .contains("4 messages are left after 3 superframes"),
        "{done:?}"
    );
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    // Twelve phases; the last one is not over.
    assert!(result["late"].as_u64().unwrap() >= 20, "{done:?}");
    assert_eq!(result["lost"], 0, "{done:?}");
}

#[test]
fn programs_that_are_wrong_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("wrong.c");
    fs::write(&path, "int main(void)\n{\n    return x;\n}\n").unwrap();
    let done = run(dir.path(), &["--firmware", "wrong.c"]);
    assert_eq!((done.code, &done.stdout[..]), (Some(2), ""), "{done:?}");
    assert!(done.stderr.contains("wrong.c:3:12: error:"), "{done:?}");

    fs::write(dir.path().join("text.elf"), "no program").unwrap();
    let done = call(dir.path(), &["run", "--firmware", "text.elf"]);
    is_refusal(
        &done,
        2,
        "text.elf is no program for a node: it is not an ELF file",
    );
    refused(
        2,
        &["run", "--firmware", "rout"],
        "accepted: route, echo, parallel_sum",
    );
    refused(2, &["run", "--firmware", "no.c"], "no.c");
    refused(
        2,
        &["run", "--network", "cm1", "--firmware", "route"],
        "--network tdma",
    );
}
