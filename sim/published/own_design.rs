//! The tutorial docs/first-design.md: its code is that of examples/own_design, and its commands print
//! what it shows. The example is compiled against the libraries of this test.

use crate::kit::designs::bench_passes;
use crate::kit::icarus_or_verilator;
use crate::support::scratch::Scratch;
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, iter};

const PAGE: &str = include_str!("../../docs/first-design.md");

const EXAMPLE: &str = "examples/own_design";

/// Files of the example.
const FILES: [&str; 6] = [
    ".cargo/config.toml",
    "Cargo.toml",
    "src/lib.rs",
    "src/main.rs",
    "proofs/peak.sv",
    "tests/level_meter.rs",
];

/// Words that name a command whose tools are fetched.
const WITH_TOOLS: [&str; 3] = ["equivalence", "cost", "prove"];

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(EXAMPLE);
    fs::read_to_string(path.join(name)).unwrap()
}

/// Returns the fenced blocks of the page: language and text.
fn fenced() -> Vec<(&'static str, &'static str)> {
    let mut parts = PAGE.split("```");
    parts.next();
    let mut blocks = vec![];
    while let (Some(block), Some(_)) = (parts.next(), parts.next()) {
        blocks.push(block.split_once('\n').unwrap());
    }
    blocks
}

#[test]
fn the_code_of_the_tutorial_is_that_of_the_example() {
    let files = FILES.map(file);
    let code = fenced();
    let code = code.iter().filter(|(language, _)| !["sh", "text"].contains(language));
    let mut shown = 0;
    for (language, text) in code {
        assert!(
            files.iter().any(|file| file.contains(text)),
            "no file of {EXAMPLE} has this {language}:\n{text}"
        );
        shown += 1;
    }
    assert!(shown >= 6, "{shown}");
}

/// Compiled example: the program, and its tests.
struct Example(Scratch);

impl Example {
    fn compile(name: &str) -> Self {
        let scratch = Scratch::new(name);
        for name in FILES {
            scratch.write(name, &file(name));
        }
        let run = |mut rustc: Command| {
            let output = rustc.output().unwrap();
            let printed = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{printed}");
        };
        run(scratch.rustc("level_meter", "rlib", "src/lib.rs"));
        for (name, source, flags) in [
            ("program", "src/main.rs", &[][..]),
            ("test_program", "tests/level_meter.rs", &["--test"]),
        ] {
            let mut rustc = scratch.rustc(name, "bin", source);
            rustc.args(["--extern", "level_meter"]).args(flags);
            run(rustc);
        }
        Example(scratch)
    }

    /// Runs a command line of the page.
    fn run(&self, line: &str) -> Output {
        let (program, arguments) = match line.strip_prefix("cargo run -- ") {
            Some(arguments) => ("program", arguments),
            None => ("test_program", line.strip_prefix("cargo test").unwrap()),
        };
        self.0
            .program(program)
            .current_dir(self.0.dir())
            .args(arguments.split_whitespace())
            .output()
            .unwrap()
    }
}

/// Runs the commands of the page that `selected` accepts. Each line of the block after a command is
/// a line of its output, except for the times of tools.
fn run_commands(example: &Example, selected: impl Fn(&str) -> bool) -> usize {
    let blocks = fenced();
    let next = blocks.iter().skip(1).map(Some).chain(iter::once(None));
    let mut count = 0;
    for ((_, commands), next) in
        blocks.iter().zip(next).filter(|((language, _), _)| *language == "sh")
    {
        let lines = commands.lines().filter(|line| line.starts_with("cargo "));
        for line in lines.filter(|line| selected(line)) {
            let output = example.run(line);
            let printed = without_times(&String::from_utf8_lossy(&output.stdout));
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}\n{printed}{errors}");
            if let Some(("text", shown)) = next {
                for expected in without_times(shown).lines() {
                    let found = printed.lines().any(|line| line.trim_end() == expected);
                    assert!(found, "`{line}` does not print {expected:?}:\n{printed}");
                }
            }
            count += 1;
        }
    }
    count
}

/// Replaces the seconds in tables, which differ from run to run.
fn without_times(text: &str) -> String {
    let cells = text.lines().map(|line| {
        let cells = line.split('|').map(|cell| match cell.trim().strip_suffix(" s") {
            Some(seconds) if seconds.parse::<u32>().is_ok() => " time ",
            _ => cell,
        });
        cells.collect::<Vec<_>>().join("|") + "\n"
    });
    cells.collect()
}

fn needs_tools(line: &str) -> bool {
    WITH_TOOLS.iter().any(|word| line.contains(word))
}

#[test]
fn the_steps_of_the_tutorial_run() {
    let example = Example::compile("own-design");
    assert!(run_commands(&example, |line| !needs_tools(line)) >= 3);
    let unknown = example.run("cargo run -- verilog meter");
    assert_eq!(unknown.status.code(), Some(2));
    let error = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(error.contains("there is no circuit \"meter\"; accepted: level-meter"), "{error}");
}

#[test]
#[ignore = "thorough: proofs, synthesis and a simulation by tools"]
fn the_tools_of_the_tutorial_agree() {
    let example = Example::compile("own-design-tools");
    assert!(run_commands(&example, needs_tools) >= 4);
    run_commands(&example, |line| line.contains("verilog"));
    let dir = example.0.dir().join("level-meter");
    bench_passes("level-meter", &dir, &icarus_or_verilator());
}
