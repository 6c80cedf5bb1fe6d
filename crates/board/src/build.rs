//! Builds the image of a board from a design: synthesis, placement, timing, bitstream.

use super::flow::FlowInput;
use super::manifest::sha256;
use super::placed::{critical_path, BlockTable};
use super::{Board, BoardDesign, BoardDesignName};
use hdl::verilog::{self, canonical, without_comments, VerilogFiles};
use lockstep::design::{CellKind, Design, ModuleId};
use machine::text::{fitted, write_paragraph};
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toolchain::{Capacity, SynthReport, ToolError, Toolchain};

/// Design implemented on its chip, with all results.
#[derive(Clone, Debug)]
pub struct BuiltImage {
    pub board: &'static Board,
    /// Name of the design and of its image.
    pub design: String,
    pub clock_mhz: u32,
    pub baud: u32,
    /// File for the flash.
    pub image: Vec<u8>,
    /// Digest of the sources of the image.
    pub source_sha256: String,
    /// Resources of the whole chip, and the tools.
    pub report: SynthReport,
    /// Resources that the chip has.
    pub capacity: Capacity,
    /// Resources of each block.
    pub blocks: BlockTable,
    /// Highest frequency of the machine clock, in MHz.
    pub fmax_mhz: f64,
    /// Slowest path at the machine clock, by name.
    pub critical_path: String,
    /// Tools that made the image, and further ingredients of the design.
    pub tools: Vec<String>,
}

/// Reason why no image was built.
#[derive(Debug, Error)]
pub enum BuildError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("the {board} cannot make a clock of {mhz} MHz from its crystal of {crystal} MHz")]
    NoClock { board: &'static str, mhz: u32, crystal: u32 },
    #[error(
        "{design} is too slow for the {board}: its clock {clock} reaches {reached:.1} MHz; accepted: {wanted} MHz or more\n{path}"
    )]
    TooSlow {
        design: String,
        board: &'static str,
        clock: String,
        reached: f64,
        wanted: f64,
        path: String,
    },
    #[error(
        "{design} does not fit the {board}: it needs {needed} block RAMs or more, and the chip has {available}; accepted: a smaller --dims or a board with more of them"
    )]
    NoBlockRams { design: String, board: &'static str, needed: usize, available: usize },
    #[error("no clock of {0} has a path from register to register")]
    NoPath(String),
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
}

/// Placement seed of published images.
pub const DEFAULT_SEED: u32 = 1;

/// Implements a design on a board's chip: synthesis, placement, image. Results in `work_dir` from
/// the same sources, seed and tools are reused.
///
/// # Errors
/// If the design does not fit, is slower than the requested clock, or a tool is missing or fails.
pub fn build(
    tools: &Toolchain,
    board: &'static Board,
    design: &BoardDesign,
    seed: u32,
    work_dir: &Path,
) -> Result<BuiltImage, BuildError> {
    let mhz = design.clock_mhz();
    let chip = board.flow.block_rams();
    let needed = chip.for_design(design.circuit());
    if needed > chip.available {
        return Err(BuildError::NoBlockRams {
            design: design.name().into(),
            board: board.title,
            needed,
            available: chip.available,
        });
    }
    let top = chip_verilog(board, design)?;
    let source =
        FlowInput { verilog: &top.text, top: &top.name, constraints: board.constraints, mhz, seed };
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
    // The tools name the net of the machine clock after one of its two signals.
    let is_machines = |name: &str| name.starts_with(MACHINE);
    let machine = clocks.clocks.iter().find(|clock| is_machines(&clock.name));
    let machine = machine.ok_or_else(|| BuildError::NoPath(design.name().into()))?;
    Ok(BuiltImage {
        board,
        design: design.name().into(),
        clock_mhz: mhz,
        baud: design.baud(),
        image: std::fs::read(&made.image)
            .map_err(|source| BuildError::Read { path: made.image, source })?,
        source_sha256: digest(board, &top),
        capacity: made.placement.capacity,
        blocks: BlockTable::new(&top.design, &made.placement.cells),
        fmax_mhz: machine.reached_mhz,
        critical_path: critical_path(machine),
        tools: [made.report.tools.as_slice(), design.ingredients()].concat(),
        report: made.report,
    })
}

/// Returns the SHA-256 digest of the sources of a design's image, in hexadecimal.
///
/// The sources are the constraints and the Verilog of the whole chip, including memory contents.
/// The Verilog has its [`canonical`](hdl::verilog::canonical) form, so comments and names inside
/// the design do not affect the digest. Comments of the constraints do not affect it either.
///
/// # Errors
/// If the board cannot make the design's clock.
pub fn source_sha256(board: &Board, design: &BoardDesign) -> Result<String, BuildError> {
    Ok(digest(board, &chip_verilog(board, design)?))
}

fn digest(board: &Board, top: &Top) -> String {
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let pins = board.constraints.lines().filter(|line| !is_comment(line));
    let pins: Vec<&str> = pins.collect();
    sha256(format!("{}\n{}", top.canonical_text, pins.join("\n")).as_bytes())
}

/// Verilog of the whole chip: the design inside the board's top module.
///
/// # Errors
/// If the board cannot make the design's clock.
pub fn chip_verilog(board: &Board, design: &BoardDesign) -> Result<Top, BuildError> {
    top(board, design).ok_or(BuildError::NoClock {
        board: board.title,
        mhz: design.clock_mhz(),
        crystal: board.crystal_mhz,
    })
}

impl BuiltImage {
    /// Formats the clock and the cells of the image, without the blocks.
    pub fn summary(&self) -> String {
        let per_node = self.nodes().map_or(String::new(), |nodes| {
            let each = |count: usize| count as f64 / f64::from(nodes);
            format!(
                "{nodes} nodes, for each {:.1} logic cells and {:.1} flip-flops.\n",
                each(self.report.logic_cells),
                each(self.report.flip_flops)
            )
        });
        format!(
            "{} on the {}: clock of {} MHz from {} MHz, host port at {} baud\n\
             Of the {}: {} of {} logic cells, {} flip-flops, {} of {} block RAMs.\n\
             {per_node}\
             The clock reaches {:.1} MHz.\n",
            self.design,
            self.board.title,
            self.clock_mhz,
            self.board.crystal_mhz,
            self.baud,
            self.board.flow.chip(),
            self.report.logic_cells,
            self.capacity.logic_cells,
            self.report.flip_flops,
            self.report.block_rams,
            self.capacity.block_rams,
            self.fmax_mhz
        )
    }

    /// Number of nodes, if the design is a cube.
    fn nodes(&self) -> Option<u32> {
        match BoardDesignName::from_image_name(&self.design)? {
            (BoardDesignName::Cube, dims) => Some(1 << dims),
            _ => None,
        }
    }

    /// File name of the image.
    pub fn file_name(&self) -> String {
        let extension = self.board.flow.extension();
        format!("{}-{}.{extension}", self.board.name, self.design)
    }
}

impl fmt::Display for BuiltImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.blocks.table();
        table.write(f, &[])?;
        let text = format!("\n{}\n{}\n", self.summary(), self.critical_path);
        f.write_str(&fitted(&text, f.width().unwrap_or(usize::MAX)))?;
        write_paragraph(f, &format!("By {}.", join_tools(&self.tools)))
    }
}

/// Joins tools, each with its name, version and origin. Tools that share version and origin are
/// listed together: `yosys 1 (a), icepack, icemulti 2 (b)`.
fn join_tools(tools: &[String]) -> String {
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

// Top module of a chip, composed of the board's Verilog and the design's.

/// Verilog of a whole chip.
pub struct Top {
    /// Verilog of the design, without the board's top module.
    pub design: VerilogFiles,
    /// All modules including the design's, without comments, so that comments do not change an
    /// image.
    pub text: String,
    /// Same text with the design in its [`canonical`] form, which is independent of the names
    /// inside the design. The digest of an image's sources is computed from this text.
    pub canonical_text: String,
    /// Name of the top module.
    pub name: String,
}

/// Name of the design's instance in the top module.
pub const MACHINE: &str = "machine";

/// Puts the design into the board's top module. `None` if the board cannot make the clock.
pub fn top(board: &Board, design: &BoardDesign) -> Option<Top> {
    let pll = board.flow.pll(board.crystal_mhz, design.clock_mhz())?;
    let circuit = match board.flow.delay_memories() {
        Some(shortest) => &design.circuit().with_delay_memories(shortest),
        None => design.circuit(),
    };
    let emitted = verilog::emit_for_placement(circuit);
    let name = board.name.replace('-', "_");
    let around = board
        .flow
        .top_template()
        .replace("@TITLE@", board.title)
        .replace("@TOP@", &name)
        .replace("@CRYSTAL@", &board.crystal_mhz.to_string())
        .replace("@MHZ@", &design.clock_mhz().to_string());
    let board_around = around.replace("@DESIGN@", emitted.top());
    let repeated = match board.flow.delay_memories() {
        Some(_) => repeated_modules(circuit),
        None => vec![],
    };
    let names = repeated.iter().map(|id| circuit.module(*id).name.clone());
    let text = kept_apart(emitted.to_string(), names);
    let names = repeated.iter().map(|id| canonical_name(*id));
    let circuit = kept_apart(canonical(circuit), names);
    Some(Top {
        text: without_comments(&format!("{text}\n{pll}\n{board_around}")),
        canonical_text: without_comments(&format!("{circuit}\n{pll}\n{around}")),
        name,
        design: emitted,
    })
}

/// Bits of registers and memories that make a module large.
const LARGE_BITS: u64 = 10_000;

/// Finds large modules with several instances in the same module, without those inside them.
/// Synthesis takes minutes for each copy if it dissolves the copies, because no pass knows that they
/// are equal.
fn repeated_modules(design: &Design) -> Vec<ModuleId> {
    let mut found = vec![];
    let mut open = vec![design.top];
    while let Some(id) = open.pop() {
        let instances = &design.module(id).instances;
        for instance in instances {
            let copies = instances.iter().filter(|of| of.module == instance.module);
            match copies.count() > 1 && state_bits(design, instance.module) > LARGE_BITS {
                true => found.push(instance.module),
                false => open.push(instance.module),
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Counts the bits of registers and of memories with an asynchronous read port. Block RAMs cost
/// little synthesis.
fn state_bits(design: &Design, id: ModuleId) -> u64 {
    let module = design.module(id);
    let width = |signal| module.signal(signal).width();
    let cells = module.cells.iter().map(|cell| match &cell.kind {
        CellKind::Register { q, .. } => u64::from(width(*q)),
        CellKind::Memory { read_address, read_data, asynchronous: true, .. } => {
            u64::from(width(*read_data)) << width(*read_address)
        }
        _ => 0,
    });
    let inside = module.instances.iter();
    let inside = inside.map(|instance| state_bits(design, instance.module));
    cells.sum::<u64>() + inside.sum::<u64>()
}

/// Name of a module in the text of [`canonical`].
fn canonical_name(id: ModuleId) -> String {
    format!("module_{}", id.index())
}

/// Requests from yosys that it synthesises each of these modules once.
fn kept_apart(verilog: String, names: impl Iterator<Item = String>) -> String {
    names.fold(verilog, |text, name| {
        let begin = format!("module {name} (");
        text.replace(&begin, &format!("(* keep_hierarchy *)\n{begin}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::networks::tdma::hosted::HostedCircuit;
    use machine::program::BoardMemory;
    use rtl::hosted::HostedShape;

    /// The groups of the 8-cube are synthesised once. Smaller cubes have nothing of the kind.
    #[test]
    fn groups_are_large_repeated_modules() {
        for (dims, expected) in [(3, vec![]), (6, vec![]), (8, vec!["node_group"])] {
            let shape = HostedShape::cube(dims).unwrap();
            let circuit = HostedCircuit::new(shape, BoardMemory { words: vec![] });
            let design = circuit.design().unwrap();
            for design in [design.with_delay_memories(48), design] {
                let found = repeated_modules(&design);
                let names = found.iter().map(|id| &*design.module(*id).name);
                assert_eq!(names.collect::<Vec<_>>(), expected, "{dims}");
                let names = found.iter().map(|id| design.module(*id).name.clone());
                let text = kept_apart(verilog::emit_for_placement(&design).to_string(), names);
                let kept = text.matches("(* keep_hierarchy *)\nmodule node_group (");
                assert_eq!(kept.count(), expected.len());
                let names = found.iter().map(|id| canonical_name(*id));
                let text = kept_apart(canonical(&design), names);
                let kept = text.matches("(* keep_hierarchy *)\nmodule module_");
                assert_eq!(kept.count(), expected.len());
            }
        }
    }

    #[test]
    fn a_shared_tool_version_is_printed_once() {
        let printed =
            |tools: &[&str]| join_tools(&tools.iter().map(|t| (*t).into()).collect::<Vec<_>>());
        let tools = ["yosys 1 (a)", "pnr 2 (b)", "icepack 2 (b)", "cc 2 (c)"];
        assert_eq!(printed(&tools), "yosys 1 (a), pnr, icepack 2 (b), cc 2 (c)");
        assert_eq!(printed(&["icepack", "icemulti"]), "icepack, icemulti");
        assert_eq!(printed(&[]), "");
    }
}
