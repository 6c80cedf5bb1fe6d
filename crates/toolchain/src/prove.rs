//! Proofs about Verilog: yosys, yosys-smtbmc and Bitwuzla.
//!
//! Findings are kept in the work folder under a digest of circuit, property, method and tool
//! versions. The tools are deterministic, so a repeated request costs nothing.

use super::cache::{self, Digest};
use super::command::ToolHandle;
use super::error::{IoContext, Result, ToolError};
use super::synth::missing_value;
use super::Toolchain;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fmt, fs};

/// Extent of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofMethod {
    /// For all time, by induction over this number of clock cycles.
    Induction(u32),
    /// For this number of clock cycles after the start.
    Depth(u32),
}

/// `induction 1` or `depth 40`.
impl fmt::Display for ProofMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofMethod::Induction(cycles) => write!(f, "induction {cycles}"),
            ProofMethod::Depth(cycles) => write!(f, "depth {cycles}"),
        }
    }
}

/// Statement to prove.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// Name in messages and file names: lower-case letters, digits and dashes.
    pub name: &'a str,
    /// Circuit in Verilog. Empty if the property contains everything.
    pub circuit: &'a str,
    /// File name of the property, for messages.
    pub file: &'a str,
    /// Module `proof` with assumptions and assertions about the circuit, in the SystemVerilog that
    /// yosys reads.
    ///
    /// A line `(* of = "dut.count" *) wire [3:0] count;` connects the wire to the signal `count` of
    /// the instance `dut`, at any depth. `dut.words[0:63]` are the words 0 to 63 of the memory
    /// `dut.words`, the first one lowest. `dut.row_{0:6}` are the signals `dut.row_0` to
    /// `dut.row_6`. The last number may be a macro: `{0:LAST}`, `[0:LAST]`.
    pub property: &'a str,
    /// Macros for the property.
    pub defines: &'a [(&'a str, u64)],
    /// Extent of the proof.
    pub method: ProofMethod,
}

/// Result of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProofFinding {
    /// The property holds to the extent of the method.
    Holds,
    /// The property does not hold.
    Fails {
        /// Failed assertion: its position in the property's file, with its label if it has one.
        assertion: String,
        /// Clock cycle of the failure, counted from the start.
        clock_cycle: u32,
        /// Shortest run to the failure that the tools found, as a waveform (VCD).
        wave: PathBuf,
    },
    /// The property holds from the start for the clock cycles of the induction, but the induction
    /// has a gap.
    Open {
        /// Run that the induction does not exclude, as a waveform (VCD). Its states may be
        /// unreachable.
        wave: PathBuf,
    },
}

/// Finding and duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    pub finding: ProofFinding,
    /// Duration of the original run in seconds.
    pub seconds: f64,
}

const CIRCUIT: &str = "circuit.v";
/// Yosys script.
const SCRIPT: &str = "model.ys";
/// Circuit and property in the solver's format.
const MODEL: &str = "model.smt2";
const FINDING: &str = "finding.json";
/// Folder with a script that starts the solver. yosys-smtbmc searches it on `PATH`.
const SOLVER: &str = "solver";

impl Toolchain {
    /// Tools of the proofs, with version and origin.
    ///
    /// # Errors
    /// If a tool is unavailable.
    pub fn provers(&self) -> Result<Vec<String>> {
        let tools = [self.yosys()?, self.yosys_smtbmc()?, self.bitwuzla()?];
        Ok(tools.iter().map(ToString::to_string).collect())
    }

    /// Proves a statement, or reuses an earlier finding in `work_dir`.
    ///
    /// # Errors
    /// If a tool is missing, or cannot read the circuit or the property.
    pub fn prove(&self, statement: &Statement, work_dir: &Path) -> Result<Proof> {
        check_name(statement.name)?;
        let tools = self.provers()?;
        let script = script(statement);
        let mut digest = Digest::of([statement.circuit, statement.property, &script]);
        digest.add(format!("{} {tools:?}", statement.method));
        let dir = work_dir.join(format!("{}-{}", statement.name, digest.short()));
        cache::build_if_missing(&dir, statement.name, |partial| {
            self.run_tools(statement, &script, partial)
        })?;
        let path = dir.join(FINDING);
        let bytes = fs::read(&path).at("read", &path)?;
        let mut proof: Proof = serde_json::from_slice(&bytes)
            .map_err(|_| missing_value(&path, "whole finding (remove the folder)", "phasecube"))?;
        match &mut proof.finding {
            ProofFinding::Holds => {}
            ProofFinding::Fails { wave, .. } | ProofFinding::Open { wave } => {
                *wave = dir.join(&wave)
            }
        }
        Ok(proof)
    }

    /// Runs the tools in an empty folder and writes their finding there. Paths of waves are
    /// relative to that folder.
    fn run_tools(&self, statement: &Statement, script: &str, dir: &Path) -> Result<()> {
        for (name, text) in
            [(CIRCUIT, statement.circuit), (statement.file, statement.property), (SCRIPT, script)]
        {
            let path = dir.join(name);
            fs::write(&path, text).at("write", &path)?;
        }
        let began = Instant::now();
        self.yosys()?.run(dir, ["-q", SCRIPT], "yosys.log")?;
        let finding = self.solve(statement, dir)?;
        let seconds = began.elapsed().as_secs_f64();
        let path = dir.join(FINDING);
        let proof = Proof { finding, seconds };
        let text = serde_json::to_string_pretty(&proof);
        let text = text.map_err(|e| ToolError::Invalid(format!("{}: {e}", statement.name)))?;
        fs::write(&path, text).at("write", &path)
    }

    /// Searches for a run from the start in which the property fails. If there is none and the
    /// method is induction, also searches for any run in which the property first holds and then
    /// fails.
    fn solve(&self, statement: &Statement, dir: &Path) -> Result<ProofFinding> {
        let (ProofMethod::Induction(clock_cycles) | ProofMethod::Depth(clock_cycles)) =
            statement.method;
        let depth = clock_cycles.to_string();
        write_start_script(&self.bitwuzla()?, &dir.join(SOLVER))?;
        let start = "from_the_start";
        if let Some((wave, printed)) = self.find_failing_run(&["-t", &depth], start, dir)? {
            let (assertion, clock_cycle) =
                failed_assertion(&printed, statement).ok_or_else(|| {
                    missing_value(&log(dir, start), "failed assertion", "yosys-smtbmc")
                })?;
            return Ok(ProofFinding::Fails { assertion, clock_cycle, wave });
        }
        if let ProofMethod::Depth(_) = statement.method {
            return Ok(ProofFinding::Holds);
        }
        let gap = self.find_failing_run(&["-i", "-t", &depth], "induction", dir)?;
        Ok(match gap {
            None => ProofFinding::Holds,
            Some((wave, _)) => ProofFinding::Open { wave },
        })
    }

    /// Searches with yosys-smtbmc for a run of the model in which the property fails. Returns its
    /// wave, which is called `name`, and the output of yosys-smtbmc.
    fn find_failing_run(
        &self,
        method: &[&str],
        name: &str,
        dir: &Path,
    ) -> Result<Option<(PathBuf, String)>> {
        let smtbmc = self.yosys_smtbmc()?;
        let (wave, log) = (format!("{name}.vcd"), log(dir, name));
        let mut command = smtbmc.command();
        command
            .args(["-s", "bitwuzla", "--presat", "--noprogress"])
            .args(method)
            .args(["--dump-vcd", &wave, MODEL])
            .current_dir(dir)
            .env("PATH", path_with(&dir.join(SOLVER))?);
        let run = smtbmc.run_command(command, &log);
        let printed = fs::read_to_string(&log).unwrap_or_default();
        match (printed.contains("Status: PASSED"), run) {
            (true, Ok(_)) => Ok(None),
            _ if printed.contains("Status: FAILED") && dir.join(&wave).is_file() => {
                Ok(Some((wave.into(), printed)))
            }
            (_, Err(error)) => Err(error),
            (_, Ok(_)) => Err(missing_value(&log, "verdict", &smtbmc)),
        }
    }
}

/// Log file of yosys-smtbmc for a search.
fn log(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.log"))
}

/// Yosys script that makes the model of circuit and property.
fn script(statement: &Statement) -> String {
    let defines = statement.defines;
    let macros = defines.iter().map(|(name, n)| format!(" -D{name}={n}"));
    let macros: String = macros.collect();
    let file = statement.file;
    // The declared wire has no driver of its own, so the signal's driver remains.
    let inner: Vec<(&str, &str)> = inner_signals(statement.property).collect();
    // A word of a memory is a signal only after the memory has been split.
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
    // After `check`, the script does the same as SymbiYosys between design and model. Each step of
    // the solver is a clock cycle. Signals without initial value or driver are arbitrary.
    format!(
        "read_verilog -formal -sv{macros} {CIRCUIT} {file}\n\
         hierarchy -check -top proof\n\
         proc\n\
         flatten\n\
         {apart}{inner}\
         prep -top proof\n\
         check -assert\n\
         hierarchy -smtcheck\n\
         memory_nordff\n\
         async2sync\n\
         chformal -assume -early\n\
         opt_clean\n\
         formalff -setundef -clk2ff -ff2anyinit -hierarchy\n\
         opt_clean\n\
         check -assert\n\
         setundef -undriven -anyseq\n\
         opt -fast\n\
         opt_clean\n\
         formalff -assume\n\
         dffunmap\n\
         write_smt2 -wires {MODEL}\n"
    )
}

/// Wires that a property declares for signals in the circuit: (wire, signal).
fn inner_signals(property: &str) -> impl Iterator<Item = (&str, &str)> {
    property.lines().filter_map(|line| {
        let (of, wire) = line.trim().strip_prefix("(* of = \"")?.split_once("\" *) wire")?;
        let wire = wire.rsplit(' ').next()?.strip_suffix(';')?;
        Some((wire, of))
    })
}

/// Words of a memory, the last one first as yosys requires: `dut.m[1],dut.m[0]` for `dut.m[0:1]`.
fn words(of: &str, defines: &[(&str, u64)]) -> Option<String> {
    let (memory, end) = of.strip_suffix(']')?.split_once("[0:")?;
    let words = (0..=last(end, defines)?).rev();
    let words: Vec<String> = words.map(|i| format!("{memory}[{i}]")).collect();
    Some(words.join(","))
}

/// Numbered signals, the last one first: `dut.row_1,dut.row_0` for `dut.row_{0:1}`.
fn numbered(of: &str, defines: &[(&str, u64)]) -> Option<String> {
    let (name, end) = of.strip_suffix('}')?.split_once("{0:")?;
    let signals = (0..=last(end, defines)?).rev();
    let signals: Vec<String> = signals.map(|i| format!("{name}{i}")).collect();
    Some(signals.join(","))
}

/// Number, or value of a macro.
fn last(text: &str, defines: &[(&str, u64)]) -> Option<u64> {
    let macro_ = || defines.iter().find(|(name, _)| *name == text);
    text.parse().ok().or_else(|| macro_().map(|(_, n)| *n))
}

/// Writes a script to `folder` that starts the tool under its name.
fn write_start_script(tool: &ToolHandle, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).at("create the folder", folder)?;
    let script = folder.join(tool.name());
    let text = format!("#!/bin/sh\nexec {} \"$@\"\n", tool.shell_words());
    fs::write(&script, text).at("write", &script)?;
    #[cfg(unix)]
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .at("make executable", &script)?;
    Ok(())
}

/// Search path with a folder in front.
fn path_with(folder: &Path) -> Result<std::ffi::OsString> {
    let folder = std::path::absolute(folder).at("find", folder)?;
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder).chain(std::env::split_paths(&before));
    std::env::join_paths(folders)
        .map_err(|_| ToolError::Invalid("PATH has a folder with a colon in its name".into()))
}

/// First assertion that yosys-smtbmc names, with its position, and the last clock cycle that it
/// checked. The output has a label, `Assert failed in proof: one_hot`, or for an assertion without
/// label its position: `Assert failed in proof: pin_mux.sv:40.9-40.60 (..)`.
fn failed_assertion(log: &str, statement: &Statement) -> Option<(String, u32)> {
    let steps = log.lines().filter_map(|line| {
        let (_, step) = line.split_once("Checking assertions in step ")?;
        step.trim_end_matches('.').parse().ok()
    });
    let clock_cycle = steps.max()?;
    let mut lines = log.lines();
    let (_, printed) = lines.find_map(|line| line.split_once("Assert failed in proof: "))?;
    let name = printed.split_whitespace().next()?;
    // The line number of `file.sv:40.9-40.60` is sufficient.
    if let Some((line, _)) =
        name.strip_prefix(statement.file).and_then(|place| place.split_once('.'))
    {
        return Some((format!("{}{line}", statement.file), clock_cycle));
    }
    let label = format!("{name}: assert");
    let begins = |before: &str| !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let has_it = |line: &str| line.match_indices(&label).any(|(i, _)| begins(&line[..i]));
    let line = statement.property.lines().position(has_it);
    let place = line.map(|i| format!(" ({}:{})", statement.file, i + 1));
    Some((name.to_owned() + &place.unwrap_or_default(), clock_cycle))
}

/// Rejects names that are unsafe in file names.
fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.is_empty() && name.chars().all(plain) {
        return Ok(());
    }
    Err(ToolError::Invalid(format!(
        "{name:?} is not a name for a proof; accepted: lower case letters, digits and dashes"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: a name that could lead out of the work folder is rejected.
    #[test]
    fn names() {
        assert!(check_name("pin-mux-4").is_ok());
        for bad in ["", "a b", "../x", "A"] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    // Claim: only wires of inner signals are found, with or without a width.
    #[test]
    fn inner_signals_are_found() {
        let property = "    (* of = \"dut.a.b\" *) wire [3:0] b;\n\
                        (* of = \"dut.c\" *) wire c;\n\
                        (* anyconst *) wire [1:0] d;\n";
        let found: Vec<_> = inner_signals(property).collect();
        assert_eq!(found, [("b", "dut.a.b"), ("c", "dut.c")]);
    }

    // Claim: words of a memory and numbered signals go up to a number or a macro's value, in
    // descending order. Nothing else is a list.
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

    // Claim: the failing assertion is reported by label and position, or by position alone.
    #[test]
    fn assertions_are_named() {
        let statement = Statement {
            name: "a",
            circuit: "",
            file: "a.sv",
            property: "module proof;\n    always @* not_one_hot: assert (x);\n    always @* one_hot: assert (y);\n",
            defines: &[],
            method: ProofMethod::Depth(8),
        };
        let failed = |printed: &str| {
            let log = format!(
                "##   0:00:00  Checking assertions in step 6..\n\
                 ##   0:00:00  Checking assertions in step 7..\n\
                 ##   0:00:00  BMC failed!\n\
                 ##   0:00:00  Value for anyconst proof.c (a.sv:1.3-1.9): 0\n\
                 ##   0:00:00  Assert failed in proof: {printed}\n\
                 ##   0:00:00  Assert failed in proof: another\n"
            );
            failed_assertion(&log, &statement)
        };
        assert_eq!(failed("one_hot"), Some(("one_hot (a.sv:3)".into(), 7)));
        assert_eq!(failed("one_hot (x)"), Some(("one_hot (a.sv:3)".into(), 7)));
        let place = "a.sv:4.13-4.82 (_witness_.check_2)";
        assert_eq!(failed(place), Some(("a.sv:4".into(), 7)));
        assert_eq!(failed_assertion("Status: PASSED", &statement), None);
    }
}
