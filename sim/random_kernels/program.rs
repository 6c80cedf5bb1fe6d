//! The program that runs the kernels: its files and its output.

use crate::random_kernels::kernel::Kernel;
use crate::support::scratch::{run_all, Scratch};
use std::env;
use std::fmt::Write;
use std::process::{Command, Output};
use std::time::Instant;

const RUNNER: &str = include_str!("runner.rs");

/// Number of programs over which the kernels are distributed. They are compiled in parallel, and
/// more of them need less memory each.
const PARTS: usize = 8;

pub struct KernelPrograms {
    scratch: Scratch,
    parts: Vec<String>,
}

/// Result of a circuit.
pub struct KernelOutcome {
    /// The module of the kernel, followed by a dot and `N` if it has one.
    pub kernel: String,
    /// The number of outputs and of changed outputs, or the error.
    pub outcome: Result<(usize, usize), String>,
}

impl KernelOutcome {
    pub fn module(&self) -> &str {
        self.kernel.split('.').next().unwrap_or_default()
    }
}

impl KernelPrograms {
    pub fn write<'a>(kernels: impl Iterator<Item = &'a Kernel>) -> Self {
        let scratch = Scratch::new("random-kernels");
        scratch.write("runner.rs", RUNNER);
        let mut modules = vec![String::new(); PARTS];
        let mut calls = vec![String::new(); PARTS];
        for (i, kernel) in kernels.enumerate() {
            let (part, name) = (i % PARTS, &kernel.name);
            scratch.write(&format!("{name}.rs"), &kernel.source);
            writeln!(modules[part], "mod {name};").expect("text");
            for top in &kernel.tops {
                let n = top.trim_start_matches("Top").trim_matches(['<', '>']);
                let dot = if n.is_empty() { "" } else { "." };
                writeln!(calls[part], "    runner.run::<{name}::{top}>(\"{name}{dot}{n}\");")
                    .expect("text");
            }
        }
        let mut parts = vec![];
        for (part, (modules, calls)) in modules.iter().zip(&calls).enumerate() {
            let name = format!("kernels_{part}");
            let text = format!(
                "#![allow(warnings)]\n\n{modules}\n\
                 fn main() -> std::process::ExitCode {{\n    \
                 let mut runner = runner::KernelRunner::from_args();\n\
                 {calls}    runner.finish()\n}}\n"
            );
            scratch.write(&format!("{name}.rs"), &text);
            parts.push(name);
        }
        KernelPrograms { scratch, parts }
    }

    /// Compiles the programs and runs them in parallel. `PHASECUBE_KERNELS_OUT` names a folder for
    /// the Verilog and the traces of the kernels.
    ///
    /// # Panics
    /// If one does not compile or ends in another way than with a failure.
    pub fn run(&self) -> Vec<KernelOutcome> {
        let started = Instant::now();
        let scratch = &self.scratch;
        compile([scratch.rustc("runner", "rlib", "runner.rs")]);
        compile(self.parts.iter().map(|part| {
            let mut rustc = scratch.rustc(part, "bin", &format!("{part}.rs"));
            rustc.args(["--extern", "runner"]);
            rustc
        }));
        println!("compiled in {:?}", started.elapsed());
        let started = Instant::now();
        let outputs = run_all(self.parts.iter().map(|part| {
            let mut program = scratch.program(part);
            program.args(env::var_os("PHASECUBE_KERNELS_OUT"));
            program
        }));
        println!("run in {:?}", started.elapsed());
        outputs.iter().flat_map(outcomes).collect()
    }
}

fn compile(commands: impl IntoIterator<Item = Command>) {
    for output in run_all(commands) {
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "it does not compile:\n{printed}");
    }
}

fn outcomes(output: &Output) -> Vec<KernelOutcome> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "a program of kernels ended with {}:\n{text}",
        output.status
    );
    text.lines().map(outcome).collect()
}

fn outcome(line: &str) -> KernelOutcome {
    if let Some((kernel, what)) = line.strip_prefix("FAIL ").and_then(|l| l.split_once(": ")) {
        return KernelOutcome { kernel: kernel.into(), outcome: Err(what.into()) };
    }
    let parts: Vec<&str> = line.split(' ').collect();
    let ["ok", kernel, outputs, alive] = parts[..] else {
        panic!("not a result: {line}");
    };
    let number = |text: &str| text.parse().expect("the runner prints numbers");
    KernelOutcome { kernel: kernel.into(), outcome: Ok((number(outputs), number(alive))) }
}
