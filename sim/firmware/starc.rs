//! The StarC programs of `examples/starc`: the RTL against the same program on a PC, and against
//! plain computations.

use crate::firmware::builds;
use crate::support::scratch::compiled;
use crate::support::starc::{Input, StarcCase, CASES};
use phasecube::program::star;
use phasecube::topology::{AddressSpace, Hypercube};
use phasecube::traffic::SplitMix64;
use phasecube::values::{self, Values};
use starc::Options;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Runs the program with `-DSTAR_SIM` on this computer.
fn on_pc(case: &StarcCase, n: u32, given: &[i32]) -> Values {
    let options = Options { dims: n, ..Options::default() };
    let name = format!("starc_{}_{n}", case.name);
    let file = |suffix: &str| -> PathBuf { builds().join(format!("{name}.{suffix}")) };
    let translation = star::translate_file(&case.path(), &options).unwrap();
    fs::write(file("c"), &translation.c).unwrap();
    let c = file("c");
    let program = compiled(&name, &["starc"], &[c.to_str().unwrap()], &["-DSTAR_SIM".into()]);
    let mut run = Command::new(program);
    if case.input != Input::None {
        let rows = given.iter().enumerate();
        let lines: String = rows.map(|(node, x)| format!("{node},{x}\n")).collect();
        fs::write(file("in.csv"), lines).unwrap();
        run.arg(file("in.csv"));
    }
    let output = run.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {printed}");
    fs::write(file("out.csv"), output.stdout).unwrap();
    values::read(&file("out.csv"), AddressSpace::from(Hypercube::of(n))).unwrap().values
}

/// Checks the programs on a cube, and prints the measured superframes.
fn check(cases: &[&StarcCase], n: u32) {
    for case in cases {
        let given = case.given(n, &mut SplitMix64::new(u64::from(n)));
        let firmware = case.firmware(n, builds());
        let done = case.run(&firmware, n, &given);
        let expected = on_pc(case, n, &given);
        let returned = &done.programs.returned;
        let wrong = returned.differences(&expected, 0);
        assert!(wrong.is_empty(), "{} {n}: {:?}", case.name, wrong[0]);
        let (measured, published) = (done.superframes, (case.superframes)(n));
        println!(
            "{} ({}), n = {n}: {measured} superframes, published {}",
            case.name, case.what, case.published
        );
        if let Some(cell) = in_table(case, n) {
            assert_eq!(measured.to_string(), cell, "{} {n}: docs/starc.md", case.name);
        }
        // On a smaller cube the start of a program takes longer than a superframe.
        if case.is_quick && n >= 4 {
            assert_eq!(measured, published, "{} {n}", case.name);
            assert_eq!(done.late, 0, "{} {n}", case.name);
        }
    }
}

/// Returns the superframes of a program on a cube by the table of docs/starc.md, if it has such a
/// column.
fn in_table(case: &StarcCase, n: u32) -> Option<String> {
    if case.folder != CASES[0].folder {
        return None;
    }
    let page = fs::read_to_string("docs/starc.md").unwrap();
    let row = |start: &str| -> Vec<String> {
        let line = page.lines().find(|line| line.starts_with(start));
        let line = line.unwrap_or_else(|| panic!("docs/starc.md has no row {start}"));
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let names = row("| program |");
    let column = names.iter().position(|name| *name == format!("n = {n}"))?;
    Some(row(&format!("| `{}` |", case.name))[column].clone())
}

fn named(name: &str) -> &'static StarcCase {
    CASES.iter().find(|case| case.name == name).unwrap()
}

#[test]
fn life_runs_on_the_machine_as_on_a_pc() {
    check(&[named("life")], 4);
}

/// Grids of one column, of one row, and of rings of two processors.
#[test]
#[ignore = "thorough: compiles firmware"]
fn programs_run_on_the_smallest_cubes() {
    for n in 1..=3 {
        check(&[named("compass"), named("root"), named("prefix")], n);
    }
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn all_programs_run_on_small_cubes() {
    for n in [4, 6] {
        check(&CASES.iter().collect::<Vec<_>>(), n);
    }
}

#[test]
#[ignore = "thorough: 4,096 nodes"]
fn all_programs_run_on_4096_nodes() {
    check(&CASES.iter().collect::<Vec<_>>(), 12);
}

/// With `exchange_async` the messages travel while the program computes.
#[test]
#[ignore = "thorough: compiles firmware"]
fn an_exchange_overlaps_with_computation() {
    let [overlap, in_turn] = ["overlap", "no_overlap"].map(|name| {
        let case = named(name);
        let given = case.given(6, &mut SplitMix64::new(6));
        let done = case.run(&case.firmware(6, builds()), 6, &given);
        (done.superframes, done.late)
    });
    // Without a second context the program misses deadlines while it computes.
    assert_eq!(overlap.1, 0);
    let (overlap, in_turn) = (overlap.0, in_turn.0);
    assert!(3 * overlap <= 2 * in_turn, "{overlap} and {in_turn}");
}

/// The program and the host use the injection buffer while the network sends the frames of an
/// exchange from it.
#[test]
#[ignore = "thorough: compiles firmware"]
fn messages_of_the_host_pass_between_the_frames_of_an_exchange() {
    let case = StarcCase { name: "host_meanwhile", folder: "sim/firmware", ..*named("no_overlap") };
    let case = StarcCase { plain: None, superframes: |n| u64::from(20 * n), ..case };
    for n in [2, 3, 5] {
        check(&[&case], n);
    }
}

/// Every file of the folder is one of the programs.
#[test]
fn every_program_is_checked() {
    let folder = CASES[0].path();
    let files = fs::read_dir(folder.parent().unwrap()).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    let mut cases: Vec<PathBuf> = CASES.iter().map(StarcCase::path).collect();
    files.sort();
    cases.sort();
    assert_eq!(files, cases);
}
