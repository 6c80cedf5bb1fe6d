//! Verilog to ECP5 bitstreams: yosys, nextpnr-ecp5, ecppack.
//!
//! Results are kept in the work folder under a digest of source, options and tool versions. The
//! tools are deterministic, so a repeated request costs nothing.

use super::cache::{self, Digest};
use super::command::{CommandOutput, ToolHandle};
use super::error::{IoContext, Result};
use super::progress::ProgressStep;
use super::reports::{self, Capacity, PlacedKind, Placement, SynthReport};
use super::synth::{check_name, missing_value, read_json, write};
use super::Toolchain;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Sizes of an ECP5 without transceivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ecp5Chip {
    F25,
    F45,
    F85,
}

impl Ecp5Chip {
    /// All sizes.
    pub const ALL: [Ecp5Chip; 3] = [Ecp5Chip::F25, Ecp5Chip::F45, Ecp5Chip::F85];

    /// nextpnr's option without the dashes, and Lattice's name.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Ecp5Chip::F25 => ("25k", "ECP5-25F"),
            Ecp5Chip::F45 => ("45k", "ECP5-45F"),
            Ecp5Chip::F85 => ("85k", "ECP5-85F"),
        }
    }
}

/// Options of synthesis and placement for an ECP5. The default is the ULX3S-85F's part.
#[derive(Debug, Clone, PartialEq)]
pub struct Ecp5Options {
    /// Size of the chip.
    pub chip: Ecp5Chip,
    /// Name of the package for nextpnr, such as `CABGA381`.
    pub package: String,
    /// Speed grade: 6, 7 or 8, the fastest.
    pub speed: u32,
    /// Target clock frequency in MHz. A slower result is no error: the placement reports what was
    /// reached.
    pub freq_mhz: f64,
    /// Placement seed.
    pub seed: u32,
}

impl Default for Ecp5Options {
    fn default() -> Self {
        Ecp5Options {
            chip: Ecp5Chip::F85,
            package: "CABGA381".into(),
            speed: 6,
            freq_mhz: 25.0,
            seed: 1,
        }
    }
}

/// Files of a placed design.
#[derive(Debug, Clone)]
pub struct Ecp5Bitstream {
    /// Resources of the design.
    pub report: SynthReport,
    /// Placed cells and clock timing.
    pub placement: Placement,
    /// Netlist that nextpnr placed and routed, in yosys's JSON.
    pub netlist: PathBuf,
    /// File for the chip or its flash.
    pub bit: PathBuf,
}

const NETLIST: &str = "netlist.json";
const PLACED: &str = "placed.json";
const CELLS: &str = "cells.json";
const PINS: &str = "pins.lpf";
const CONFIG: &str = "design.config";
const BIT: &str = "design.bit";

impl Toolchain {
    /// Makes a bitstream with the pins of the constraint file text `lpf`.
    ///
    /// # Errors
    /// If the design does not fit, or a tool is missing or fails.
    pub fn bitstream_ecp5(
        &self,
        verilog: &str,
        top: &str,
        lpf: &str,
        work_dir: &Path,
        options: &Ecp5Options,
    ) -> Result<Ecp5Bitstream> {
        check_name(top)?;
        let yosys = self.yosys()?;
        // One netlist serves all seeds.
        let netlist = netlist(&yosys, verilog, top, work_dir, "ecp5-pins", |_| Ok(()))?;
        let job = Ecp5Job {
            yosys,
            nextpnr: self.nextpnr_ecp5()?,
            ecppack: self.ecppack()?,
            netlist,
            top,
            lpf,
            options,
        };
        let mut digest = Digest::of([verilog, top, lpf]);
        digest.add(format!("{options:?} {:?}", job.tools()));
        digest.add(script(top));
        let dir = work_dir.join(format!("ecp5-{top}-{}", digest.short()));
        cache::build_if_missing(&dir, top, |partial| job.build(partial))?;
        job.read(&dir)
    }
}

/// Resources of a module on an ECP5, placed and routed out of context: only clocks have pins.
#[derive(Debug, Clone, PartialEq)]
pub struct Ecp5Cost {
    pub report: SynthReport,
    /// Resources that the chip has.
    pub capacity: Capacity,
}

impl Toolchain {
    /// Measures the cost of the module `top`, placed and routed out of context as in
    /// [`synthesize_ice40`](Self::synthesize_ice40).
    ///
    /// # Errors
    /// If the design does not fit, or a tool is missing or fails.
    pub fn synthesize_ecp5(
        &self,
        verilog: &str,
        top: &str,
        work_dir: &Path,
        options: &Ecp5Options,
    ) -> Result<Ecp5Cost> {
        check_name(top)?;
        let (yosys, nextpnr) = (self.yosys()?, self.nextpnr_ecp5()?);
        // One netlist serves all sizes of the chip.
        let synthesized = netlist(&yosys, verilog, top, work_dir, "ecp5-netlist", |path| {
            let mut netlist = read_json(path, &yosys)?;
            reports::without_data_ports(&mut netlist, top)
                .ok_or_else(|| missing_value(path, "ports", &yosys))?;
            write(path, &netlist.to_string())
        })?;
        let mut digest = Digest::of([verilog, top]);
        digest.add(format!("{yosys} {}", script(top)));
        digest.add(format!("{options:?} {nextpnr}"));
        let dir = work_dir.join(format!("ecp5-{top}-{}", digest.short()));
        cache::build_if_missing(&dir, top, |dir| {
            let _activity = ProgressStep::quiet(&format!("nextpnr-ecp5: placing {top}"));
            copy_netlist(&synthesized, dir)?;
            place(&nextpnr, top, options, dir, &["--lpf-allow-unconstrained"]).map(drop)
        })?;
        let placement = placement(&dir, &nextpnr)?;
        let tools = vec![yosys.to_string(), nextpnr.to_string()];
        Ok(Ecp5Cost {
            report: whole_chip_report(&dir, top, &placement, tools, &yosys)?,
            capacity: placement.capacity,
        })
    }
}

struct Ecp5Job<'a> {
    yosys: ToolHandle,
    nextpnr: ToolHandle,
    ecppack: ToolHandle,
    /// Folder of the netlist.
    netlist: PathBuf,
    top: &'a str,
    lpf: &'a str,
    options: &'a Ecp5Options,
}

impl Ecp5Job<'_> {
    fn tools(&self) -> Vec<String> {
        let tools = [&self.yosys, &self.nextpnr, &self.ecppack];
        tools.map(ToString::to_string).to_vec()
    }

    fn build(&self, dir: &Path) -> Result<()> {
        let top = self.top;
        write(&dir.join(PINS), self.lpf)?;
        copy_netlist(&self.netlist, dir)?;
        let _activity = ProgressStep::quiet(&format!("nextpnr-ecp5: placing {top}"));
        let files = ["--lpf", PINS, "--textcfg", CONFIG];
        place(&self.nextpnr, top, self.options, dir, &files)?;
        let packed = ["--compress", CONFIG, BIT];
        self.ecppack.run(dir, packed, "ecppack.log")?;
        Ok(())
    }

    /// Reads the results of the tools from the folder.
    fn read(&self, dir: &Path) -> Result<Ecp5Bitstream> {
        let placement = placement(dir, &self.nextpnr)?;
        Ok(Ecp5Bitstream {
            report: whole_chip_report(dir, self.top, &placement, self.tools(), &self.yosys)?,
            placement,
            netlist: dir.join(CELLS),
            bit: dir.join(BIT),
        })
    }
}

/// Yosys script.
fn script(top: &str) -> String {
    format!("read_verilog -sv design.v\nsynth_ecp5 -top {top} -json {NETLIST}\n")
}

fn synthesize(yosys: &ToolHandle, verilog: &str, top: &str, dir: &Path) -> Result<()> {
    let _activity = ProgressStep::quiet(&format!("yosys: synthesizing {top}"));
    write(&dir.join("design.v"), verilog)?;
    write(&dir.join("synth.ys"), &script(top))?;
    yosys.run(dir, ["-Q", "-s", "synth.ys"], "yosys.log")?;
    Ok(())
}

/// Synthesises the module `top`, and returns the folder of its netlist. `finish` may change the file.
/// A netlist of the same source and yosys is reused.
fn netlist(
    yosys: &ToolHandle,
    verilog: &str,
    top: &str,
    work_dir: &Path,
    kind: &str,
    finish: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let mut digest = Digest::of([verilog, top]);
    digest.add(format!("{yosys} {}", script(top)));
    let dir = work_dir.join(format!("{kind}-{top}-{}", digest.short()));
    cache::build_if_missing(&dir, top, |dir| {
        synthesize(yosys, verilog, top, dir)?;
        finish(&dir.join(NETLIST))
    })?;
    Ok(dir)
}

fn copy_netlist(from: &Path, to: &Path) -> Result<()> {
    let copy = to.join(NETLIST);
    std::fs::copy(from.join(NETLIST), &copy).at("copy to", &copy)?;
    Ok(())
}

/// Number of lookup tables from which nextpnr uses its second router. The first one takes up and
/// moves one connection after the other. With 27,443 lookup tables, a hundred connections were left
/// after an hour. The second one moves all of them in rounds, and took four minutes.
const MANY_LUTS: usize = 20_000;

fn place(
    nextpnr: &ToolHandle,
    top: &str,
    options: &Ecp5Options,
    dir: &Path,
    further: &[&str],
) -> Result<CommandOutput> {
    let (device, name) = options.chip.names();
    let chosen = [
        format!("--{device}"),
        format!("--package={}", options.package),
        format!("--speed={}", options.speed),
        format!("--seed={}", options.seed),
        format!("--freq={}", options.freq_mhz),
        format!("--top={top}"),
    ];
    let netlist = read_json(&dir.join(NETLIST), nextpnr)?;
    let router: &[&str] = match count(&netlist["modules"], top, "LUT4") {
        0..MANY_LUTS => &[],
        _ => &["--router", "router2"],
    };
    let files = ["--json", NETLIST, "--report", PLACED, "--write", CELLS];
    let files = files.iter().chain(further).chain(router);
    let files = files.chain(&["--timing-allow-fail"]);
    let arguments = chosen.into_iter().chain(files.map(ToString::to_string));
    let run = nextpnr.run(dir, arguments, "nextpnr.log");
    run.map_err(|error| reports::too_big(error, top, name))
}

/// Reads the output of nextpnr from the folder.
fn placement(dir: &Path, nextpnr: &ToolHandle) -> Result<Placement> {
    let (timing, cells) = (dir.join(PLACED), dir.join(CELLS));
    let placement = Placement::read(&read_json(&timing, nextpnr)?, &read_json(&cells, nextpnr)?);
    placement.ok_or_else(|| missing_value(&timing, "clocks, paths or cells", nextpnr))
}

/// Resources of the whole chip. An ECP5 has two logic cells for a carry cell.
fn whole_chip_report(
    dir: &Path,
    top: &str,
    placement: &Placement,
    tools: Vec<String>,
    yosys: &ToolHandle,
) -> Result<SynthReport> {
    let path = dir.join(NETLIST);
    let netlist = read_json(&path, yosys)?;
    let cells = netlist["modules"][top]["cells"].as_object();
    cells.ok_or_else(|| missing_value(&path, "cells of the top module", yosys))?;
    let count = |kind: &str| count(&netlist["modules"], top, kind);
    let placed = |is: fn(&PlacedKind) -> bool| {
        let kinds = placement.cells.iter().map(|cell| &cell.kind);
        kinds.filter(|kind| is(kind)).count()
    };
    let reached = placement.clocks.iter().map(|clock| clock.reached_mhz);
    Ok(SynthReport {
        luts: count("LUT4"),
        carries: count("CCU2C"),
        flip_flops: placed(|kind| matches!(kind, PlacedKind::FlipFlop)),
        logic_cells: placed(|kind| matches!(kind, PlacedKind::Logic { .. })),
        block_rams: placed(|kind| matches!(kind, PlacedKind::Ram)),
        fmax_mhz: reached.min_by(f64::total_cmp),
        tools,
    })
}

/// Counts the cells of a kind in a module and in the modules inside it.
fn count(modules: &Value, module: &str, kind: &str) -> usize {
    let cells = modules[module]["cells"].as_object().into_iter().flatten();
    let counts = cells.map(|(_, cell)| match cell["type"].as_str() {
        Some(of) if of == kind => 1,
        Some(of) => count(modules, of, kind),
        None => 0,
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::count;
    use serde_json::json;

    #[test]
    fn cells_of_instances_count_as_often_as_they_occur() {
        let cell = |of: &str| json!({"type": of});
        let modules = json!({
            "top": {"cells": {"a": cell("group"), "b": cell("group"), "c": cell("LUT4")}},
            "group": {"cells": {"x": cell("LUT4"), "y": cell("LUT4"), "z": cell("CCU2C")}},
            "CCU2C": {"cells": {}},
        });
        assert_eq!(count(&modules, "top", "LUT4"), 5);
        assert_eq!(count(&modules, "top", "CCU2C"), 2);
        assert_eq!(count(&modules, "other", "LUT4"), 0);
    }
}
