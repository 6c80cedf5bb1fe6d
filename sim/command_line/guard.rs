//! Programs that go wrong on a simulated node, and texts of programs: reports with node, function,
//! source line and calls.

use crate::command_line::program::{refused, with_tools, CallResult};
use std::fs;

const HEAD: &str = "#include \"ctrl.h\"\n#include \"tdma.h\"\n";

/// Runs a program on the 1-cube without data. Its text begins in line 3 of `p.c`.
fn run(text: &str, args: &str) -> CallResult {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("p.c"), format!("{HEAD}{text}")).unwrap();
    let line = format!("run --dims 1 --firmware p.c --data none {args}");
    let done = with_tools(dir.path()).args(line.split_whitespace()).output();
    done.unwrap().into()
}

fn json(done: &CallResult) -> serde_json::Value {
    serde_json::from_str(&done.stdout).unwrap()
}

/// A program whose node 1 does something in a function of its own, in line 5.
fn in_function(statement: &str) -> String {
    format!(
        "__attribute__((noinline)) static uint32_t wrong(volatile uint32_t *at)\n\
         {{\n\
             {statement}\n\
             return *at + 1;\n\
         }}\n\
         int main(void)\n\
         {{\n\
             uint32_t here = tdma_strapped_address();\n\
             tdma_init((uint16_t)here, tdma_strapped_dims());\n\
             if (here == 1)\n\
                 return (int)wrong((volatile uint32_t *)(0x10000000 + here)) != 0;\n\
             return 0;\n\
         }}\n"
    )
}

/// Each wrong access halts the core of its node at once. The report names the function and the
/// line, and the function that called it.
#[test]
#[ignore = "thorough: compiles firmware"]
fn wrong_accesses_are_reported_with_their_line() {
    let cases = [
        ("*(volatile uint32_t *)0x20000000 = *at;", "store outside the memory"),
        ("*(volatile uint32_t *)0x10 = 1;", "store outside the memory"),
        ("(void)*(volatile uint32_t *)0x10000200;", "load outside the memory"),
        ("(void)*(volatile uint32_t *)0x40000080;", "load outside the memory"),
    ];
    for (statement, cause) in cases {
        let done = run(&in_function(&statement.replace("*at;", "3;")), "");
        assert_eq!(done.code, Some(1), "{done:?}");
        for stream in [&done.stdout, &done.stderr] {
            let line = stream.lines().find(|line| line.contains(cause));
            let line = line.unwrap_or_else(|| panic!("{cause}: {done:?}"));
            assert!(line.contains("0x1"), "{line}");
            assert!(line.contains(" in wrong + 0x") && line.contains(" (p.c:5)"), "{line}");
            assert!(line.contains(", called from main + 0x"), "{line}");
        }
    }
    let json = json(&run(&in_function("*(volatile uint32_t *)0x20000000 = 3;"), "--json"));
    let trap = &json["traps"][0];
    assert_eq!((&trap["node"], &trap["cause"]), (&1.into(), &"store outside the memory".into()));
    assert!(trap["function"].as_str().unwrap().ends_with("(p.c:5)"), "{trap}");
    assert!(trap["calls"][0].as_str().unwrap().starts_with("main + 0x"), "{trap}");
}

#[test]
#[ignore = "thorough: compiles firmware"]
fn a_jump_outside_the_program_is_reported_with_its_calls() {
    let jump = "((void (*)(void))(uintptr_t)(0x700 + (uintptr_t)at % 4 * 0))();";
    let done = run(&in_function(jump), "");
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("halted at 0x00000700: jump outside the program"), "{done:?}");
    assert!(done.stdout.contains("called from wrong + 0x"), "{done:?}");
}

/// A recursion that needs more than the stack is reported before it damages the static data.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_stack_overflow_is_reported() {
    let text = "uint32_t kept = 77;\n\
         __attribute__((noinline)) uint32_t deep(volatile uint32_t *above, uint32_t depth)\n\
         {\n\
             volatile uint32_t frame[4] = {depth};\n\
             return depth ? deep(frame, depth - 1) + frame[depth % 4] + *above : 0;\n\
         }\n\
         int main(void)\n\
         {\n\
             tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n\
             uint32_t depth = 0;\n\
             ctrl_recv(&depth, 4);\n\
             return (int)deep(&kept, 40 + depth) & 1;\n\
         }\n";
    let done = run(text, "");
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains(": stack overflow (0x"), "{done:?}");
    assert!(done.stdout.contains(" in deep + 0x"), "{done:?}");
    assert!(done.stdout.contains("called from deep + 0x"), "{done:?}");
    // With more memory the program ends.
    let done = run(text, "--memory 4K,4K");
    assert!(!done.stdout.contains("stack overflow"), "{done:?}");
    assert!(done.stdout.contains("has ended on 2 of 2 nodes"), "{done:?}");
}

/// A program that hangs is reported with the source line.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_program_that_hangs_is_reported_with_its_line() {
    let text = "int main(void)\n\
         {\n\
             tdma_init(tdma_strapped_address(), tdma_strapped_dims());\n\
             for (volatile uint32_t i = 0;; i++)\n\
                 ;\n\
         }\n";
    let done = run(text, "--superframes 3");
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("  main + 0x"), "{done:?}");
    assert!(done.stdout.contains(" (p.c:6)"), "{done:?}");
    let done = run(text, "--superframes 3 --profile");
    let (_, lines) = done.stdout.split_once("awake time by source line").unwrap();
    let first = lines.lines().nth(1).unwrap();
    assert!(first.contains("%  main ") && first.contains("  p.c:"), "{first}");
    let json = json(&run(text, "--superframes 3 --json"));
    assert_eq!(json["programs"]["whereabouts"][1]["line"], "p.c:6");
}

/// Texts are formatted by the host, shown with node and phase, and do not count as values.
#[test]
#[ignore = "thorough: compiles firmware"]
fn programs_print_texts() {
    let text = "int main(void)\n\
         {\n\
             uint32_t here = tdma_strapped_address();\n\
             tdma_init((uint16_t)here, tdma_strapped_dims());\n\
             ctrl_print(\"hello\\n\");\n\
             ctrl_print(\"node %u: x = %d, y = %.2f, %04x\\n\", here, -5, 1.5f * (float)here, 0xABu);\n\
             ctrl_send(&here, sizeof here);\n\
             return 0;\n\
         }\n";
    let done = run(text, "--memory 8K,1K --node 1");
    assert_eq!(done.code, Some(0), "{done:?}");
    let line = ": node 1: x = -5, y = 1.50, 00ab\n";
    assert!(done.stderr.contains("node 0x1, phase ") && done.stderr.contains(line), "{done:?}");
    assert!(!done.stderr.contains("node 0x0, phase "), "{done:?}");
    assert!(done.stdout.contains("\n0x0        0  0\n0x1        0  1\n"), "{done:?}");
    let done = run(text, "--memory 8K,1K --json");
    let programs = &json(&done)["programs"];
    let prints = programs["prints"].as_array().unwrap();
    let of = |node: u64| -> Vec<&str> {
        let prints = prints.iter().filter(|print| print["node"] == node);
        prints.map(|print| print["text"].as_str().unwrap()).collect()
    };
    assert_eq!(of(0), ["hello", "node 0: x = -5, y = 0.00, 00ab"]);
    assert_eq!(of(1), ["hello", "node 1: x = -5, y = 1.50, 00ab"]);
    assert_eq!(programs["nodes"][1]["values"], serde_json::json!([1]));
    refused(2, &["run", "--firmware", "route", "--node", "1"], "--data");
    let args =
        ["run", "--dims", "1", "--firmware", "parallel_sum", "--data", "none", "--node", "9"];
    refused(2, &args, "9 (0x9) is outside the 1-cube");
}
