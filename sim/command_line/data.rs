//! `run --data`: programs with data and their results, and errors in files and programs.

use crate::command_line::program::{call, explaining, refused, refused_in, with_tools, CallResult};
use std::fs;
use std::path::Path;

/// Numbers for the 3-cube, and the result of `parallel_sum` for them.
const NUMBERS: &str = "node,values\n# 0 to 7, and one thing more\n0x0,0,5\n1,1,5\n2,2,5\n3,3,5\n4,4,5\n*,5,5\n7,7,5\n6,6,5\n";
const SUMS: &str = "*,28,40\n";

fn with_files(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn sum(dir: &Path, args: &[&str]) -> CallResult {
    let sum = ["run", "--firmware", "parallel_sum", "--data", "d.csv"];
    call(dir, &[&sum, args].concat())
}

pub fn json(done: &CallResult) -> serde_json::Value {
    serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}"))
}

#[test]
fn programs_read_data_and_write_results() {
    let dir = with_files(&[("d.csv", NUMBERS), ("e.csv", SUMS)]);
    let done = sum(dir.path(), &["--check", "e.csv", "--results", "r.csv"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for line in [
        "3-cube, acked link, lockstep engine: parallel_sum has ended on 8 of 8 nodes\n",
        "12 phases, 2 superframes, 48 hops, ",
        "node    exit  returned\n0x0        0  28 40\n",
        "check: 8 of 8 nodes returned the expected values\n",
    ] {
        assert!(done.stdout.contains(line), "{line:?}: {done:?}");
    }
    let results = fs::read_to_string(dir.path().join("r.csv")).unwrap();
    let rows: String = (0..8).map(|node| format!("0x{node},28,40\n")).collect();
    assert_eq!(results, format!("node,values\n{rows}"));

    // The returned data serve as input and as expected output of the next run.
    let args = ["run", "--firmware", "parallel_sum", "--data", "r.csv"];
    let done = call(dir.path(), &[&args[..], &["--results", "-"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.starts_with("node,values\n0x0,224,320\n"), "{done:?}");
    assert!(done.stderr.contains("has ended on 8 of 8 nodes"), "{done:?}");
    let done = sum(dir.path(), &["--check", "r.csv"]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
#[ignore = "thorough: compiles programs"]
fn json_has_what_each_node_returned() {
    let dir = with_files(&[("d.csv", NUMBERS), ("e.csv", "*,28,40\n3,28,41\n")]);
    for engine in ["lockstep", "evaluator"] {
        let done = sum(dir.path(), &["--json", "--engine", engine, "--check", "e.csv"]);
        assert_eq!(done.code, Some(1), "{done:?}");
        let result = json(&done);
        assert_eq!(result["superframes"], 2, "{done:?}");
        assert_eq!(result["pattern"], "data:d.csv");
        let programs = &result["programs"];
        assert_eq!(programs["ended"], 8);
        let node = serde_json::json!({"node": 5, "exit": 0, "values": [28, 40]});
        assert_eq!(programs["nodes"][5], node);
        assert_eq!(result["check"]["holds"], false);
        let wrong =
            serde_json::json!([{"node": 3, "place": 1, "returned": "40", "expected": "41"}]);
        assert_eq!(result["check"]["wrong"], wrong);
    }
}

#[test]
fn the_exit_code_says_whether_the_check_holds() {
    let dir = with_files(&[
        ("d.csv", NUMBERS),
        ("near.csv", "*,28,40\n6,30,38\n"),
        ("more.csv", "*,28,40,1\n"),
        ("fewer.csv", "*,28\n"),
    ]);
    let check = |file: &str, args: &[&str]| sum(dir.path(), &[&["--check", file], args].concat());
    let done = check("near.csv", &[]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "error: 1 of 8 nodes did not return the values of --check; the first is node 0x6: \
                value 0 is 28, and 30 is expected\n";
    assert!(done.stderr.ends_with(says), "{done:?}");
    assert!(done.stdout.contains("check: 7 of 8 nodes"), "{done:?}");
    assert_eq!(check("near.csv", &["--tolerance", "1"]).code, Some(1));
    assert_eq!(check("near.csv", &["--tolerance", "2"]).code, Some(0));
    let done = check("more.csv", &[]);
    assert!(done.stderr.contains("value 2 is missing, and 1 is expected"), "{done:?}");
    let done = check("fewer.csv", &[]);
    assert!(done.stderr.contains("value 1 is 40, and no more values are expected"), "{done:?}");
}

#[test]
fn errors_in_a_file_are_reported_with_their_position() {
    let dir = with_files(&[
        ("d.csv", "0,1\n8,1\n"),
        ("good.csv", "*,1\n"),
        ("e.csv", "1,x\n"),
        ("long.csv", "1,bytes:010203040506070809\n"),
    ]);
    let run = ["run", "--firmware", "parallel_sum"];
    for (args, says) in [
        (&["--data", "d.csv"][..], "d.csv:2:1: the node 8 (0x8) is outside the 3-cube; accepted: 0x0 to 0x7"),
        (&["--data", "good.csv", "--check", "e.csv"], "e.csv:1:3: \"x\" is not a value; accepted: -2147483648 to 4294967295"),
        (&["--data", "no.csv"], "no.csv: cannot be read: "),
        (&["--data", "long.csv"], "--data: a value has 9 bytes, and the machine is built for 6; accepted: --payload 7 or more"),
        (&["--check", "good.csv"], "--data"),
        (&["--data", "good.csv", "--pattern", "random"], "--pattern"),
        (&["--data", "good.csv", "--picture", "p.svg", "--message", "0"], "a run with --data has none"),
        (&["--data", "good.csv", "--results", "no/r.csv"], "--results no/r.csv cannot be written"),
    ] {
        refused_in(dir.path(), 2, &[&run, args].concat(), says);
    }
    refused_in(
        dir.path(),
        2,
        &["run", "--data", "good.csv"],
        "--data is for nodes that run a program; accepted: --data with --firmware",
    );
    refused(
        2,
        &["run", "--network", "torus", "--data", "d.csv"],
        "--data is a flag of tdma or metacube",
    );
}

/// A program that needs data is rejected immediately if there are none.
#[test]
fn without_data_a_program_says_what_it_needs() {
    for program in ["parallel_sum", "echo", "fft"] {
        let dir = tempfile::tempdir().unwrap();
        let done = call(dir.path(), &["run", "--firmware", program]);
        assert_eq!((done.code, &done.stdout[..]), (Some(2), ""), "{done:?}");
        let says = format!("error: {program} needs data: it sends results to its host (ctrl_send)");
        assert!(done.stderr.contains(&says), "{done:?}");
        assert!(done.stderr.contains("accepted: --data FILE.csv"), "{done:?}");
    }
}

/// A program that does not pass on messages is named as the likely cause.
#[test]
fn a_program_that_is_no_router_is_named() {
    const IDLE: &str = "#include \"tdma.h\"\nint main(void)\n{\n    \
         tdma_init((uint16_t)tdma_strapped_address(), tdma_strapped_dims());\n    \
         for (;;)\n        tdma_next_phase();\n}\n";
    let dir = with_files(&[("idle.c", IDLE)]);
    let done = with_tools(dir.path()).args(["run", "--firmware", "idle.c"]).output().unwrap();
    let done: CallResult = done.into();
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "; none was delivered, so idle.c may be no router; accepted: a router, or --data";
    assert!(done.stderr.contains(says), "{done:?}");
}

/// A user's program in which node 3 computes forever, node 5 returns 7, and the others wait for
/// them. With `TRAP`, node 3 executes an illegal instruction and the others end.
const STRANGE: &str = r#"
#include "collectives.h"
#include "ctrl.h"

int main(void)
{
    unsigned here = tdma_strapped_address(), dims = tdma_strapped_dims();
    tdma_init((uint16_t)here, dims);
    uint32_t word = 0;
    ctrl_wait(&word, sizeof word);
    if (word == 1)
        return here == 5 ? 7 : 0;
    if (here == 3 && word == 2)
        asm volatile(".word 0xFFFFFFFF");
    if (word == 2)
        return 0;
    while (here == 3)
        word += here;
    word = collective_reduce(dims, collective_add, word);
    ctrl_send(&word, sizeof word);
    return 0;
}
"#;

fn strange(data: &str, args: &[&str]) -> CallResult {
    let dir = with_files(&[("strange.c", STRANGE), ("d.csv", data)]);
    let run = ["run", "--firmware", "strange.c", "--data", "d.csv"];
    let mut command = with_tools(dir.path());
    command.args(run).args(args).output().unwrap().into()
}

#[test]
fn a_hanging_program_is_reported_with_its_location() {
    let done = strange("*,3\n", &["--superframes", "3"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "error: 8 of 8 programs have not ended after 3 superframes\n";
    assert!(done.stderr.ends_with(says), "{done:?}");
    assert!(done.stdout.contains("has ended on 0 of 8 nodes"), "{done:?}");
    let (_, table) = done.stdout.split_once("not ended:\nnode    state   at").unwrap();
    let rows: Vec<&str> = table.lines().skip(1).take(8).collect();
    for (node, row) in rows.iter().enumerate() {
        let (state, place) = match node {
            3 => ("awake ", "  main + 0x"),
            _ => ("asleep", "  tdma_next_phase + 0x"),
        };
        assert!(row.starts_with(&format!("0x{node}     {state}  0x0000")), "{done:?}");
        assert!(row.contains(place), "{done:?}");
        assert_eq!(row.contains(", last in main + 0x"), node != 3, "{done:?}");
    }
    let done = strange("*,3\n", &["--superframes", "3", "--json"]);
    let program_state = &json(&done)["programs"]["whereabouts"];
    assert_eq!(program_state[3]["state"], "awake");
    assert_eq!(program_state[4]["state"], "asleep");
    assert!(program_state[4]["from"].as_str().unwrap().starts_with("main + 0x"));
}

#[test]
fn a_trap_is_reported_at_once_and_an_exit_code_at_the_end() {
    let done = strange("*,2\n", &[]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let trap = |line: &str| line.contains("halted at 0x") && line.contains("(0xFFFFFFFF)");
    let lines: Vec<&str> = done.stderr.lines().filter(|line| trap(line)).collect();
    assert!(lines[0].starts_with("phasecube: core of node 0x3 halted at 0x"), "{done:?}");
    assert!(lines[1].starts_with("error: 1 of 8 cores have halted; "), "{done:?}");
    assert!(done.stdout.contains("0x3     halted  0x0000"), "{done:?}");

    let done = strange("*,1\n", &[]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "error: the program of node 0x5 ended with exit code 7\n";
    assert!(done.stderr.ends_with(says), "{done:?}");
    assert!(done.stdout.contains("0x5        7\n"), "{done:?}");
}

/// In a metacube, messages are routed. `echo` never ends, and answers.
#[test]
fn programs_of_a_metacube_are_given_data() {
    let dir = with_files(&[("d.csv", "*\n1,bytes:060061\n"), ("e.csv", "*\n1,bytes:060061\n")]);
    let args = [
        "run",
        "--network",
        "metacube",
        "--dims",
        "3",
        "--firmware",
        "echo",
        "--data",
        "d.csv",
        "--check",
        "e.csv",
        "--superframes",
        "12",
    ];
    let done: CallResult = with_tools(dir.path()).args(args).output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("check: 8 of 8 nodes"), "{done:?}");
    assert!(done.stderr.contains("8 of 8 programs have not ended after 12"), "{done:?}");
}

/// Runs the C program `p.c` on a cube. `few.csv` has data of two nodes, `addresses.csv` the address
/// of each node of a 2-cube.
pub fn run_c(source: &str, args: &str) -> CallResult {
    let dir = with_files(&[
        ("p.c", source),
        ("few.csv", "0,1\n1,2\n"),
        ("addresses.csv", "0,0\n1,1\n2,2\n3,3\n"),
    ]);
    let words = format!("run --firmware p.c {args}");
    let done = with_tools(dir.path()).args(words.split_whitespace()).output();
    done.unwrap().into()
}

/// A message that is longer than the link allows is counted and named with the flag that makes
/// room.
#[test]
#[ignore = "thorough: compiles firmware"]
fn refused_sends_are_reported() {
    let source = "#include \"ctrl.h\"\n#include \"tdma.h\"\n\
        int main(void)\n{\n\
            tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n\
            int is_refused = ctrl_send(\"hello node\", 10) < 0;\n\
            ctrl_send(\"hello\", tdma_strapped_address() ? 0 : 5);\n\
            return is_refused ? 0 : 3;\n}\n";
    let done = run_c(source, "--dims 1 --data none");
    assert_eq!(done.code, Some(1), "{done:?}");
    let error = "1 call of ctrl_send refused in node 0x0; --payload 8 makes room";
    assert!(done.stderr.contains(error), "{done:?}");
    for line in [
        "\n0x0        0  bytes:68656C6C6F\n0x1        0\n",
        "\n  node 0x0: 1 call of ctrl_send refused, of up to 10 bytes; --payload 8 makes room\n",
        "\n  node 0x1: 2 calls of ctrl_send refused, of up to 10 bytes; --payload 8 makes room\n",
    ] {
        assert!(done.stdout.contains(line), "{line:?}: {done:?}");
    }
    let printed = run_c(source, "--dims 1 --data none --json");
    let printed: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
    let counted = serde_json::json!([
        {"node": 0, "calls": 1, "longest": 10},
        {"node": 1, "calls": 2, "longest": 10},
    ]);
    assert_eq!(printed["programs"]["refused"], counted);
    // A shorter message than a report would hide the calls.
    let done = run_c(source, "--dims 1 --data none --payload 3");
    assert_eq!(done.code, Some(2), "{done:?}");
    let says = "--payload 3 is too short for the reports of a program to its host";
    assert!(done.stderr.contains(says), "{done:?}");
    assert!(done.stderr.contains("accepted: --payload 4 or more"), "{done:?}");
    refused(2, &["board", "--payload", "3"], "accepted: 4 to 78");
    // With room the program ends with 3, because its message is not refused.
    let done = run_c(source, "--dims 1 --data none --payload 8");
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("bytes:68656C6C6F206E6F6465"), "{done:?}");
}

/// A program that returns values for ever ends with its run, which keeps the values.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_program_that_returns_too_many_values_ends_the_run() {
    let source = "#include \"ctrl.h\"\n#include \"tdma.h\"\n\
        int main(void)\n{\n\
            tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n\
            for (uint32_t i = 0; tdma_strapped_address() == 1; i++)\n\
                ctrl_send(&i, sizeof i);\n\
            return 0;\n}\n";
    let args = "--dims 1 --data none --max-values 10 --json";
    let done = run_c(source, args);
    assert_eq!(done.code, Some(1), "{done:?}");
    let says = "node 0x1 has returned 10 values; --max-values N allows more";
    assert!(done.stderr.contains(says), "{done:?}");
    let programs = &json(&done)["programs"];
    assert_eq!(programs["overflow"], 1);
    assert_eq!(programs["nodes"][1]["values"], serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    refused(2, &["run", "--firmware", "route", "--max-values", "3"], "--data");
}

/// Nodes without a line are named before the run. A line for all nodes, or one without values,
/// counts.
#[test]
fn nodes_without_a_line_are_named() {
    let few = "0,1\n1,2\n3\n5,6\n";
    let dir = with_files(&[("d.csv", few), ("all.csv", &format!("{few}*,0\n"))]);
    let run = |data: &str| -> CallResult {
        let words = "run --firmware parallel_sum --superframes 2 --data";
        let args = words.split(' ').chain([data]);
        explaining(dir.path()).args(args).output().unwrap().into()
    };
    let done = run("d.csv");
    let says =
        "4 of 8 nodes have no line in d.csv, so their programs get no values: 0x2, 0x4, 0x6, \
                0x7; a line *,VALUE is for all of them";
    assert!(done.stderr.contains(says), "{done:?}");
    assert!(!run("all.csv").stderr.contains("no line"));
}

/// A program that computes and sends nothing to another node costs no superframe, so no line says
/// that it may have.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_run_that_sends_nothing_has_no_warning_about_late_phases() {
    let source = |send: &str| {
        format!(
            "#include \"ctrl.h\"\n#include \"tdma.h\"\n\
            int main(void)\n{{\n\
                tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n\
                volatile uint32_t spin = 0;\n\
                {send}\n\
                for (unsigned i = 0; i < 5000; i++)\n\
                    spin += i;\n\
                tdma_wait_for_phase(0);\n\
                return 0;\n}}\n"
        )
    };
    for (send, warns) in [("", false), ("tdma_send(0, (void *)&spin, 4);", true)] {
        let done = run_c(&source(send), "--dims 1 --data none");
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(done.stdout.contains("missed its deadline"), warns, "{done:?}");
        let late = json(&run_c(&source(send), "--dims 1 --data none --json"))["late"].as_u64();
        assert!(late > Some(10), "{late:?}");
    }
}
