//! `run --firmware`: programs on the nodes, the profile of their cores, and rejected programs.

use crate::command_line::elf::program;
use crate::command_line::program::{assert_rejected, call, refused, with_tools, CallResult};
use std::fs;
use std::path::Path;

/// Runs the program with its tools.
fn run(dir: &Path, args: &[&str]) -> CallResult {
    let args = [&["run", "--dims", "2", "--payload", "4"], args].concat();
    with_tools(dir).args(args).output().unwrap().into()
}

#[test]
fn route_runs_and_is_profiled() {
    let dir = tempfile::tempdir().unwrap();
    let done = run(dir.path(), &["--firmware", "route", "--profile"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("4 of 4 messages delivered"), "{done:?}");
    assert!(done.stderr.contains("of 2048 bytes of program"), "{done:?}");
    let lines: Vec<&str> = done.stdout.lines().collect();
    let head = lines.iter().position(|l| l.starts_with("node ")).unwrap();
    for (node, line) in lines[head + 1..head + 5].iter().enumerate() {
        assert!(line.starts_with(&format!("0x{node} ")), "{done:?}");
    }
    assert!(lines[head + 5].starts_with("longest service time"), "{done:?}");
    assert!(lines[head + 6].contains('#'), "{done:?}");
}

/// A user's router whose `main` returns. The return value is no message to its host, and the router
/// continues to route.
#[test]
fn a_router_whose_main_returned_still_routes() {
    let dir = tempfile::tempdir().unwrap();
    let source = r#"
        #include "node_port.h"
        #include "tdma.h"

        void tdma_on_phase(void)
        {
            port_write(PORT_MOVE, MOVE_TAKE);
        }

        void tdma_on_arrival(unsigned reg)
        {
            (void)reg;
            port_write(PORT_MOVE, MOVE_DELIVERED);
        }

        int main(void)
        {
            tdma_init(tdma_strapped_address(), tdma_strapped_dims());
            return 0;
        }
    "#;
    fs::write(dir.path().join("router.c"), source).unwrap();
    let done = run(dir.path(), &["--firmware", "router.c", "--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((&result["delivered"], &result["undetected"]), (&4.into(), &0.into()));
}

/// Every node is late in every phase in which it could send.
#[test]
fn a_window_that_is_too_short_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "--firmware",
        "route",
        "--pattern",
        "complement",
        "--service",
        "1",
        "--superframes",
        "3",
        "--json",
    ];
    let done = run(dir.path(), &args);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("4 messages are left after 3 superframes"), "{done:?}");
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    // The run has twelve phases, and the last is incomplete.
    assert!(result["late"].as_u64().unwrap() >= 20, "{done:?}");
    assert_eq!(result["lost"], 0, "{done:?}");

    let done = run(dir.path(), &args[..args.len() - 1]);
    let words: Vec<&str> = done.stdout.split_whitespace().collect();
    let expected =
        "phases in which a node missed its deadline (--service gives programs more time)";
    assert!(words.join(" ").contains(expected), "{done:?}");
}

#[test]
fn invalid_programs_are_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("wrong.c");
    fs::write(&path, "int main(void)\n{\n    return x;\n}\n").unwrap();
    let done = run(dir.path(), &["--firmware", "wrong.c"]);
    assert_eq!((done.code, &done.stdout[..]), (Some(2), ""), "{done:?}");
    assert!(done.stderr.contains("wrong.c:3:12: error:"), "{done:?}");

    fs::write(dir.path().join("text.elf"), "no program").unwrap();
    let done = call(dir.path(), &["run", "--firmware", "text.elf"]);
    assert_rejected(&done, 2, "text.elf is not a program for a node: it is not an ELF file");
    refused(2, &["run", "--firmware", "rout"], "accepted: route, echo, parallel_sum");
    refused(2, &["run", "--firmware", "no.c"], "no.c");
    refused(2, &["run", "--network", "cm1", "--firmware", "route"], "--network tdma");
}

/// Returns the traps of a run by node, as in `--json`: node, program counter, cause, instruction.
fn traps(done: &CallResult) -> Vec<(u64, u64, String, u64)> {
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    let traps = result["traps"].as_array().unwrap().iter();
    let fields = |trap: &serde_json::Value| {
        let cause = trap["cause"].as_str().unwrap().to_owned();
        let (node, pc) = (number(&trap["node"]), number(&trap["pc"]));
        (node, pc, cause, number(&trap["instruction"]))
    };
    traps.map(fields).collect()
}

/// A run ends when all cores have halted, and reports where and why.
#[test]
fn a_run_ends_when_all_cores_have_halted() {
    let dir = tempfile::tempdir().unwrap();
    // nop; and a word that is no instruction
    program(&[0x13, 0xFFFF_FFFF]).write(dir.path(), "halts.elf");
    let args = [
        "run",
        "--dims",
        "1",
        "--pattern",
        "complement",
        "--firmware",
        "halts.elf",
        "--service",
        "5",
    ];
    let reported = "halted at 0x00000004: illegal instruction (0xFFFFFFFF)";
    for engine in ["reference", "evaluator", "lockstep"] {
        let done = call(dir.path(), &[&args[..], &["--json", "--engine", engine]].concat());
        assert_eq!(done.code, Some(1), "{done:?}");
        let says = format!(
            "error: 2 of 2 cores have halted; the first is node 0x0, {reported}; 2 messages are left\n"
        );
        assert!(done.stderr.ends_with(&says), "{done:?}");
        let halted = |node| (node, 4, "illegal instruction".to_owned(), 0xFFFF_FFFF);
        assert_eq!(traps(&done), [0, 1].map(halted), "{done:?}");
    }
    let done = call(dir.path(), &[&args[..], &["--profile"]].concat());
    let row = done.stdout.lines().find(|line| line.starts_with("0x1 "));
    assert!(row.is_some_and(|row| row.ends_with(reported)), "{done:?}");
    let line = format!("  core of node 0x1 {reported}\n");
    assert!(done.stdout.contains(&line), "{done:?}");
}

/// One halted core fails the run, even if the others continue.
#[test]
fn one_core_that_halts_fails_the_run() {
    let dir = tempfile::tempdir().unwrap();
    // lui x1, 0x40000; lw x2, 0x40(x1): the address; addi x3, x0, 2; bne x2, x3, 8;
    // lw x4, 1(x1); wfi; jal x0, -4
    let words =
        [0x4000_00B7, 0x0400_A103, 0x0020_0193, 0x0031_1463, 0x0010_A203, 0x1050_0073, 0xFFDF_F06F];
    program(&words).write(dir.path(), "two.elf");
    let args = ["run", "--dims", "2", "--firmware", "two.elf", "--superframes", "3", "--json"];
    let done = call(dir.path(), &args);
    assert_eq!(done.code, Some(1), "{done:?}");
    let trap = (2, 0x10, "misaligned load".to_owned(), 0x0010_A203);
    assert_eq!(traps(&done), [trap], "{done:?}");
    let says = "error: 1 of 4 cores have halted; the first is node 0x2, halted at 0x00000010: \
                misaligned load (0x0010A203); 2 messages are left\n";
    assert!(done.stderr.ends_with(says), "{done:?}");
    // The halt was also reported when it happened.
    let news = "phasecube: core of node 0x2 halted at 0x00000010: misaligned load (0x0010A203)\n";
    assert_eq!(done.stderr.matches(news).count(), 1, "{done:?}");
}
