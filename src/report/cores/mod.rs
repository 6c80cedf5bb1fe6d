//! The soft core beside cores that others published: the cells that they take, and
//! what they do with a clock cycle on the same program.
//!
//! * `published`: which cores, and how their sources are fetched;
//! * `trial`: the program, and a run of it.
//!
//! Every core is built and run in the same way, from sources that are fetched when
//! they are wanted: nothing of them is kept here.

mod published;
mod trial;

use super::cost::{mhz, CostError};
use super::table::Table;
use crate::lower::{lower, LowerErrors};
use crate::rtl::core::OwnCore;
use crate::toolchain::{ToolError, Toolchain};
use crate::verilog;
use published::{MISSING, PUBLISHED};
use serde::Serialize;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CoresError {
    #[error(transparent)]
    Cost(#[from] CostError),
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    #[error("the program of the trial: {0}")]
    Program(String),
    #[error("{core}: the program has not ended within {clock_cycles} clock cycles")]
    Endless { core: String, clock_cycles: u64 },
    #[error("{core} has computed 0x{found:X}, and {other} 0x{expected:X}")]
    Wrong {
        core: String,
        found: u32,
        other: String,
        expected: u32,
    },
}

impl From<ToolError> for CoresError {
    fn from(error: ToolError) -> Self {
        CoresError::Cost(error.into())
    }
}

impl From<LowerErrors> for CoresError {
    fn from(error: LowerErrors) -> Self {
        CoresError::Cost(error.into())
    }
}

/// One core.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Core {
    pub name: String,
    /// Where its source is from; of ours, nothing.
    pub package: Option<String>,
    /// Alone on the chip, with its registers.
    pub logic_cells: usize,
    pub block_rams: usize,
    pub fmax_mhz: Option<f64>,
    /// Clock cycles for an instruction of the program, with a memory that answers one
    /// clock cycle after the request.
    pub clock_cycles_per_instruction: f64,
    /// Times that a million clock cycles do the work of the program.
    pub runs_per_million_clock_cycles: f64,
}

/// Cores on the same chip and the same program; prints as a table in Markdown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoreTable {
    pub device: &'static str,
    /// What they were measured with.
    pub tools: Vec<String>,
    pub cores: Vec<Core>,
    /// Those that are not in it, and why.
    pub missing: Vec<String>,
}

/// A core as a circuit: Verilog with the modules `top`, which is synthesised, and
/// `core_on_bench`, which is run.
struct Contender {
    name: String,
    package: Option<String>,
    verilog: String,
    top: &'static str,
}

impl CoreTable {
    /// Measures our core, and those published ones that can be fetched.
    ///
    /// # Errors
    /// If a tool is missing or fails, or if cores compute different results.
    pub fn measure(tools: &Toolchain, work_dir: &Path) -> Result<Self, CoresError> {
        let own = verilog::emit(&lower(&OwnCore::default())?);
        let mut contenders = vec![Contender {
            name: "OwnCore".into(),
            package: None,
            verilog: format!("{own}\n{}", include_str!("own_core.v")),
            top: "own_core",
        }];
        let mut missing: Vec<String> = MISSING.iter().map(|why| (*why).into()).collect();
        for core in PUBLISHED {
            match core.fetch(work_dir) {
                Ok(verilog) => contenders.push(Contender {
                    name: core.name.into(),
                    package: Some(core.pin()),
                    verilog,
                    top: core.top,
                }),
                Err(why) => missing.push(format!("{}: {why}", core.name)),
            }
        }
        let trial = trial::Trial::new(tools, work_dir)?;
        let mut table = CoreTable {
            device: super::cost::DEVICE,
            tools: vec![],
            cores: vec![],
            missing,
        };
        let mut first: Option<(String, trial::Ran)> = None;
        for contender in contenders {
            let report = tools.synthesize_ice40(&contender.verilog, contender.top, work_dir)?;
            let ran = trial.run(&contender)?;
            let (other, expected) = first.get_or_insert_with(|| (contender.name.clone(), ran));
            if ran.result != expected.result {
                return Err(CoresError::Wrong {
                    core: contender.name,
                    found: ran.result,
                    other: other.clone(),
                    expected: expected.result,
                });
            }
            // Ours tells how many they are.
            let instructions = f64::from(expected.instructions);
            let clock_cycles = f64::from(ran.clock_cycles);
            table.tools = report.tools;
            table.cores.push(Core {
                name: contender.name,
                package: contender.package,
                logic_cells: report.logic_cells,
                block_rams: report.block_rams,
                fmax_mhz: report.fmax_mhz,
                clock_cycles_per_instruction: clock_cycles / instructions,
                runs_per_million_clock_cycles: f64::from(trial.runs()) * 1e6 / clock_cycles,
            });
        }
        table.tools.push(tools.verilator()?.to_string());
        table.tools.push(tools.riscv_cc()?.to_string());
        Ok(table)
    }
}

impl fmt::Display for CoreTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = [
            "core",
            "logic cells",
            "block RAMs",
            "fmax, MHz",
            "clock cycles for an instruction",
            "kernel runs per million clock cycles",
            "kernel runs a second at fmax",
        ];
        let mut table = Table::new(1, heading);
        for core in &self.cores {
            let runs = core.runs_per_million_clock_cycles;
            let a_second = core.fmax_mhz.map(|fmax| format!("{:.0}", fmax * runs));
            table.row([
                core.name.clone(),
                core.logic_cells.to_string(),
                core.block_rams.to_string(),
                mhz(core.fmax_mhz),
                format!("{:.2}", core.clock_cycles_per_instruction),
                format!("{runs:.2}"),
                a_second.unwrap_or_else(|| "none".into()),
            ]);
        }
        writeln!(
            f,
            "{}, each core alone with its registers:\n\n{table}",
            self.device
        )?;
        for why in &self.missing {
            writeln!(f, "Not here: {why}.")?;
        }
        let packages = self.cores.iter().filter_map(|core| core.package.as_deref());
        let packages: Vec<&str> = packages.collect();
        if !packages.is_empty() {
            writeln!(f, "Sources: {}.", packages.join(", "))?;
        }
        writeln!(f, "Measured with {}.", self.tools.join(", "))
    }
}
