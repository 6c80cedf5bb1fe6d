//! What Verilator and yosys think of a source.

use super::digest::Digest;
use super::error::{At, Result, ToolError};
use super::exec;
use super::once;
use super::synth::check_name;
use super::Toolchain;
use std::fs;
use std::path::{Path, PathBuf};

impl Toolchain {
    /// Verilator's lint with all warnings but the `allowed` ones, which are named as in `-Wno-NAME`, of
    /// the source in a file `<top>.v`. A finding is [`ToolError::Lint`] with all the linter said.
    pub fn lint(&self, verilog: &str, top: &str, allowed: &[&str], work_dir: &Path) -> Result<()> {
        let verilator = self.verilator()?;
        let dir = source(verilog, top, work_dir)?;
        let file = format!("{top}.v");
        let mut command = verilator.command();
        command.args(["--lint-only", "-Wall"]);
        command.args(allowed.iter().map(|name| format!("-Wno-{name}")));
        command.args(["--top-module", top, &file]);
        let output = command
            .current_dir(&dir)
            .output()
            .at("run", Path::new(verilator.name()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].concat();
        Err(ToolError::Lint {
            top: top.to_string(),
            findings: format!(
                "{}({})",
                String::from_utf8_lossy(&said),
                exec::ended(output.status)
            ),
        })
    }

    /// What yosys has to say before synthesis: modules or ports that do not exist, nets with several
    /// drivers or none, combinational loops, latches, and any warning. A finding is [`ToolError::Lint`].
    pub fn check(&self, verilog: &str, top: &str, work_dir: &Path) -> Result<()> {
        let yosys = self.yosys()?;
        let dir = source(verilog, top, work_dir)?;
        let script = format!(
            "read_verilog {top}.v; hierarchy -check -top {top}; proc; check -assert; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr"
        );
        let lint = |findings| {
            Err(ToolError::Lint {
                top: top.to_string(),
                findings,
            })
        };
        match yosys.run(&dir, ["-Q", "-p", &script], "check.log") {
            Ok(run) => {
                let warnings = run.text.lines().filter(|line| line.contains("Warning:"));
                let warnings: Vec<&str> = warnings.collect();
                match warnings.is_empty() {
                    true => Ok(()),
                    false => lint(warnings.join("\n")),
                }
            }
            Err(ToolError::Failed { tail, .. }) => lint(tail),
            Err(error) => Err(error),
        }
    }
}

/// A folder with the source in `<top>.v`.
fn source(verilog: &str, top: &str, work_dir: &Path) -> Result<PathBuf> {
    check_name(top)?;
    let dir = work_dir.join(format!("lint-{top}-{}", Digest::of([verilog]).short()));
    once::ensure(&dir, top, |partial| {
        let path = partial.join(format!("{top}.v"));
        fs::write(&path, verilog).at("write", &path)
    })?;
    Ok(dir)
}
