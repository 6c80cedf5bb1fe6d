//! `--help` at the width of the terminal, and lists of the available items.

use crate::command_line::program::{call, explaining, program, refused, stdout, CallResult};
use phasecube::proofs::PROPERTIES;
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn help_is_no_wider_than_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let commands = [
        "",
        "bench",
        "board",
        "build",
        "claims",
        "collect",
        "compare",
        "core-test",
        "cost",
        "equivalence",
        "figure12",
        "flash",
        "load",
        "monitor",
        "prove",
        "route",
        "run",
        "run-on-board",
        "send",
        "simulate",
        "sweep phase",
        "verilog",
    ];
    for command in commands {
        let mut help = program(dir.path());
        help.args(command.split_whitespace()).arg("--help");
        let done: CallResult = help.env("COLUMNS", "80").output().unwrap().into();
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
        for line in done.stdout.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        // An example is on one line, so that it can be copied.
        let example = format!("\n  phasecube {command}");
        assert!(done.stdout.contains(example.trim_end()), "{}", done.stdout);
    }
}

/// The explanation is about this result.
#[test]
fn the_explanation_is_about_the_result() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("in.csv"), "0,1\n1,2\n2,3\n3,4\n").unwrap();
    for (args, says) in [
        ("run --dims 3", "each of the 8 messages arrived"),
        ("run --dims 3 --link raw --pattern hotspot", "This mode permits"),
        ("run --dims 3 --network cm1", "petit cycle"),
        ("run --dims 2 --firmware all_reduce --data in.csv", "4 programs ended"),
        ("deadlock --dims 2", "no traffic can deadlock this network"),
        ("deadlock --network torus --vcs 1", "the graph permits a deadlock"),
        ("claims torus-routing-chip", " true as in the papers"),
        ("compare --dims 2 --no-synthesis --no-sweeps --pattern complement", "complement: "),
        (
            "sweep load --network torus --radix 4,4 --periods 20 --loads 0.1,2",
            "was saturated at a load of 2.",
        ),
    ] {
        let mut command = explaining(dir.path());
        let done: CallResult = command.args(args.split(' ')).output().unwrap().into();
        assert_eq!(done.code, Some(0), "{done:?}");
        let (_, meaning) = done.stderr.split_once("What this means: ").unwrap();
        let meaning = meaning.replace('\n', " ");
        assert!(meaning.contains(says), "{args}: {meaning}");
        let programs = args.contains("--data");
        assert!(!programs || !meaning.contains("arrived"), "{args}: {meaning}");
    }
}

/// Standard error explains a command's output unless `--quiet` is set.
#[test]
fn output_is_explained() {
    let dir = tempfile::tempdir().unwrap();
    for (args, explained) in [
        ("route 0 3", true),
        ("route 0 3 --quiet", false),
        ("--quiet route 0 3", false),
        ("route 0 3 --json", false),
        ("deadlock --dims 2", true),
        ("deadlock --dims 2 --json", false),
        ("completions fish", false),
    ] {
        let mut command = explaining(dir.path());
        let done: CallResult = command.args(args.split(' ')).output().unwrap().into();
        assert_eq!(done.code, Some(0), "{done:?}");
        let line = done.stderr.starts_with("What this means: ");
        assert_eq!(line, explained, "{args}: {}", done.stderr);
        assert_eq!(done.stderr.is_empty(), !explained, "{args}: {}", done.stderr);
    }
}

/// Every command has a page with all its flags. A page refers to pages that exist.
#[test]
fn every_command_has_a_manual_page() {
    let dir = tempfile::tempdir().unwrap();
    let done = call(dir.path(), &["man", "--out", "man1"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let names = std::fs::read_dir(dir.path().join("man1")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: BTreeSet<String> = names.collect();
    let page = |name: &str| std::fs::read_to_string(dir.path().join("man1").join(name)).unwrap();
    let usage = |words: &[&str]| stdout(&[words, &["--help"]].concat());
    for command in ["run", "sweep load", "figure12", "board", "compare", "deadlock"] {
        let words: Vec<&str> = command.split(' ').collect();
        let name = format!("phasecube-{}.1", words.join("-"));
        let page = page(&name);
        assert_eq!(page, stdout(&[&["man"], &words[..]].concat()), "{name}");
        for flag in usage(&words).split_whitespace().filter(|word| word.starts_with("--")) {
            let flag: String =
                flag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            assert!(page.contains(&flag.replace('-', "\\-")), "{name}: {flag}");
        }
    }
    for name in &names {
        let page = page(name);
        let (_, others) = page.split_once(".SH \"SEE ALSO\"\n").unwrap();
        for other in others.trim().split(", ") {
            let other = other.replace("\\fB", "").replace("\\fR(1)", ".1").replace('\\', "");
            assert!(names.contains(&other), "{name}: {other}");
        }
    }
    refused(
        2,
        &["man", "sweep", "lod"],
        "accepted: phase, grid, load; a similar command exists: load",
    );
    refused(2, &["man", "rnu"], "a similar command exists: run");
}

/// Each design in the list can be requested by its name there.
#[test]
fn designs_are_listed() {
    let list = stdout(&["verilog", "--list"]);
    for name in ["phase-sequencer", "soft-node", "cube", "host-port"] {
        assert!(list.lines().any(|line| line.split(' ').next() == Some(name)), "{name}");
        assert!(stdout(&["verilog", "--design", name]).contains("endmodule"), "{name}");
    }
    assert!(list.contains("FrameEngine<4>"), "{list}");
    assert!(stdout(&["verilog", "--design", "FrameEngine<4>"]).contains("module "));
}

/// The list of proofs is the same in words and as JSON.
#[test]
fn proofs_are_listed() {
    let words = stdout(&["prove", "--list"]);
    let list: Value = serde_json::from_str(&stdout(&["prove", "--list", "--json"])).unwrap();
    let list = list["properties"].as_array().unwrap();
    assert_eq!(list.len(), PROPERTIES.len());
    for (printed, property) in list.iter().zip(PROPERTIES) {
        let expected = [property.name, property.sentence];
        assert_eq!([&printed["name"], &printed["sentence"]], expected);
        for text in expected {
            assert!(words.contains(text), "{text}");
        }
        assert_eq!(printed["sizes"].as_array().unwrap().len(), property.cases.len());
        assert_eq!(printed["mutants"][0], property.mutants[0].description);
    }
    let one = stdout(&["prove", "--list", "--json", "uart"]);
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one["properties"].as_array().unwrap().len(), 1);

    let words = stdout(&["equivalence", "--list"]);
    let list: Value = serde_json::from_str(&stdout(&["equivalence", "--list", "--json"])).unwrap();
    let names = list["circuits"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names, words.lines().collect::<Vec<_>>());
    // Lists the circuits that exist for 14 dimensions.
    let words = stdout(&["equivalence", "--list", "--dims", "14"]);
    let lines: Vec<&str> = words.lines().collect();
    assert!(lines.contains(&"metacube-node --dims 14"), "{words}");
    assert!(lines.iter().all(|line| line.ends_with(" --dims 14")));
    assert!(lines.contains(&"compiled-node --dims 14"), "{words}");
    assert!(!lines.contains(&"cube --dims 14"), "{words}");
    refused(
        2,
        &["equivalence", "uart", "--dims", "14"],
        "the design uart has no dimensions; accepted: no --dims",
    );
    refused(
        2,
        &["equivalence", "pin-mux", "cube", "--dims", "14"],
        "the design cube does not exist for --dims 14; accepted: 1 to 8",
    );
}
