//! From a design to the image of a board: synthesis, placement, timing, bitstream.

use super::blocks::BlockTable;
use super::flow::Source;
use super::paths::critical_path;
use super::sha256::sha256;
use super::top::{top, Top, MACHINE};
use super::{Board, BoardDesign};
use crate::toolchain::{Capacity, SynthReport, ToolError, Toolchain};
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A design on its chip, with all that is known of it.
#[derive(Clone, Debug)]
pub struct Built {
    pub board: &'static Board,
    /// The design's name, as its image is called.
    pub design: String,
    pub clock_mhz: u32,
    pub baud: u32,
    /// The file for the flash.
    pub image: Vec<u8>,
    /// The digest of what it was made of.
    pub source_sha256: String,
    /// What the whole chip costs, and the tools.
    pub report: SynthReport,
    /// What the chip has.
    pub capacity: Capacity,
    /// What each of its blocks costs.
    pub blocks: BlockTable,
    /// What the machine clock reached, in MHz.
    pub fmax_mhz: f64,
    /// The slowest path at the machine clock, by name.
    pub critical_path: String,
    /// The tools that made the image, and what the design was made with.
    pub tools: Vec<String>,
}

/// Why there is no image.
#[derive(Debug, Error)]
pub enum BuildError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("the {board} makes no clock of {mhz} MHz from its crystal of {crystal} MHz")]
    NoClock {
        board: &'static str,
        mhz: u32,
        crystal: u32,
    },
    #[error(
        "{design} is too slow for the {board}: its clock {clock} reaches {reached:.1} MHz, {wanted} MHz is wanted\n{path}"
    )]
    TooSlow {
        design: String,
        board: &'static str,
        clock: String,
        reached: f64,
        wanted: f64,
        path: String,
    },
    #[error("no clock of {0} has a path from register to register")]
    NoPath(String),
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// Puts a design on a board's chip: synthesis, placement, image. What was made
/// before in `work_dir` of the same sources by the same tools is used again.
///
/// # Errors
/// If the design does not fit, or is slower than the clock that it is to run at,
/// or a tool is missing or fails.
pub fn build(
    tools: &Toolchain,
    board: &'static Board,
    design: &BoardDesign,
    work_dir: &Path,
) -> Result<Built, BuildError> {
    let mhz = design.clock_mhz();
    let top = whole_chip(board, design)?;
    let source = Source {
        verilog: &top.text,
        top: &top.name,
        constraints: board.constraints,
        mhz,
    };
    let made = board.flow.make(tools, &source, work_dir)?;
    let clocks = &made.placement;
    if let Some(slow) = clocks.too_slow() {
        return Err(BuildError::TooSlow {
            design: design.name().into(),
            board: board.title,
            clock: slow.name.clone(),
            reached: slow.reached_mhz,
            wanted: slow.wanted_mhz,
            path: critical_path(slow),
        });
    }
    // The net of the machine clock has one of its two names.
    let is_machines = |name: &str| name.starts_with(MACHINE);
    let machine = clocks.clocks.iter().find(|clock| is_machines(&clock.name));
    let machine = machine.ok_or_else(|| BuildError::NoPath(design.name().into()))?;
    Ok(Built {
        board,
        design: design.name().into(),
        clock_mhz: mhz,
        baud: design.baud(),
        image: std::fs::read(&made.image).map_err(|source| BuildError::Read {
            path: made.image,
            source,
        })?,
        source_sha256: digest(board, &top),
        capacity: made.placement.capacity,
        blocks: BlockTable::new(&top.design, &made.placement.cells),
        fmax_mhz: machine.reached_mhz,
        critical_path: critical_path(machine),
        tools: [made.report.tools.as_slice(), design.ingredients()].concat(),
        report: made.report,
    })
}

/// The digest of what an image of the design is made of: the Verilog of the whole
/// chip in its [`canonical`](hdl::verilog::canonical) form, contents of memories included, and
/// the constraints. In hexadecimal. Comments and names inside the design do not count.
///
/// # Errors
/// If the board has no such clock.
pub fn source_sha256(board: &Board, design: &BoardDesign) -> Result<String, BuildError> {
    Ok(digest(board, &whole_chip(board, design)?))
}

fn digest(board: &Board, top: &Top) -> String {
    sha256(format!("{}\n{}", top.identity, board.constraints).as_bytes())
}

/// The Verilog of the whole chip: the design with the board around it.
///
/// # Errors
/// If the board has no such clock.
pub fn whole_chip(board: &Board, design: &BoardDesign) -> Result<Top, BuildError> {
    top(board, design).ok_or(BuildError::NoClock {
        board: board.title,
        mhz: design.clock_mhz(),
        crystal: board.crystal_mhz,
    })
}

impl Built {
    /// What its file is called.
    pub fn file_name(&self) -> String {
        let extension = self.board.flow.extension();
        format!("{}-{}.{extension}", self.board.name, self.design)
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} on the {}: clock of {} MHz from {} MHz, host port at {} baud\n",
            self.design, self.board.title, self.clock_mhz, self.board.crystal_mhz, self.baud
        )?;
        writeln!(f, "{}", self.blocks)?;
        writeln!(
            f,
            "Of the {}: {} of {} logic cells, {} of {} block RAMs.",
            self.board.flow.chip(),
            self.report.logic_cells,
            self.capacity.logic_cells,
            self.report.block_rams,
            self.capacity.block_rams
        )?;
        writeln!(
            f,
            "The clock may have {:.1} MHz. {}",
            self.fmax_mhz, self.critical_path
        )?;
        writeln!(f, "By {}.", together(&self.tools))
    }
}

/// Tools with what each is called, its version and origin; what several of them share
/// is said once: `yosys 1 (a), icepack, icemulti 2 (b)`.
fn together(tools: &[String]) -> String {
    let mut text = String::new();
    let mut rests = tools.iter().map(|tool| tool.split_once(' ')).peekable();
    let mut names = tools.iter();
    while let (Some(rest), Some(tool)) = (rests.next(), names.next()) {
        let next = rests.peek();
        let shared = |next: &Option<(&str, &str)>| match (rest, next) {
            (Some((_, own)), Some((_, next))) => own == *next,
            _ => false,
        };
        match (rest, next.is_some_and(shared)) {
            (Some((name, _)), true) => text += name,
            _ => text += tool,
        }
        if next.is_some() {
            text += ", ";
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::together;

    #[test]
    fn a_version_that_tools_share_is_said_once() {
        let said =
            |tools: &[&str]| together(&tools.iter().map(|t| (*t).into()).collect::<Vec<_>>());
        let tools = ["yosys 1 (a)", "pnr 2 (b)", "icepack 2 (b)", "cc 2 (c)"];
        assert_eq!(said(&tools), "yosys 1 (a), pnr, icepack 2 (b), cc 2 (c)");
        assert_eq!(said(&["icepack", "icemulti"]), "icepack, icemulti");
        assert_eq!(said(&[]), "");
    }
}
