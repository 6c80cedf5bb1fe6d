//! Output on a terminal is no wider than the terminal. On a pipe, tables have all their columns.

use super::program::{call, explaining, on_terminal, with_tools};
use std::fs;
use std::process::Command;

/// Returns the lines that the terminal shows, without escape sequences and progress.
fn shown(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        plain += before;
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
        rest = &sequence[end + 1..];
    }
    plain += rest;
    let last = |line: &str| line.rsplit('\r').next().unwrap().to_owned();
    plain.lines().map(last).collect()
}

/// Runs a command on a terminal, on which no line is wider than `columns`. Returns the lines.
fn fits(command: &mut Command, args: &str, columns: u16) -> Vec<String> {
    let done = on_terminal(command.args(args.split_whitespace()), columns);
    assert_eq!(done.code, Some(0), "{args}: {done:?}");
    let lines = shown(&done.stdout);
    assert!(lines.len() > 4, "{args}: {lines:?}");
    for line in &lines {
        let width = line.chars().count();
        assert!(width <= columns.into(), "{args}: {width} columns: {line}");
    }
    lines
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in.csv"), "0,1\n1,2\n2,3\n3,4\n").unwrap();
    for args in [
        "boards",
        "claims",
        "claims TD18",
        "compile --dims 4 --pattern bitrev",
        "compare --dims 2 --no-synthesis --relations 1,2,3,4,6,8,12,16 --loads 0.1,0.4",
        "deadlock --dims 2",
        "equivalence --list",
        "figure12 --dims 3 --ratios 2",
        "prove --list",
        "route 0x2A3 0x91C",
        "run --dims 3 --network cm1",
        "run --dims 3 --pattern random --firmware route --trace",
        "run --dims 2 --firmware all_reduce --data in.csv --profile",
        "run --dims 3 --pattern complement --logic-analyzer 3-7",
        "sweep load --network torus --radix 4,4 --periods 20 --loads 0.1,0.5",
        "sweep phase --axis payload --frames 16",
        "verilog --list",
    ] {
        fits(&mut explaining(dir.path()), args, 80);
    }
}

#[test]
#[ignore = "thorough: synthesises circuits, proves, and compiles with Verilator"]
fn tables_of_the_tools_fit_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        "bench --network rotation --dims 2 --phases 400",
        "build --design echo",
        "compare --pattern complement --no-sweeps",
        "cost Crc16 Uart<8>",
        "equivalence uart",
        "prove uart",
    ] {
        fits(&mut with_tools(dir.path()), args, 80);
    }
}

#[test]
#[ignore = "thorough: runs the main job"]
fn the_main_job_fits_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let lines = fits(&mut with_tools(dir.path()), "", 80);
    assert!(lines.iter().any(|line| line == "Results"), "{lines:?}");
}

/// A narrow terminal shows some columns, and says where all of them are.
#[test]
fn a_narrow_table_names_the_file_with_all_columns() {
    let dir = tempfile::tempdir().unwrap();
    let compare = "compare --dims 2 --no-synthesis --no-sweeps --pattern complement";
    let heading = |lines: &[String]| {
        let mut headings = lines.iter().filter(|line| line.starts_with("| pattern"));
        headings.next().unwrap().clone()
    };
    let narrow = fits(&mut explaining(dir.path()), compare, 80);
    assert!(heading(&narrow).contains("| bit-times |"), "{narrow:?}");
    assert!(!heading(&narrow).contains("ORed"), "{narrow:?}");
    let text = narrow.join(" ");
    assert!(text.contains("Not shown: lost, ORed, "), "{text}");
    assert!(text.contains("See runs.csv."), "{text}");
    let written = fs::read_to_string(dir.path().join("target/phasecube/compare/runs.csv"));
    assert!(written.unwrap().contains(",ored,"));

    let wide = call(dir.path(), &compare.split(' ').collect::<Vec<_>>()).stdout;
    assert!(wide.contains("| ORed |") && wide.contains("| messages per 1000 (wire x bit-time) |"));
    assert!(!wide.contains("Not shown"), "{wide}");
}
