//! `--memory`: simulated nodes with larger memories than those of a board, in `run`, on a simulated
//! board, and from Python.

use crate::command_line::program::{call, refused, with_tools};
use crate::host::commands::Process;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Needs 4,000 bytes of static data, a stack of more than 1,000 bytes, and more than 2 KB of code.
/// Returns the sum of the table, the lowest address on the stack, a quotient, and a sum of
/// floating-point numbers.
const LARGE: &str = r#"
#include "ctrl.h"
#include "tdma.h"

static uint32_t table[1000];
static const uint32_t factors[700] = {3, [699] = 5};

static uint32_t below(uint32_t depth)
{
    volatile uint32_t frame[64];
    frame[depth] = depth;
    return depth ? below(depth - 1) + frame[depth] : (uint32_t)&frame[0];
}

int main(void)
{
    uint32_t number;
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    if (!ctrl_wait(&number, sizeof number))
        return 1;
    uint32_t sum = 0;
    for (unsigned i = 0; i < 1000; i++)
        table[i] = number + factors[i % 700];
    uint32_t lowest = below(4) - 10;
    for (unsigned i = 0; i < 1000; i++)
        sum += table[i];
    uint32_t quotient = 1000003 / number;
    float series = 0;
    for (unsigned i = 1; i <= 10; i++)
        series += 1.0f / (float)(number * i);
    ctrl_send(&sum, sizeof sum);
    ctrl_send(&lowest, sizeof lowest);
    ctrl_send(&quotient, sizeof quotient);
    ctrl_send(&series, sizeof series);
    return 0;
}
"#;

/// Expected sum, quotient and floating-point sum for a number.
fn expected(number: u32) -> [u32; 3] {
    // `factors` is read once in full, and its first 300 numbers twice.
    let sum = 1000 * number + 3 + 5 + 3;
    let terms = (1..=10).map(|i| 1.0 / (number * i) as f32);
    [sum, 1_000_003 / number, terms.sum::<f32>().to_bits()]
}

/// Checks the values that a node returned.
fn check(number: u32, values: &[i64], data_bytes: i64) {
    let words: Vec<u32> = values.iter().map(|value| *value as u32).collect();
    let [sum, lowest, quotient, series] = words[..] else {
        panic!("{values:?}");
    };
    assert_eq!([sum, quotient, series], expected(number), "{number}");
    // Five frames of 256 bytes each below the end of the memory.
    let used = 0x1000_0000 + data_bytes - i64::from(lowest);
    assert!((5 * 256..2048).contains(&used), "{lowest:#x}");
}

fn write_program(dir: &Path) {
    fs::write(dir.join("large.c"), LARGE).unwrap();
    fs::write(dir.join("in.csv"), "0,1\n1,7\n").unwrap();
}

/// The engines agree on the results, and the program does not fit without the flag.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_large_program_runs_with_larger_memories() {
    let dir = tempfile::tempdir().unwrap();
    write_program(dir.path());
    let base = "run --dims 1 --firmware large.c --data in.csv";
    let run = |more: &str| {
        let words = format!("{base} {more}");
        let output = with_tools(dir.path()).args(words.split_whitespace()).output();
        crate::command_line::program::CallResult::from(output.unwrap())
    };
    let done = run("");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("code and constants take"), "{done:?}");
    assert!(
        done.stderr.contains("; simulated nodes have more with --memory 8K,8K of `run`"),
        "{done:?}"
    );
    for (memory, data_bytes) in [("8K,8K", 8192), ("64K,32K", 32_768)] {
        let reports = ["lockstep", "evaluator"].map(|engine| {
            let done = run(&format!("--memory {memory} --engine {engine} --json"));
            assert_eq!(done.code, Some(0), "{done:?}");
            let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
            assert_eq!(json["flags"]["memory"], memory, "{done:?}");
            json["programs"].clone()
        });
        assert_eq!(reports[0], reports[1]);
        for (node, number) in [(0, 1), (1, 7)] {
            let values = reports[0]["nodes"][node]["values"].as_array().unwrap();
            let values: Vec<i64> = values.iter().map(|v| v.as_i64().unwrap()).collect();
            check(number, &values, data_bytes);
        }
    }
}

/// Runs a script of the Python client. Its arguments are the port of the board and the program.
fn python(script: &str, board: &Process, program: &Path) -> Output {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("host/python/src");
    Command::new("python3")
        .args(["-c", script, &board.port])
        .arg(program)
        .env("PYTHONPATH", package)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PHASECUBE", env!("CARGO_BIN_EXE_phasecube"))
        .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap()
}

/// The clients compile a program for the memories that the board reports.
#[test]
#[ignore = "thorough: compiles firmware"]
fn clients_compile_for_the_memories_of_a_simulated_board() {
    let dir = tempfile::tempdir().unwrap();
    write_program(dir.path());
    let memory = ["--dims", "1", "--listen", "tcp:0", "--memory", "8K,16K"];
    let board = Process::of(&memory);
    let port = ["--port", &board.port];
    for command in [&["load", "large.c"][..], &["send", "--data", "in.csv"]] {
        let args = [command, &port].concat();
        let done = with_tools(dir.path()).args(args).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
    let args = [&["collect", "--json"][..], &port].concat();
    let done = call(dir.path(), &args);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let values = |node: usize| -> Vec<i64> {
        let values = json["nodes"][node]["values"].as_array().unwrap();
        values.iter().map(|v| v.as_i64().unwrap()).collect()
    };
    check(1, &values(0), 16_384);
    check(7, &values(1), 16_384);

    let script = "
import sys
from phasecube_host import Machine
with Machine(sys.argv[1]) as machine:
    machine.load(sys.argv[2])
    for values in machine.run([[1], [7]]).values:
        print(*values)
";
    let done = python(script, &board, &dir.path().join("large.c"));
    let printed = String::from_utf8(done.stdout).unwrap();
    let rows: Vec<Vec<i64>> =
        printed.lines().map(|line| line.split(' ').map(|v| v.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 2, "{printed} {:?}", String::from_utf8_lossy(&done.stderr));
    check(1, &rows[0], 16_384);
    check(7, &rows[1], 16_384);
}

/// Both clients format the texts of a program on a board, and keep them out of its values.
#[test]
#[ignore = "thorough: compiles firmware"]
fn clients_format_the_texts_of_a_program_on_a_board() {
    const TEXTS: &str = r#"
#include "ctrl.h"
#include "tdma.h"
int main(void)
{
    uint32_t here = tdma_strapped_address(), number;
    tdma_init(here, tdma_strapped_dims());
    while (ctrl_wait(&number, sizeof number)) {
        ctrl_print("node %u: %d|%5.1f%%\n", here, number, (float)here / 2);
        ctrl_send(&number, sizeof number);
    }
    return 0;
}
"#;
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("texts.c"), TEXTS).unwrap();
    fs::write(dir.path().join("in.csv"), "0,-3\n1,8,9\n").unwrap();
    let board = Process::of(&["--dims", "1", "--listen", "tcp:0", "--memory", "4K,512"]);
    let text_of =
        |node: u32, number: i32| format!("node {node}: {number}|{:5.1}%", f64::from(node) / 2.0);
    let expected = [text_of(0, -3), text_of(1, 8), text_of(1, 9)];
    let collect = |args: &[&str]| {
        let sending: [&[&str]; 2] = [&["load", "texts.c"], &["send", "--data", "in.csv"]];
        for command in sending.iter().copied().chain([&[&["collect"], args].concat()[..]]) {
            let args = [command, &["--port", &board.port]].concat();
            let done = with_tools(dir.path()).args(args).output().unwrap();
            assert!(done.status.success(), "{done:?}");
            if command[0] == "collect" {
                return String::from_utf8(done.stdout).unwrap();
            }
        }
        unreachable!()
    };
    let printed = collect(&["--firmware", "texts.c"]);
    for text in &expected {
        assert!(printed.contains(text), "{printed}");
    }
    assert!(!printed.contains("bytes:C5"), "{printed}");
    assert!(collect(&[]).contains("bytes:C5FD"));
    let json: serde_json::Value =
        serde_json::from_str(&collect(&["--firmware", "texts.c", "--json"])).unwrap();
    let texts = json["prints"].as_array().unwrap().iter();
    let mut texts: Vec<&str> = texts.map(|print| print["text"].as_str().unwrap()).collect();
    texts.sort_unstable();
    assert_eq!(texts, expected);
    assert_eq!(json["nodes"][1]["values"], serde_json::json!([8, 9]));

    let script = "
import sys
from phasecube.host import Machine
with Machine(sys.argv[1]) as machine:
    machine.load(sys.argv[2])
    results = machine.run([[-3], [8, 9]])
    assert results.values == [[-3], [8, 9]], results
    for print_ in sorted(results.prints, key=lambda print_: print_.text):
        print(print_.text)
        assert print_.text.startswith(f'node {print_.node}:'), print_
";
    let done = python(script, &board, &dir.path().join("texts.c"));
    let printed = String::from_utf8(done.stdout.clone()).unwrap();
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{done:?}");
}

#[test]
fn sizes_that_nodes_do_not_have_are_rejected() {
    for memory in ["16K", "128K,2K", "16K,64K", "3K,512", "2K,256"] {
        let says =
            "accepted: PROGRAM,DATA, each a power of two, program 2K to 64K and data 512 to 32K";
        refused(2, &["run", "--firmware", "route", "--memory", memory], says);
        refused(2, &["board", "--memory", memory], says);
    }
    refused(2, &["run", "--memory", "4K,1K"], "--firmware");
    refused(2, &["load", "route", "--memory", "4K,1K"], "--image");
}
