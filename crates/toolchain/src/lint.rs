//! Checks sources with Verilator, yosys and slang.

use super::cache::{self, Digest};
use super::error::{IoContext, Result, ToolError};
use super::synth::check_name;
use super::{command, Toolchain};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

impl Toolchain {
    /// Runs Verilator's lint on a source in a file `<top>.v`. All warnings are enabled except the
    /// `allowed` ones, which are named as in `-Wno-NAME`. A finding is [`ToolError::Lint`] with the
    /// whole output.
    pub fn lint(&self, verilog: &str, top: &str, allowed: &[&str], work_dir: &Path) -> Result<()> {
        let verilator = self.verilator()?;
        let dir = source(verilog, top, work_dir)?;
        let file = format!("{top}.v");
        let mut command = verilator.command_in(&dir)?;
        command.args(["--lint-only", "-Wall"]);
        command.args(allowed.iter().map(|name| format!("-Wno-{name}")));
        command.args(["--top-module", top, &file]);
        let output = command.output().at("run", Path::new(verilator.name()))?;
        if output.status.success() {
            return Ok(());
        }
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        let ended = command::exit_description(output.status);
        Err(lint(top, format!("{printed}({ended})")))
    }

    /// Runs slang on the Verilog files of one directory, compiled together as SystemVerilog 2023.
    /// Each file has a name and a text. An error or warning is [`ToolError::Lint`] with the whole
    /// output. `what` names the directory in it.
    pub fn slang_lint(
        &self,
        what: &str,
        files: &[(String, String)],
        work_dir: &Path,
    ) -> Result<()> {
        let slang = self.slang()?;
        let all: Vec<&str> = files.iter().flat_map(|(name, text)| [&name[..], text]).collect();
        let dir = work_dir.join(format!("slang-{}", Digest::of(all).short()));
        cache::build_if_missing(&dir, what, |partial| {
            files.iter().try_for_each(|(name, text)| {
                let path = partial.join(name);
                fs::write(&path, text).at("write", &path)
            })
        })?;
        let mut command = slang.command();
        command.args(["--quiet", "--color-diagnostics=false", "-Werror"]);
        command.args(files.iter().map(|(name, _)| name));
        let output = command.current_dir(&dir).output().at("run", Path::new(slang.name()))?;
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        match output.status.success() && printed.trim().is_empty() {
            true => Ok(()),
            false => {
                let ended = command::exit_description(output.status);
                Err(lint(what, format!("{printed}({ended})")))
            }
        }
    }

    /// Checks sources with yosys before synthesis, each with its top module. Detects modules or
    /// ports that do not exist, nets with several drivers or none, combinational loops, latches,
    /// and any warning. The first finding is [`ToolError::Lint`]. One yosys process checks all
    /// sources, because its start takes a quarter of a second.
    pub fn check(&self, sources: &[(&str, &str)], work_dir: &Path) -> Result<()> {
        let yosys = self.yosys()?;
        let mut script = String::new();
        for (verilog, top) in sources {
            let dir = source(verilog, top, work_dir)?;
            let folder = dir.file_name().unwrap_or_default().to_string_lossy();
            let _ = write!(
                script,
                "log {}{top}\n\
                 read_verilog {folder}/{top}.v\nhierarchy -check -top {top}\nproc\ncheck -assert\n\
                 select -assert-none t:$dlatch t:$adlatch t:$dlatchsr\ndesign -reset\n",
                MARK.trim_start()
            );
        }
        let name = format!("check-{}", Digest::of([&script]).short());
        let (file, log) = (format!("{name}.ys"), format!("{name}.log"));
        let path = work_dir.join(&file);
        fs::write(&path, &script).at("write", &path)?;
        let run = yosys.run(work_dir, ["-Q", "-s", &file], &log);
        let text = match &run {
            Ok(run) => run.text.clone(),
            Err(ToolError::Failed { log, .. }) => fs::read_to_string(log).at("read", log)?,
            Err(_) => String::new(),
        };
        let mut of_sources = text.split(MARK).skip(1).peekable();
        while let Some(printed) = of_sources.next() {
            let top = printed.lines().next().unwrap_or_default();
            if let (None, Err(ToolError::Failed { tail, .. })) = (of_sources.peek(), &run) {
                return Err(lint(top, tail.clone()));
            }
            let warnings = printed.lines().filter(|line| line.contains("Warning:"));
            let warnings: Vec<&str> = warnings.collect();
            if !warnings.is_empty() {
                return Err(lint(top, warnings.join("\n")));
            }
        }
        run.map(|_| ())
    }
}

/// Text that yosys prints before it checks a source. The top module follows it.
const MARK: &str = "\nthe source of ";

fn lint(top: &str, findings: String) -> ToolError {
    ToolError::Lint { top: top.to_string(), findings }
}

/// Folder with the source in `<top>.v`.
fn source(verilog: &str, top: &str, work_dir: &Path) -> Result<PathBuf> {
    check_name(top)?;
    let dir = work_dir.join(format!("lint-{top}-{}", Digest::of([verilog]).short()));
    cache::build_if_missing(&dir, top, |partial| {
        let path = partial.join(format!("{top}.v"));
        fs::write(&path, verilog).at("write", &path)
    })?;
    Ok(dir)
}
