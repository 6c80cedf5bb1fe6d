//! Verilog to ECP5 bitstreams: yosys, nextpnr-ecp5, ecppack.
//!
//! Results are kept in the work folder under a digest of source, options and tool versions; the
//! tools are deterministic, so asking again costs nothing.

use super::digest::Digest;
use super::error::Result;
use super::exec::Run;
use super::handle::ToolHandle;
use super::ice40::{self, SynthReport};
use super::once;
use super::placement::{Placement, PlacedKind};
use super::progress::Activity;
use super::synth::{check_name, missing, read_json, write};
use super::Toolchain;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How to synthesize and place for an ECP5. The default is the ULX3S-85F's part.
#[derive(Debug, Clone, PartialEq)]
pub struct Ecp5 {
    /// nextpnr's device option without the dashes.
    pub device: String,
    /// The package.
    pub package: String,
    /// The speed grade: 6, 7 or 8, the fastest.
    pub speed: u32,
    /// The clock to aim at, in MHz. Missing it is no failure: the placement says what was reached.
    pub freq_mhz: f64,
    /// The placement seed.
    pub seed: u32,
}

impl Default for Ecp5 {
    fn default() -> Self {
        Ecp5 {
            device: "85k".into(),
            package: "CABGA381".into(),
            speed: 6,
            freq_mhz: 25.0,
            seed: 1,
        }
    }
}

/// A placed design, as files.
#[derive(Debug, Clone)]
pub struct Ecp5Bitstream {
    /// What it costs.
    pub report: SynthReport,
    /// Where its cells are, and how fast it is.
    pub placement: Placement,
    /// The netlist that nextpnr placed and routed, in yosys's JSON.
    pub netlist: PathBuf,
    /// The file for the chip or its flash.
    pub bit: PathBuf,
}

const NETLIST: &str = "netlist.json";
const PLACED: &str = "placed.json";
const CELLS: &str = "cells.json";
const PINS: &str = "pins.lpf";
const CONFIG: &str = "design.config";
const BIT: &str = "design.bit";

impl Toolchain {
    /// A bitstream with the pins of the constraint file text `lpf`.
    ///
    /// # Errors
    /// If the design does not fit, or a tool is missing or fails.
    pub fn bitstream_ecp5(
        &self,
        verilog: &str,
        top: &str,
        lpf: &str,
        work_dir: &Path,
        options: &Ecp5,
    ) -> Result<Ecp5Bitstream> {
        check_name(top)?;
        let job = Job {
            yosys: self.yosys()?,
            nextpnr: self.nextpnr_ecp5()?,
            ecppack: self.ecppack()?,
            verilog,
            top,
            lpf,
            options,
        };
        let mut digest = Digest::of([verilog, top, lpf]);
        digest.add(format!("{options:?} {:?}", job.tools()));
        digest.add(job.script());
        let dir = work_dir.join(format!("ecp5-{top}-{}", digest.short()));
        once::ensure(&dir, top, |partial| job.build(partial))?;
        job.read(&dir)
    }
}

struct Job<'a> {
    yosys: ToolHandle,
    nextpnr: ToolHandle,
    ecppack: ToolHandle,
    verilog: &'a str,
    top: &'a str,
    lpf: &'a str,
    options: &'a Ecp5,
}

impl Job<'_> {
    fn tools(&self) -> Vec<String> {
        let tools = [&self.yosys, &self.nextpnr, &self.ecppack];
        tools.map(ToString::to_string).to_vec()
    }

    /// What yosys is told.
    fn script(&self) -> String {
        format!(
            "read_verilog -sv design.v\nsynth_ecp5 -top {} -json {NETLIST}\n",
            self.top
        )
    }

    fn build(&self, dir: &Path) -> Result<()> {
        let top = self.top;
        let activity = Activity::quiet(&format!("yosys: synthesizing {top}"));
        write(&dir.join("design.v"), self.verilog)?;
        write(&dir.join("synth.ys"), &self.script())?;
        write(&dir.join(PINS), self.lpf)?;
        self.yosys.run(dir, ["-Q", "-s", "synth.ys"], "yosys.log")?;
        activity.step(&format!("nextpnr-ecp5: placing {top}"));
        self.place(dir)?;
        let packed = ["--compress", CONFIG, BIT];
        self.ecppack.run(dir, packed, "ecppack.log")?;
        Ok(())
    }

    fn place(&self, dir: &Path) -> Result<Run> {
        let options = self.options;
        let chosen = [
            format!("--{}", options.device),
            format!("--package={}", options.package),
            format!("--speed={}", options.speed),
            format!("--seed={}", options.seed),
            format!("--freq={}", options.freq_mhz),
            format!("--top={}", self.top),
        ];
        let files = [
            "--json", NETLIST, "--lpf", PINS, "--textcfg", CONFIG, "--report", PLACED, "--write",
            CELLS, "--timing-allow-fail",
        ];
        let arguments = chosen.into_iter().chain(files.map(String::from));
        let run = self.nextpnr.run(dir, arguments, "nextpnr.log");
        run.map_err(|error| ice40::too_big(error, self.top, &options.device))
    }

    /// What the tools said of the design, in the folder where it was made.
    fn read(&self, dir: &Path) -> Result<Ecp5Bitstream> {
        let (timing, cells) = (dir.join(PLACED), dir.join(CELLS));
        let report = read_json(&timing, &self.nextpnr)?;
        let placement = Placement::read(&report, &read_json(&cells, &self.nextpnr)?)
            .ok_or_else(|| missing(&timing, "clocks, paths or cells", &self.nextpnr))?;
        let netlist = dir.join(NETLIST);
        let synthesized = read_json(&netlist, &self.yosys)?;
        let counted = self.counted(&synthesized, &placement);
        Ok(Ecp5Bitstream {
            report: counted.ok_or_else(|| missing(&netlist, "cells of the top module", &self.yosys))?,
            placement,
            netlist: cells,
            bit: dir.join(BIT),
        })
    }

    /// The whole chip. An ECP5 has two logic cells for a carry cell.
    fn counted(&self, netlist: &Value, placement: &Placement) -> Option<SynthReport> {
        let modules = netlist.get("modules")?.get(self.top)?;
        let cells = modules.get("cells")?.as_object()?;
        let count = |kind: &str| cells.values().filter(|cell| cell["type"] == kind).count();
        let placed = |is: fn(&PlacedKind) -> bool| {
            placement.cells.iter().filter(|cell| is(&cell.kind)).count()
        };
        let slowest = placement.clocks.iter().map(|clock| clock.reached_mhz);
        Some(SynthReport {
            luts: count("LUT4"),
            carries: count("CCU2C"),
            flip_flops: placed(|kind| matches!(kind, PlacedKind::FlipFlop)),
            logic_cells: placed(|kind| matches!(kind, PlacedKind::Logic { .. })),
            block_rams: placed(|kind| matches!(kind, PlacedKind::Ram)),
            fmax_mhz: slowest.min_by(f64::total_cmp),
            tools: self.tools(),
        })
    }
}
