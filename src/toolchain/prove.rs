//! Proofs about Verilog: sby, yosys, yosys-smtbmc and Yices.
//!
//! Findings are kept in the work folder under a digest of circuit, property, method and tool versions; the
//! tools are deterministic, so asking again costs nothing.

use super::digest::Digest;
use super::error::{At, Result, ToolError};
use super::exec;
use super::handle::ToolHandle;
use super::once;
use super::synth::missing;
use super::Toolchain;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How far a proof goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// For all time, by induction over so many clock cycles.
    Induction(u32),
    /// For the first so many clock cycles after the start.
    Depth(u32),
}

/// `induction 1` or `depth 40`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Induction(cycles) => write!(f, "induction {cycles}"),
            Method::Depth(cycles) => write!(f, "depth {cycles}"),
        }
    }
}

/// What is to be proved.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// What it is called in messages and file names: lower case letters, digits and dashes.
    pub name: &'a str,
    /// The circuit, in Verilog; empty if the property has all that it speaks of.
    pub circuit: &'a str,
    /// The name of the property's file, for messages.
    pub file: &'a str,
    /// A module `proof` with what is assumed and asserted of the circuit, in the SystemVerilog that
    /// yosys reads. A line `(* of = "dut.count" *) wire [3:0] count;` declares a wire that is the signal
    /// `count` of the instance `dut`, however deep it lies. `dut.words[0:63]` are the words 0 to 63 of the
    /// memory `dut.words`, the first one lowest; `dut.row_{0:6}` the signals `dut.row_0` to `dut.row_6`. The
    /// last number may be a macro: `{0:LAST}`, `[0:LAST]`.
    pub property: &'a str,
    /// Macros that the property is read with.
    pub defines: &'a [(&'a str, u64)],
    /// How far the proof goes.
    pub method: Method,
}

/// What came of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finding {
    /// It holds, as far as the method goes.
    Holds,
    /// It does not hold.
    Fails {
        /// What is asserted there: its place in the property's file, with its label if it has one.
        assertion: String,
        /// The clock cycle in which it is wrong, counted from the start.
        clock_cycle: u32,
        /// The shortest way there that the tools found, as a waveform (VCD).
        wave: PathBuf,
    },
    /// It holds from the start on for as many clock cycles as the induction has, but the induction has a gap.
    Open {
        /// A run of clock cycles that the induction does not exclude, which need not be one that can
        /// be reached, as a waveform (VCD).
        wave: PathBuf,
    },
}

/// A finding, and what it took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    pub finding: Finding,
    /// Seconds that the tools took when they were asked.
    pub seconds: f64,
}

const JOB: &str = "job.sby";
const CIRCUIT: &str = "circuit.v";
const FINDING: &str = "finding.json";
const LOG: &str = "sby.log";
/// The folder that sby makes.
const WORK: &str = "work";

impl Toolchain {
    /// The tools that proofs are made with, version and origin.
    ///
    /// # Errors
    /// If one cannot be had.
    pub fn provers(&self) -> Result<Vec<String>> {
        let tools = [
            self.sby()?,
            self.yosys()?,
            self.yosys_smtbmc()?,
            self.yices()?,
        ];
        Ok(tools.iter().map(ToString::to_string).collect())
    }

    /// Proves a statement, or recalls what was found before in `work_dir`.
    ///
    /// # Errors
    /// If a tool is missing, or cannot read circuit or property.
    pub fn prove(&self, statement: &Statement, work_dir: &Path) -> Result<Proof> {
        check_name(statement.name)?;
        let tools = self.provers()?;
        let job = job(statement);
        let mut digest = Digest::of([statement.circuit, statement.property, &job]);
        digest.add(format!("{tools:?}"));
        let dir = work_dir.join(format!("{}-{}", statement.name, digest.short()));
        once::ensure(&dir, statement.name, |partial| {
            self.ask(statement, &job, partial)
        })?;
        let path = dir.join(FINDING);
        let bytes = fs::read(&path).at("read", &path)?;
        let mut proof: Proof = serde_json::from_slice(&bytes)
            .map_err(|_| missing(&path, "whole finding (remove the folder)", "phasecube"))?;
        match &mut proof.finding {
            Finding::Holds => {}
            Finding::Fails { wave, .. } | Finding::Open { wave } => *wave = dir.join(&wave),
        }
        Ok(proof)
    }

    /// Asks the tools in an empty folder, and writes down there what they found; waves are
    /// named as in that folder.
    fn ask(&self, statement: &Statement, job: &str, dir: &Path) -> Result<()> {
        for (name, text) in [
            (CIRCUIT, statement.circuit),
            (statement.file, statement.property),
            (JOB, job),
        ] {
            let path = dir.join(name);
            fs::write(&path, text).at("write", &path)?;
        }
        let (sby, yices) = (self.sby()?, self.yices()?);
        let (yosys, smtbmc) = (self.yosys()?, self.yosys_smtbmc()?);
        let mut command = sby.command();
        command
            .args(["--yosys", &yosys.shell_words()])
            .args(["--smtbmc", &smtbmc.shell_words()])
            .args(["-d", WORK, JOB])
            .current_dir(dir)
            // yosys-smtbmc looks for its solver there.
            .env("PATH", path_with(&yices)?);
        let began = Instant::now();
        let run = exec::logged(&mut command, &sby.to_string(), &dir.join(LOG));
        let seconds = began.elapsed().as_secs_f64();
        let status = fs::read_to_string(dir.join(WORK).join("status")).unwrap_or_default();
        let log = fs::read_to_string(dir.join(LOG)).unwrap_or_default();
        let finding = match (status.split_whitespace().next(), run) {
            (Some("PASS"), Ok(_)) => Finding::Holds,
            (Some("FAIL"), _) => {
                let (assertion, clock_cycle) = failed_assertion(&log)
                    .ok_or_else(|| missing(&dir.join(LOG), "failed assertion", &sby))?;
                Finding::Fails {
                    assertion,
                    clock_cycle,
                    wave: wave(dir, "trace")?,
                }
            }
            (Some("UNKNOWN"), _) => Finding::Open {
                wave: wave(dir, "trace_induct")?,
            },
            (_, Err(error)) => return Err(error),
            (_, Ok(_)) => return Err(missing(&dir.join(LOG), "verdict", &sby)),
        };
        let path = dir.join(FINDING);
        let proof = Proof { finding, seconds };
        let text = serde_json::to_string_pretty(&proof);
        let text = text.map_err(|e| ToolError::Bad(format!("{}: {e}", statement.name)))?;
        fs::write(&path, text).at("write", &path)
    }
}

/// What sby is told.
fn job(statement: &Statement) -> String {
    let (mode, depth) = match statement.method {
        Method::Induction(cycles) => ("prove", cycles),
        Method::Depth(cycles) => ("bmc", cycles),
    };
    let defines = statement.defines;
    let macros = defines.iter().map(|(name, n)| format!(" -D{name}={n}"));
    let macros: String = macros.collect();
    let file = statement.file;
    // The driver of a wire that is declared stays; the wire has none of its own.
    let inner: Vec<(&str, &str)> = inner_signals(statement.property).collect();
    // A word of a memory is a signal only when the memory is taken apart.
    let apart = match inner.iter().any(|(_, of)| words(of, defines).is_some()) {
        true => "memory_collect\nmemory_map\n",
        false => "",
    };
    let inner = inner.iter().map(|(wire, of)| {
        let list = words(of, defines).or_else(|| numbered(of, defines));
        let of = list.as_deref().unwrap_or(of);
        format!("connect -nounset -set {wire} {of}\n")
    });
    let inner: String = inner.collect();
    format!(
        "[options]\n\
         mode {mode}\n\
         depth {depth}\n\
         [engines]\n\
         smtbmc yices\n\
         [script]\n\
         read_verilog -formal -sv{macros} {CIRCUIT} {file}\n\
         hierarchy -check -top proof\n\
         proc\n\
         flatten\n\
         {apart}{inner}\
         prep -top proof\n\
         check -assert\n\
         [files]\n\
         {CIRCUIT}\n\
         {file}\n"
    )
}

/// The wires that a property declares for signals in the circuit: (wire, signal).
fn inner_signals(property: &str) -> impl Iterator<Item = (&str, &str)> {
    property.lines().filter_map(|line| {
        let (of, wire) = line
            .trim()
            .strip_prefix("(* of = \"")?
            .split_once("\" *) wire")?;
        let wire = wire.rsplit(' ').next()?.strip_suffix(';')?;
        Some((wire, of))
    })
}

/// The words of a memory, the last one first as yosys wants it: of `dut.m[0:1]` `dut.m[1],dut.m[0]`.
fn words(of: &str, defines: &[(&str, u64)]) -> Option<String> {
    let (memory, end) = of.strip_suffix(']')?.split_once("[0:")?;
    let words = (0..=last(end, defines)?).rev();
    let words: Vec<String> = words.map(|i| format!("{memory}[{i}]")).collect();
    Some(words.join(","))
}

/// Signals with numbers, the last one first: of `dut.row_{0:1}` `dut.row_1,dut.row_0`.
fn numbered(of: &str, defines: &[(&str, u64)]) -> Option<String> {
    let (name, end) = of.strip_suffix('}')?.split_once("{0:")?;
    let signals = (0..=last(end, defines)?).rev();
    let signals: Vec<String> = signals.map(|i| format!("{name}{i}")).collect();
    Some(signals.join(","))
}

/// A number, or the name of a macro that is one.
fn last(text: &str, defines: &[(&str, u64)]) -> Option<u64> {
    let macro_ = || defines.iter().find(|(name, _)| *name == text);
    text.parse().ok().or_else(|| macro_().map(|(_, n)| *n))
}

/// The search path with the tool's folder in front.
fn path_with(tool: &ToolHandle) -> Result<std::ffi::OsString> {
    let folder = std::path::absolute(tool.folder()).at("find", tool.folder())?;
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder).chain(std::env::split_paths(&before));
    std::env::join_paths(folders)
        .map_err(|_| ToolError::Bad("PATH has a folder with a colon in its name".into()))
}

/// The assertion that sby names first below the counter-example's line of its summary, and the last clock
/// cycle that it looked at: `failed assertion proof.one_hot at pin_mux.sv:40.9-40.60`, where what has no
/// label is called `_witness_` something.
fn failed_assertion(log: &str) -> Option<(String, u32)> {
    let steps = log.lines().filter_map(|line| {
        let (_, step) = line.split_once("Checking assertions in step ")?;
        step.trim_end_matches('.').parse().ok()
    });
    let clock_cycle = steps.max()?;
    let mut lines = log.lines();
    lines.find(|line| line.contains("counterexample trace") && !line.contains("[induction]"))?;
    let (_, said) = lines.next()?.split_once("failed assertion ")?;
    let (name, place) = said.split_once(" at ")?;
    let place = place.split_whitespace().next()?;
    // Of `file.sv:40.9-40.60` the line is enough.
    let place: Vec<&str> = place.split('.').take(2).collect();
    let place = place.join(".");
    let name = name.trim_start_matches("proof.");
    let assertion = match name.contains("_witness_") {
        true => place,
        false => format!("{name} ({place})"),
    };
    Some((assertion, clock_cycle))
}

/// A wave that must be there.
fn wave(dir: &Path, name: &str) -> Result<PathBuf> {
    let wave = PathBuf::from(WORK).join(format!("engine_0/{name}.vcd"));
    match dir.join(&wave).is_file() {
        true => Ok(wave),
        false => Err(missing(&dir.join(LOG), "waveform", "sby")),
    }
}

/// Names go into file names.
fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.is_empty() && name.chars().all(plain) {
        return Ok(());
    }
    Err(ToolError::Bad(format!(
        "{name:?} is no name for a proof: use lower case letters, digits and dashes"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: what could lead out of the work folder is refused as a name.
    #[test]
    fn names() {
        assert!(check_name("pin-mux-4").is_ok());
        for bad in ["", "a b", "../x", "A"] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    // Claim: wires of inner signals are found, with or without a width; nothing else is taken for one.
    #[test]
    fn inner_signals_are_found() {
        let property = "    (* of = \"dut.a.b\" *) wire [3:0] b;\n\
                        (* of = \"dut.c\" *) wire c;\n\
                        (* anyconst *) wire [1:0] d;\n";
        let found: Vec<_> = inner_signals(property).collect();
        assert_eq!(found, [("b", "dut.a.b"), ("c", "dut.c")]);
    }

    // Claim: words of a memory and numbered signals go up to a number, or to what a macro says, from the last
    // one on; nothing else is a list.
    #[test]
    fn lists() {
        let defines = [("LAST", 2)];
        for of in ["dut.m[0:2]", "dut.m[0:LAST]"] {
            let found = words(of, &defines);
            assert_eq!(found.as_deref(), Some("dut.m[2],dut.m[1],dut.m[0]"), "{of}");
        }
        for of in ["dut.a_{0:2}", "dut.a_{0:LAST}"] {
            let found = numbered(of, &defines);
            assert_eq!(found.as_deref(), Some("dut.a_2,dut.a_1,dut.a_0"), "{of}");
        }
        for other in ["dut.m", "dut.m[2]", "dut.m[0:x]", "dut.m{0:ROWS}"] {
            assert_eq!(words(other, &defines), None, "{other}");
            assert_eq!(numbered(other, &defines), None, "{other}");
        }
    }

    // Claim: the assertion that fails is told by its label, or by its place.
    #[test]
    fn assertions_are_named() {
        let log = "basecase: ##   0:00:00  Checking assertions in step 6..\n\
                   basecase: ##   0:00:00  Checking assertions in step 7..\n\
                   summary: counterexample trace [induction]: work/engine_0/trace_induct.vcd\n\
                   summary:   failed assertion proof.x at a.sv:9.1-9.8\n\
                   summary: counterexample trace [basecase]: work/engine_0/trace.vcd\n\
                   summary:   failed assertion proof.one_hot at a.sv:43.13-43.82 step 7\n";
        let expected = ("one_hot (a.sv:43)".to_owned(), 7);
        assert_eq!(failed_assertion(log), Some(expected));
        let log = "##   0:00:00  Checking assertions in step 0..\n\
                   summary: counterexample trace: work/engine_0/trace.vcd\n\
                   summary:   failed assertion proof._witness_.check_2 at a.sv:4.13-4.82\n";
        assert_eq!(failed_assertion(log), Some(("a.sv:4".to_owned(), 0)));
        assert_eq!(failed_assertion("DONE (PASS, rc=0)"), None);
    }
}
