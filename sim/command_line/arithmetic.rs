//! Multiplication and division on nodes, in software and with `--multiply`.

use super::data::json;
use super::program::{refused, with_tools, CallResult};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Takes pairs of words, and returns the upper and lower word of their products, with signs and
/// without, the quotients and the remainders. Division by zero and the overflow have the results of
/// the instructions, because the compiler cannot know the operands.
const PAIRS: &str = r#"
#include "ctrl.h"
#include "tdma.h"

static void put(uint32_t word)
{
    ctrl_send(&word, sizeof word);
}

int main(void)
{
    tdma_init(tdma_strapped_address(), tdma_strapped_dims());
    uint32_t a, b;
    while (ctrl_wait(&a, sizeof a) && ctrl_wait(&b, sizeof b)) {
        uint64_t plain = (uint64_t)a * b;
        int64_t signs = (int64_t)(int32_t)a * (int32_t)b;
        put(plain);
        put(plain >> 32);
        put(signs >> 32);
        if (b == 0)
            continue;
        put(a / b);
        put(a % b);
        if (a == 0x80000000u && b == 0xFFFFFFFFu)
            continue;
        put((int32_t)a / (int32_t)b);
        put((int32_t)a % (int32_t)b);
    }
    return 0;
}
"#;

/// Operands, the edges of words among them.
const EDGES: [u32; 7] = [0, 1, 7, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFF9, 0xFFFF_FFFF];

fn operands() -> Vec<[u32; 2]> {
    let edges = EDGES.iter().flat_map(|a| EDGES.map(|b| [*a, b]));
    let mut state = 12_345u32;
    let mut word = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state ^ state >> 13
    };
    let random: Vec<[u32; 2]> = (0..23).map(|i| [word() >> i, word() >> (22 - i)]).collect();
    edges.chain(random).collect()
}

/// Words that the program returns for a pair.
fn expected([a, b]: [u32; 2]) -> Vec<u32> {
    let plain = u64::from(a) * u64::from(b);
    let signs = i64::from(a as i32) * i64::from(b as i32);
    let mut words = vec![plain as u32, (plain >> 32) as u32, (signs >> 32) as u32];
    if let Some(quotient) = a.checked_div(b) {
        words.extend([quotient, a % b]);
    }
    if let (Some(quotient), Some(remainder)) =
        ((a as i32).checked_div(b as i32), (a as i32).checked_rem(b as i32))
    {
        words.extend([quotient as u32, remainder as u32]);
    }
    words
}

fn run(dir: &Path, args: &str) -> CallResult {
    let line = format!("run --dims 2 --firmware pairs.c --data pairs.csv --memory 4K,512 {args}");
    let done = with_tools(dir).args(line.split_whitespace()).output();
    done.unwrap().into()
}

/// Software, and the instructions in three engines, compute what Rust computes.
#[test]
#[ignore = "thorough: compiles firmware, and Verilator compiles a machine"]
fn products_and_quotients_are_those_of_rust() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("pairs.c"), PAIRS).unwrap();
    let pairs = operands();
    let lines = pairs.chunks(18).enumerate().map(|(node, pairs)| {
        let words: Vec<String> = pairs.iter().flatten().map(u32::to_string).collect();
        format!("{node},{}\n", words.join(","))
    });
    fs::write(dir.path().join("pairs.csv"), lines.collect::<String>()).unwrap();
    let mut clocks = vec![];
    for args in ["", "--multiply", "--multiply --engine evaluator", "--multiply --engine verilator"]
    {
        let done = run(dir.path(), &format!("{args} --json"));
        assert_eq!(done.code, Some(0), "{args}: {done:?}");
        let result = json(&done);
        for (node, pairs) in pairs.chunks(18).enumerate() {
            let words: Vec<u32> = pairs.iter().flat_map(|pair| expected(*pair)).collect();
            let values = result["programs"]["nodes"][node]["values"].as_array().unwrap();
            let values: Vec<u32> = values.iter().map(|v| v.as_i64().unwrap() as u32).collect();
            assert_eq!(values, words, "{args}: node {node}");
        }
        clocks.push(result["clock_cycles"].as_u64().unwrap());
    }
    assert!(clocks[1] < clocks[0], "{clocks:?}");
    assert!(clocks[2..].iter().all(|other| *other == clocks[1]), "{clocks:?}");
    // The trace shows the instructions. The compiler computes a remainder from the quotient.
    let done = run(dir.path(), "--multiply --instructions 0");
    for name in ["mul", "mulhu", "mulh", "div", "divu"] {
        let line = format!("  {name} ");
        assert!(done.stdout.contains(&line), "{name}");
    }
}

/// The table of docs/programs.md is what `examples/arithmetic.c` prints.
#[test]
#[ignore = "thorough: compiles firmware"]
fn the_documented_costs_are_those_of_the_example() {
    let page = include_str!("../../docs/programs.md");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    let costs = ["", "--multiply"].map(|args| -> Vec<(String, String)> {
        let file = root.join("examples/arithmetic.c");
        let line = "--dims 1 --data none --memory 16K,1K --node 0 --json";
        let mut command = with_tools(dir.path());
        command.args(["run", "--firmware"]).arg(file);
        command.args(line.split(' ')).args(args.split_whitespace());
        let result: Value = json(&command.output().unwrap().into());
        let prints = result["programs"]["prints"].as_array().unwrap();
        let of_node_0 = prints.iter().filter(|print| print["node"] == 0);
        let texts = of_node_0.map(|print| print["text"].as_str().unwrap());
        texts
            .map(|text| {
                let (name, clocks) = text.split_once(": ").unwrap();
                (name.to_owned(), clocks.to_owned())
            })
            .collect()
    });
    assert_eq!(costs[0].len(), 9, "{costs:?}");
    for ((name, soft), (_, hard)) in costs[0].iter().zip(&costs[1]) {
        let row = format!("| {name} | {soft} | {hard} |");
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn multiplication_is_for_programs_of_the_user() {
    refused(
        2,
        &["run", "--firmware", "route", "--multiply"],
        "--multiply: the programs of the project are distributed in compiled form, without these \
         instructions; accepted: a C, C++, StarC or ELF file",
    );
    refused(2, &["run", "--multiply"], "--firmware <PROGRAM>");
    let run = ["run", "--firmware", "own.c", "--engine", "reference"];
    for (core, says) in [
        (&["--multiply"][..], "--multiply replaces the core in the netlist of the node"),
        (&["--core", "own.v"], "--core replaces the core in the netlist of the node"),
    ] {
        refused(2, &[&run, core].concat(), says);
    }
}
