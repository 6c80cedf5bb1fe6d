//! What blocks cost on the FPGA.

use super::Block;
use crate::lower::LowerErrors;
use crate::toolchain::{SynthReport, ToolError, Toolchain};
use crate::verilog;
use serde::Serialize;
use std::fmt;
use std::path::Path;
use thiserror::Error;

/// The chip that the costs are for.
pub const DEVICE: &str = "iCE40 HX8K";

/// Logic cells and block RAMs that it has.
pub const LOGIC_CELLS: usize = 7680;
pub const BLOCK_RAMS: usize = 32;

#[derive(Debug, Error)]
pub enum CostError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Tool(#[from] ToolError),
}

/// What one block costs, placed and routed alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// Its name, with its parameters.
    pub block: String,
    pub logic_cells: usize,
    pub flip_flops: usize,
    pub block_rams: usize,
    /// `None` if no path leads from register to register.
    pub fmax_mhz: Option<f64>,
}

/// What some blocks cost; prints as a table in Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostTable {
    pub device: &'static str,
    /// What they were measured with.
    pub tools: Vec<String>,
    pub blocks: Vec<Cost>,
}

impl CostTable {
    /// Measures the blocks, or recalls what was measured before in `work_dir`.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn measure(
        tools: &Toolchain,
        blocks: &[Block],
        work_dir: &Path,
    ) -> Result<Self, CostError> {
        let mut table = CostTable::empty();
        for block in blocks {
            let verilog = verilog::emit(&(block.design)()?);
            let report = tools.synthesize_ice40(&verilog.to_string(), verilog.top(), work_dir)?;
            table.add(block.name, report);
        }
        Ok(table)
    }

    /// Measures a module of any Verilog in the same way.
    ///
    /// # Errors
    /// If a tool is missing or fails, as it does on bad Verilog.
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
        self.blocks.push(Cost {
            block: block.into(),
            logic_cells: report.logic_cells,
            flip_flops: report.flip_flops,
            block_rams: report.block_rams,
            fmax_mhz: report.fmax_mhz,
        });
        self.tools = report.tools;
    }
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
        let width = |i: usize| match i {
            0 => self.blocks.iter().map(|cost| cost.block.len() + 2).max(),
            _ => None,
        };
        let widths: Vec<usize> = heading
            .iter()
            .enumerate()
            .map(|(i, text)| width(i).unwrap_or(0).max(text.len()))
            .collect();
        row(f, &widths, &heading.map(String::from))?;
        let rule = |i: usize| match i {
            0 => "-".repeat(widths[0]),
            _ => "-".repeat(widths[i] - 1) + ":",
        };
        row(f, &widths, &[0, 1, 2, 3, 4].map(rule))?;
        for cost in &self.blocks {
            let cells = [
                format!("`{}`", cost.block),
                cost.logic_cells.to_string(),
                cost.flip_flops.to_string(),
                cost.block_rams.to_string(),
                cost.fmax_mhz
                    .map_or_else(|| "none".into(), |mhz| format!("{mhz:.0}")),
            ];
            row(f, &widths, &cells)?;
        }
        writeln!(f, "\nMeasured with {}.", self.tools.join(" and "))
    }
}

/// The first column is set to the left, numbers to the right.
fn row(f: &mut fmt::Formatter<'_>, widths: &[usize], cells: &[String; 5]) -> fmt::Result {
    write!(f, "| {:<width$} |", cells[0], width = widths[0])?;
    for (cell, width) in cells.iter().zip(widths).skip(1) {
        write!(f, " {cell:>width$} |")?;
    }
    writeln!(f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_markdown_and_lines_up() {
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
