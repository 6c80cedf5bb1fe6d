//! Verilator and yosys report nothing in published Verilog except the warnings listed in
//! `LINT_EXCEPTIONS`, and every listed exception is needed. slang reports nothing in any published
//! directory.

use hdl::lower::{lower, LowerErrors};
use hdl::prelude::*;
use hdl::verilog::{publish, VerilogFiles, LINT_EXCEPTIONS};
use lockstep::design::Design;
use phasecube::kit::{kit, pin_mux, publication};
use phasecube::machine::catalog::CatalogEntry;
use phasecube::toolchain::{ToolError, Toolchain};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

static TOOLS: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::open().unwrap());

fn work_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/lint"))
}

fn published(design: &Design) -> VerilogFiles {
    publish(design, &publication()).verilog
}

/// All designs of the catalogue and all published blocks, without duplicate texts.
static DESIGNS: LazyLock<Vec<(String, VerilogFiles)>> = LazyLock::new(designs);

fn designs() -> Vec<(String, VerilogFiles)> {
    let mut designs = vec![];
    let mut add = |name: String, design: Result<Design, LowerErrors>| {
        let verilog = published(&design.unwrap_or_else(|e| panic!("{name}: {e}")));
        if designs.iter().all(|(_, known)| *known != verilog) {
            designs.push((name, verilog));
        }
    };
    for entry in CatalogEntry::published() {
        // The smallest and the largest, and some between them.
        let ends = [entry.dims.first(), entry.dims.last()].into_iter().flatten();
        let some: BTreeSet<&u32> = [1, 4, 6, 12, 16].iter().chain(ends).collect();
        let dims = entry.dims.iter().filter(|dims| some.contains(dims));
        for dims in dims {
            add(format!("{} --dims {dims}", entry.name), entry.design(*dims));
        }
        if entry.dims.is_empty() {
            add(entry.name.into(), entry.design(entry.default_dims));
        }
    }
    designs
}

/// Unused signals are not exempt, although many blocks contain some.
#[test]
fn unused_signals_are_no_exception() {
    assert!(!exceptions().contains(&"UNUSEDSIGNAL"));
    let with_sink =
        |verilog: &VerilogFiles| verilog.to_string().contains("    wire unused = &{1'b0");
    assert!(DESIGNS.iter().filter(|(_, v)| with_sink(v)).count() > 5);
}

fn exceptions() -> Vec<&'static str> {
    LINT_EXCEPTIONS.iter().map(|(name, _)| *name).collect()
}

fn lint(verilog: &VerilogFiles, allowed: &[&str]) -> Result<(), ToolError> {
    TOOLS.lint(&verilog.to_string(), verilog.top(), allowed, work_dir())
}

fn check(verilog: &str) -> Result<(), ToolError> {
    TOOLS.check(&[(verilog, "t")], work_dir())
}

#[test]
#[ignore = "thorough: lints all designs"]
fn verilator_finds_only_what_is_excepted() {
    DESIGNS.par_iter().for_each(|(name, verilog)| {
        let found = lint(verilog, &exceptions());
        found.unwrap_or_else(|e| panic!("{name}: {e}"));
    });
}

/// Each exception is needed: without it, some design or the block of oddities causes that warning.
#[test]
#[ignore = "thorough: lints all designs"]
fn every_exception_is_needed() {
    let oddities = published(&lower(&Oddities::default()).unwrap());
    for exception in exceptions() {
        let others: Vec<&str> = exceptions().into_iter().filter(|n| *n != exception).collect();
        let warning = format!("Warning-{exception}:");
        let designs = DESIGNS.iter().map(|(_, verilog)| verilog);
        let mut all = std::iter::once(&oddities).chain(designs);
        let needed = all.any(|verilog| match lint(verilog, &others) {
            Ok(()) => false,
            Err(ToolError::Lint { findings, .. }) => findings.contains(&warning),
            Err(error) => panic!("{error}"),
        });
        assert!(needed, "nothing needs the lint exception {exception}: take it off the list");
    }
}

#[test]
#[ignore = "thorough: lints all designs"]
fn yosys_finds_nothing() {
    let texts = DESIGNS.iter().map(|(_, v)| (v.to_string(), v.top()));
    let texts: Vec<(String, &str)> = texts.collect();
    let sources: Vec<_> = texts.iter().map(|(text, top)| (&**text, *top)).collect();
    TOOLS.check(&sources, work_dir()).unwrap_or_else(|e| panic!("{e}"));
}

/// Returns the directory of a design in the catalogue.
fn directory(entry: &CatalogEntry, dims: u32) -> Vec<(String, String)> {
    match entry.name {
        pin_mux::DESIGN => {
            let files = pin_mux::files(dims).into_iter();
            files.map(|file| (file.name, file.text)).collect()
        }
        _ => kit(&publish(&entry.design(dims).unwrap(), &publication())).unwrap(),
    }
}

/// Checks every name that `verilog --list` prints. Modules and bench are compiled together, as a
/// user of the directory does.
#[test]
#[ignore = "thorough: needs slang, and makes the bench of every design"]
fn slang_finds_nothing() {
    let designs = CatalogEntry::published().flat_map(|entry| {
        let ends = [entry.dims.first(), Some(&entry.default_dims)];
        let ends: BTreeSet<u32> = ends.into_iter().flatten().copied().collect();
        ends.into_iter().map(move |dims| {
            let name = format!("{} --dims {dims}", entry.name);
            (name, directory(entry, dims))
        })
    });
    let all: Vec<_> = designs.collect();
    all.par_iter().for_each(|(name, files)| {
        let sources = files.iter().filter(|(file, _)| file.ends_with(".v"));
        let sources: Vec<_> = sources.cloned().collect();
        assert!(sources.len() >= 2, "{name}: modules and bench");
        let found = TOOLS.slang_lint(name, &sources, work_dir());
        found.unwrap_or_else(|e| panic!("{name}: {e}"));
    });
}

/// slang detects both faults for which it was added, and a warning.
#[test]
#[ignore = "thorough: needs slang"]
fn slang_finds_faults() {
    let module =
        |name: &str, body: &str| format!("module {name}(input a, output q);\n{body}\nendmodule\n");
    let lint = |texts: &[(&str, String)]| {
        let files: Vec<_> = texts.iter().map(|(n, t)| (format!("{n}.v"), t.clone())).collect();
        TOOLS.slang_lint("t", &files, work_dir())
    };
    let good = module("t", "wire w = a;\nassign q = w;");
    lint(&[("t", good.clone())]).unwrap();
    let timed = format!("`timescale 1ns / 1ps\n{}", module("u", "assign q = a;"));
    for (texts, word) in [
        (vec![("t", module("t", "assign q = w;\nwire w = a;"))], "before its declaration"),
        (vec![("t", good.clone()), ("u", timed.clone())], "time scale"),
        (vec![("t", module("t", "wire [1:0] w = 2'd9;\nassign q = w[0];"))], "too large"),
    ] {
        match lint(&texts) {
            Err(ToolError::Lint { findings, .. }) => {
                assert!(findings.contains(word), "{findings}");
            }
            other => panic!("{word}: {other:?}"),
        }
    }
}

/// The checks detect each of these faults.
#[test]
#[ignore = "thorough: lints all designs"]
fn faults_are_found() {
    let module =
        |body: &str| format!("module t(input a, input b, output reg q);\n{body}\nendmodule\n");
    check(&module("always @* q = a & b;")).unwrap();
    for (body, word) in [
        ("always @* if (a) q = b;", "selection is not empty"),
        ("wire w; always @* q = w;", "used but has no driver"),
        ("wire w; assign w = a; assign w = b; always @* q = w;", "multiple conflicting drivers"),
        ("wire w; assign w = w ^ a; always @* q = w;", "logic loop"),
        ("u u(a); always @* q = b;", "u"),
    ] {
        let good = module("always @* q = a;").replace("module t(", "module good(");
        let sources = [(&*good, "good"), (&*module(body), "t"), (&*good, "good")];
        match TOOLS.check(&sources, work_dir()) {
            Err(ToolError::Lint { findings, top }) => {
                assert!(findings.contains(word), "{body}: {findings}");
                assert_eq!(top, "t", "{body}");
            }
            other => panic!("{body}: {other:?}"),
        }
    }
    let wide = module("wire [3:0] w = {4{a}}; always @* q = w + b;");
    let found = TOOLS.lint(&wide, "t", &[], work_dir()).unwrap_err().to_string();
    assert!(found.contains("Warning-WIDTH"), "{found}");
}

/// Compares a word with bounds that contain all words.
#[derive(LogicBlock, Circuit, Default)]
pub struct Oddities {
    word: Signal<In, Bits<6>>,
    high_enough: Signal<Out, Bit>,
    low_enough: Signal<Out, Bit>,
    least: Signal<Local, Bits<6>>,
    greatest: Signal<Local, Bits<6>>,
}

impl Logic for Oddities {
    #[kernel]
    fn update(&mut self) {
        self.least.next = 0.into();
        self.greatest.next = 63.into();
        self.high_enough.next = self.word.val() >= self.least.val();
        self.low_enough.next = self.word.val() <= self.greatest.val();
    }
}
