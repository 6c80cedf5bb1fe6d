//! Cost of blocks on the FPGA.

use hdl::lower::{lower, LowerErrors};
use hdl::verilog::{self, without_comments};
use interconnect::topology::Hypercube;
use lockstep::design::Design;
use machine::catalog::CatalogEntry;
use machine::networks::tdma::hosted::HostedCircuit;
use machine::networks::tdma::on_board::soft_cube_on_board;
use machine::program::BoardMemory;
use machine::text::{write_paragraph, MarkdownTable};
use machine::user_core::UserCore;
use rayon::prelude::*;
use rtl::core::SoftCore;
use rtl::hosted::HostedShape;
use serde::Serialize;
use std::fmt::{self, Write};
use std::path::Path;
use thiserror::Error;
use toolchain::{Ecp5Chip, Ecp5Cost, Ecp5Options, SynthReport, ToolError, Toolchain};

/// Chip of the measurements.
pub const DEVICE: &str = "iCE40 HX8K";

/// Number of logic cells of the chip. `BLOCK_RAMS` is the number of its block RAMs.
pub const LOGIC_CELLS: usize = 7680;
pub const BLOCK_RAMS: usize = 32;

#[derive(Debug, Error)]
pub enum CostError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Tool(#[from] ToolError),
}

/// Cost of one block, placed and routed alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Name of the block, with its parameters.
    pub block: String,
    pub logic_cells: usize,
    pub flip_flops: usize,
    pub block_rams: usize,
    /// `None` if no path leads from register to register.
    pub fmax_mhz: Option<f64>,
}

/// Cost of several blocks. Prints as a table in Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostTable {
    pub device: &'static str,
    /// Tools of the measurements.
    pub tools: Vec<String>,
    pub blocks: Vec<Cost>,
}

impl CostTable {
    /// Measures the blocks, with one job per processor, or reuses earlier results in `work_dir`.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn measure(
        tools: &Toolchain,
        blocks: &[&CatalogEntry],
        work_dir: &Path,
    ) -> Result<Self, CostError> {
        let designs = blocks.iter().map(|block| {
            let design = block.default_design()?;
            Ok((block.name.to_owned(), design))
        });
        let designs = designs.collect::<Result<Vec<_>, LowerErrors>>()?;
        Ok(CostTable::of_designs(tools, &designs, work_dir)?)
    }

    /// Measures any designs under these names, with one job per processor, or reuses earlier
    /// results in `work_dir`.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn of_designs(
        tools: &Toolchain,
        designs: &[(String, Design)],
        work_dir: &Path,
    ) -> Result<Self, ToolError> {
        let reports = designs.par_iter().map(|(_, design)| synthesised(tools, design, work_dir));
        let reports = reports.collect::<Result<Vec<SynthReport>, _>>()?;
        let mut table = CostTable::empty();
        for ((name, _), report) in designs.iter().zip(reports) {
            table.add(name, report);
        }
        Ok(table)
    }

    /// Measures a module of any Verilog in the same way.
    ///
    /// # Errors
    /// If a tool is missing or fails, for example on invalid Verilog.
    pub fn of_verilog(
        tools: &Toolchain,
        verilog: &str,
        top: &str,
        work_dir: &Path,
    ) -> Result<Self, CostError> {
        let mut table = CostTable::empty();
        table.add(top, tools.synthesize_ice40(verilog, top, work_dir)?);
        Ok(table)
    }

    /// Measures a core of the user, made of its netlist, and the soft core with one context.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn of_core(tools: &Toolchain, core: &UserCore, work_dir: &Path) -> Result<Self, CostError> {
        let soft = lower(&SoftCore::<1, 6>::default())?;
        let mut table = CostTable::empty();
        table.add(core.top(), synthesised(tools, core.design(), work_dir)?);
        table.add("SoftCore<1>", synthesised(tools, &soft, work_dir)?);
        Ok(table)
    }

    fn empty() -> Self {
        CostTable { device: DEVICE, tools: vec![], blocks: vec![] }
    }

    fn add(&mut self, block: &str, report: SynthReport) {
        self.blocks.push(Cost::of(block, &report));
        self.tools = report.tools;
    }
}

impl Cost {
    /// Measures one circuit, or reuses earlier results in `work_dir`.
    pub(super) fn measure(
        tools: &Toolchain,
        name: &str,
        design: &Design,
        work_dir: &Path,
    ) -> Result<Self, ToolError> {
        let report = synthesised(tools, design, work_dir)?;
        Ok(Cost::of(name, &report))
    }

    fn of(block: &str, report: &SynthReport) -> Self {
        Cost {
            block: block.into(),
            logic_cells: report.logic_cells,
            flip_flops: report.flip_flops,
            block_rams: report.block_rams,
            fmax_mhz: report.fmax_mhz,
        }
    }
}

/// Places and routes a circuit alone. Comments are removed first, so they do not change the result.
fn synthesised(
    tools: &Toolchain,
    design: &Design,
    work_dir: &Path,
) -> Result<SynthReport, ToolError> {
    let verilog = verilog::emit_for_placement(design);
    let text = without_comments(&verilog.to_string());
    tools.synthesize_ice40(&text, verilog.top(), work_dir)
}

impl fmt::Display for CostTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chip = format!(
            "{} ({LOGIC_CELLS} logic cells, {BLOCK_RAMS} block RAMs), each block placed and routed alone:\n",
            self.device
        );
        write_paragraph(f, &chip)?;
        f.write_char('\n')?;
        let heading = ["block", "logic cells", "flip-flops", "block RAMs", "fmax, MHz"];
        let mut table =
            MarkdownTable::new(1, heading).ranked(1, &["logic cells", "fmax, MHz"], "--json");
        for cost in &self.blocks {
            table.row([
                format!("`{}`", cost.block),
                cost.logic_cells.to_string(),
                cost.flip_flops.to_string(),
                cost.block_rams.to_string(),
                mhz(cost.fmax_mhz),
            ]);
        }
        table.write(f, &[])?;
        f.write_char('\n')?;
        write_paragraph(f, &format!("Measured with {}.", self.tools.join(" and ")))
    }
}

/// Frequency in whole megahertz, or `none`.
pub(super) fn mhz(fmax: Option<f64>) -> String {
    fmax.map_or_else(|| "none".into(), |mhz| format!("{mhz:.0}"))
}

// Resources that cubes of soft nodes take on ECP5s of each size.

/// Largest message between nodes, in bytes.
const PAYLOAD: usize = 8 + 2;

/// Program words that keep the tools from treating bits of the program stores as constant. The
/// contents do not change the cost.
const PROGRAM: &[u32] = &[0x5A5A_5A5A, 0xA5A5_A5A5];

/// Clock cycles of an arithmetic instruction on the soft core.
const INSTRUCTION: u32 = 4;

/// Division of hardware between the nodes of a cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeSharing {
    /// Each node has its own core, memory and frame engine. The supervisors are outside.
    Own,
    /// Time-multiplexed nodes: each has its own state only. The nodes share the logic, and the core
    /// with their supervisor.
    Shared,
}

/// Cube of soft nodes on each ECP5. Prints as a table in Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ecp5Table {
    pub dims: u32,
    pub nodes: u32,
    pub kind: NodeSharing,
    pub chips: Vec<Ecp5Row>,
    /// Tools of the measurements.
    pub tools: Vec<String>,
}

/// Result for the cube on one chip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ecp5Row {
    pub chip: &'static str,
    #[serde(flatten)]
    pub fits: Fits,
}

/// Fit of the cube on the chip.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fits {
    /// Resources that the cube takes and that the chip has.
    Yes {
        logic_cells: usize,
        logic_cells_available: usize,
        flip_flops: usize,
        block_rams: usize,
        block_rams_available: usize,
        fmax_mhz: Option<f64>,
    },
    /// The resource that is insufficient.
    No { needs: String },
}

impl Ecp5Table {
    /// Places the cube on each chip, or reuses earlier results in `work_dir`.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    ///
    /// # Panics
    /// If the cube has no nodes of this kind. [`HostedShape::cube`] lists the cubes with shared
    /// nodes.
    pub fn measure(
        tools: &Toolchain,
        cube: Hypercube,
        kind: NodeSharing,
        work_dir: &Path,
    ) -> Result<Self, CostError> {
        let design = match kind {
            NodeSharing::Own => soft_cube_on_board(cube, PAYLOAD, PROGRAM)?,
            NodeSharing::Shared => {
                let shape = HostedShape::cube(cube.dims()).expect("the dimensions were checked");
                let words = PROGRAM.to_vec();
                HostedCircuit::new(shape, BoardMemory { words }).design()?
            }
        };
        let design = verilog::emit_for_placement(&design);
        let mut table = Ecp5Table {
            dims: cube.dims(),
            nodes: cube.nodes(),
            kind,
            chips: vec![],
            tools: vec![],
        };
        for chip in Ecp5Chip::ALL {
            let options = Ecp5Options { chip, ..Ecp5Options::default() };
            let text = design.to_string();
            let cost = tools.synthesize_ecp5(&text, design.top(), work_dir, &options);
            let fits = match cost {
                Ok(Ecp5Cost { report, capacity }) => {
                    table.tools = report.tools;
                    Fits::Yes {
                        logic_cells: report.logic_cells,
                        logic_cells_available: capacity.logic_cells,
                        flip_flops: report.flip_flops,
                        block_rams: report.block_rams,
                        block_rams_available: capacity.block_rams,
                        fmax_mhz: report.fmax_mhz,
                    }
                }
                Err(ToolError::TooBig { excess, .. }) => Fits::No { needs: excess },
                Err(error) => return Err(error.into()),
            };
            table.chips.push(Ecp5Row { chip: chip.names().1, fits });
        }
        Ok(table)
    }
}

impl Ecp5Table {
    /// Arithmetic instructions per node and second at this clock, which is rounded to whole MHz as
    /// in the table. All nodes are awake. On a shared core each node gets one turn per round of all
    /// nodes and the supervisor.
    fn instructions(&self, mhz: f64) -> f64 {
        let contexts = match self.kind {
            NodeSharing::Own => 1,
            NodeSharing::Shared => self.nodes + 1,
        };
        mhz.round() * 1e6 / f64::from(INSTRUCTION * contexts)
    }
}

impl fmt::Display for Ecp5Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, dims) = (self.nodes, self.dims);
        let have = match self.kind {
            NodeSharing::Own => "each with its own core, with their wires and the phase clock",
            NodeSharing::Shared => "which share a core and a frame engine with their host, with their wires and the phase clock",
        };
        let title = format!("{nodes} soft nodes of the {dims}-cube, {have}:");
        write_paragraph(f, &title)?;
        f.write_char('\n')?;
        let headings = [
            "chip",
            "logic cells",
            "flip-flops",
            "block RAMs",
            "fmax, MHz",
            "instructions a second and node",
        ];
        let mut table = MarkdownTable::new(1, headings).ranked(
            1,
            &["logic cells", "block RAMs", "fmax, MHz", "instructions a second and node"],
            "--json",
        );
        let mut short = vec![];
        for Ecp5Row { chip, fits } in &self.chips {
            match fits {
                Fits::Yes {
                    logic_cells,
                    logic_cells_available,
                    flip_flops,
                    block_rams,
                    block_rams_available,
                    fmax_mhz,
                } => table.row([
                    (*chip).to_owned(),
                    format!("{logic_cells} of {logic_cells_available}"),
                    flip_flops.to_string(),
                    format!("{block_rams} of {block_rams_available}"),
                    fmax_mhz.map_or("none".into(), |mhz| format!("{mhz:.0}")),
                    fmax_mhz.map_or("none".into(), |mhz| in_thousands(self.instructions(mhz))),
                ]),
                Fits::No { needs } => {
                    short.push(format!("It does not fit the {chip}: it needs {needs}."))
                }
            }
        }
        if !table.rows.is_empty() {
            table.write(f, &[])?;
            f.write_char('\n')?;
        }
        for line in &short {
            write_paragraph(f, line)?;
        }
        match self.tools.is_empty() {
            true => Ok(()),
            false => write_paragraph(f, &format!("Measured with {}.", self.tools.join(" and "))),
        }
    }
}

/// A number in whole thousands, with commas. The accuracy does not justify more digits.
fn in_thousands(number: f64) -> String {
    let thousands = (number / 1000.0).round();
    let (millions, rest) = ((thousands / 1000.0).floor(), thousands % 1000.0);
    match millions > 0.0 {
        true => format!("{millions},{rest:03},000"),
        false => format!("{rest},000"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_aligned_markdown() {
        let cost = |block: &str, fmax_mhz| Cost {
            block: block.into(),
            logic_cells: 123,
            flip_flops: 45,
            block_rams: 0,
            fmax_mhz,
        };
        let table = CostTable {
            device: DEVICE,
            tools: vec!["yosys 1".into(), "nextpnr-ice40 2".into()],
            blocks: vec![cost("Uart<8>", Some(123.5)), cost("OpenDrainWire", None)],
        };
        assert_eq!(
            table.to_string(),
            "\
iCE40 HX8K (7680 logic cells, 32 block RAMs), each block placed and routed alone:

| block           | logic cells | flip-flops | block RAMs | fmax, MHz |
| --------------- | ----------: | ---------: | ---------: | --------: |
| `Uart<8>`       |         123 |         45 |          0 |       124 |
| `OpenDrainWire` |         123 |         45 |          0 |      none |

Measured with yosys 1 and nextpnr-ice40 2.
"
        );
    }
}

#[cfg(test)]
mod ecp5_cost_tests {
    use super::*;

    #[test]
    fn fitting_chips_are_rows_and_others_are_lines() {
        let mut table = Ecp5Table {
            dims: 1,
            nodes: 2,
            kind: NodeSharing::Own,
            chips: vec![
                Ecp5Row { chip: "ECP5-25F", fits: Fits::No { needs: "9 block RAMs of 8".into() } },
                Ecp5Row {
                    chip: "ECP5-85F",
                    fits: Fits::Yes {
                        logic_cells: 10,
                        logic_cells_available: 20,
                        flip_flops: 5,
                        block_rams: 9,
                        block_rams_available: 30,
                        fmax_mhz: Some(40.4),
                    },
                },
            ],
            tools: vec!["yosys 1".into(), "nextpnr-ecp5 2".into()],
        };
        assert_eq!(
            table.to_string(),
            "\
2 soft nodes of the 1-cube, each with its own core, with their wires and the phase clock:

| chip     | logic cells | flip-flops | block RAMs | fmax, MHz | instructions a second and node |
| -------- | ----------: | ---------: | ---------: | --------: | -----------------------------: |
| ECP5-85F |    10 of 20 |          5 |    9 of 30 |        40 |                     10,000,000 |

It does not fit the ECP5-25F: it needs 9 block RAMs of 8.
Measured with yosys 1 and nextpnr-ecp5 2.
"
        );
        // Two nodes and their supervisor share the core, so each gets a third.
        table.kind = NodeSharing::Shared;
        let text = table.to_string();
        assert!(text.contains(" 3,333,000 |"), "{text}");
    }
}
