//! `--help` at the width of the terminal, and lists of the available items.

use crate::command_line::program::{explaining, program, refused, stdout, CallResult};
use phasecube::proofs::PROPERTIES;
use serde_json::Value;

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
        assert_eq!(
            done.stderr.is_empty(),
            !explained,
            "{args}: {}",
            done.stderr
        );
    }
}

#[test]
fn completions_and_man_pages_list_every_command() {
    let script = stdout(&["completions", "bash"]);
    let page = stdout(&["man"]);
    for command in ["run", "compare", "figure12", "verilog"] {
        assert!(script.contains(command), "{command}");
        assert!(
            page.contains(&format!("phasecube\\-{command}")),
            "{command}"
        );
    }
    assert!(script.contains("--metacube"), "flags of networks, too");
    for words in [
        "reference evaluator lockstep verilator",
        "echo cube programs",
    ] {
        assert!(script.contains(words), "shells complete {words}");
    }
}

/// Each design in the list can be requested by its name there.
#[test]
fn designs_are_listed() {
    let list = stdout(&["verilog", "--list"]);
    for name in ["phase-sequencer", "soft-node", "cube", "host-port"] {
        assert!(
            list.lines()
                .any(|line| line.split(' ').next() == Some(name)),
            "{name}"
        );
        assert!(
            stdout(&["verilog", "--design", name]).contains("endmodule"),
            "{name}"
        );
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
        assert_eq!(
            printed["sizes"].as_array().unwrap().len(),
            property.cases.len()
        );
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
    assert!(!words.contains("compiled-node"), "{words}");
    refused(
        2,
        &["equivalence", "uart", "--dims", "14"],
        "the design uart has no dimensions; accepted: no --dims",
    );
    refused(
        2,
        &["equivalence", "pin-mux", "node", "--dims", "14"],
        "the design node does not exist for --dims 14; accepted: 1 to 12",
    );
}
