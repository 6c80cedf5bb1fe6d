//! Cost of blocks on the FPGA.

use super::table::MarkdownTable;
use crate::kit::MeasuredBlock;
use hdl::lower::LowerErrors;
use hdl::verilog::{self, without_comments};
use lockstep::design::Design;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use thiserror::Error;
use toolchain::{SynthReport, ToolError, Toolchain};

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
        blocks: &[MeasuredBlock],
        work_dir: &Path,
    ) -> Result<Self, CostError> {
        let designs = blocks.iter().map(|block| (block.design)());
        let designs = designs.collect::<Result<Vec<Design>, _>>()?;
        let reports = designs
            .par_iter()
            .map(|design| synthesised(tools, design, work_dir));
        let reports = reports.collect::<Result<Vec<SynthReport>, _>>()?;
        let mut table = CostTable::empty();
        for (block, report) in blocks.iter().zip(reports) {
            table.add(block.name, report);
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

    fn empty() -> Self {
        CostTable {
            device: DEVICE,
            tools: vec![],
            blocks: vec![],
        }
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
    let verilog = verilog::emit(design);
    let text = without_comments(&verilog.to_string());
    tools.synthesize_ice40(&text, verilog.top(), work_dir)
}

impl fmt::Display for CostTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} ({LOGIC_CELLS} logic cells, {BLOCK_RAMS} block RAMs), each block placed and routed alone:\n",
            self.device
        )?;
        let heading = [
            "block",
            "logic cells",
            "flip-flops",
            "block RAMs",
            "fmax, MHz",
        ];
        let mut table = MarkdownTable::new(1, heading);
        for cost in &self.blocks {
            table.row([
                format!("`{}`", cost.block),
                cost.logic_cells.to_string(),
                cost.flip_flops.to_string(),
                cost.block_rams.to_string(),
                mhz(cost.fmax_mhz),
            ]);
        }
        writeln!(f, "{table}\nMeasured with {}.", self.tools.join(" and "))
    }
}

/// Frequency in whole megahertz, or `none`.
pub(super) fn mhz(fmax: Option<f64>) -> String {
    fmax.map_or_else(|| "none".into(), |mhz| format!("{mhz:.0}"))
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
