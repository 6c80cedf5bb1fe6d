//! `phasecube cost`: FPGA resources of the blocks.

use super::{cost_dir, files, output, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use interconnect::topology::Hypercube;
use lab::kit::{MeasuredBlock, BLOCKS, WHOLE_DESIGNS};
use lab::report::{CoreTable, CostTable, Ecp5Table, NodeSharing};
use machine::flags::{within, OutputFlags};
use rtl::hosted::HostedShape;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use strsim::jaro_winkler;
use toolchain::Toolchain;

/// Measure the logic cells and the clock of each block on the iCE40 HX8K of the Alchitry Cu
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube cost 'Node<4>' Crc16\n  phasecube cost --verilog cpu.v --top cpu"
)]
pub struct CostArgs {
    /// Blocks to measure, by their names in the table [default: all]
    #[arg(value_name = "BLOCK", conflicts_with_all = ["verilog", "whole", "cores", "ecp5"])]
    blocks: Vec<String>,
    /// Measure whole machines on one chip instead: the 16 nodes of the 4-cube, and the images of
    /// the 3-cube, of the torus and of minimal rotation; takes minutes
    #[arg(long, conflicts_with = "verilog")]
    whole: bool,
    /// Compare the soft core with published cores on the same program; the cores are fetched
    #[arg(long, conflicts_with_all = ["verilog", "whole"])]
    cores: bool,
    /// Measure the soft nodes of an N-cube (2 to 6 dimensions), each with its own core, on ECP5s of
    /// 25, 45 and 85 thousand cells instead; takes minutes for each chip
    #[arg(long, value_name = "N", value_parser = within::<u32>(2, 6), conflicts_with_all = ["verilog", "whole", "cores"])]
    ecp5: Option<u32>,
    /// With --ecp5 3 to 6, measure nodes that share one core and one frame engine with their
    /// supervisor, as on a board
    #[arg(long, requires = "ecp5")]
    shared: bool,
    /// With --cores, also measure cores that package registries do not have, from clones of
    /// github.com/olofk/serv as DIR/serv, github.com/BrunoLevy/learn-fpga as DIR/learn-fpga and
    /// github.com/eembc/coremark as DIR/coremark. The output names those that are missing
    #[arg(long, value_name = "DIR", requires = "cores")]
    sources: Option<PathBuf>,
    /// Measure a module of this Verilog file instead, in the same way
    #[arg(long, value_name = "FILE", requires = "top")]
    verilog: Option<PathBuf>,
    /// Name of the module to measure in the file of --verilog
    #[arg(long, value_name = "MODULE", requires = "verilog")]
    top: Option<String>,
    #[command(flatten)]
    output: OutputFlags,
}

/// Prints the table.
pub fn cost(args: &CostArgs) -> Result<(), CliError> {
    let module = match (&args.verilog, &args.top) {
        (Some(path), Some(top)) => Some((read_verilog(path)?, top)),
        _ => None,
    };
    let blocks = args.blocks()?;
    if let (Some(dims), true) = (args.ecp5, args.shared) {
        if HostedShape::cube(dims).is_none() {
            return Err(CliError::BadInput(anyhow!(
                "the nodes of a {dims}-cube cannot share a core; accepted with --shared: --ecp5 3 to 6"
            )));
        }
    }
    let tools = Toolchain::open()?;
    let dir = cost_dir();
    if args.cores {
        let table = CoreTable::measure(&tools, args.sources.as_deref(), &dir)?;
        return output::print(&match args.output.json {
            true => serde_json::to_string(&table).expect("numbers and names are JSON") + "\n",
            false => table.to_string(),
        });
    }
    if let Some(dims) = args.ecp5 {
        let kind = match args.shared {
            true => NodeSharing::Shared,
            false => NodeSharing::Own,
        };
        let table = Ecp5Table::measure(&tools, Hypercube::of(dims), kind, &dir)?;
        return output::print(&match args.output.json {
            true => serde_json::to_string(&table).expect("numbers and names are JSON") + "\n",
            false => table.to_string(),
        });
    }
    let table = match module {
        Some((text, top)) => CostTable::of_verilog(&tools, &text, top, &dir)?,
        _ if args.whole => CostTable::measure(&tools, WHOLE_DESIGNS, &dir)?,
        _ => CostTable::measure(&tools, &blocks, &dir)?,
    };
    output::print(&match args.output.json {
        true => serde_json::to_string(&table).expect("numbers and names are JSON") + "\n",
        false => table.to_string(),
    })
}

impl CostArgs {
    /// Returns the named blocks, each once, in the order of the table. Without names, returns all
    /// blocks.
    fn blocks(&self) -> Result<Vec<MeasuredBlock>, CliError> {
        if let Some(unknown) = self.blocks.iter().find(|name| find_block(name).is_none()) {
            let likeness =
                |block: &&MeasuredBlock| (jaro_winkler(block.name, unknown) * 1e6) as u32;
            let mut near: Vec<&MeasuredBlock> = BLOCKS.iter().collect();
            near.sort_by_key(|block| Reverse(likeness(block)));
            let near: Vec<&str> = near.iter().take(3).map(|block| block.name).collect();
            return Err(CliError::BadInput(anyhow!(
                "there is no block {unknown:?}; accepted: those of the table that `phasecube cost` \
                 prints; the nearest are {}",
                near.join(", ")
            )));
        }
        let is_selected = |block: &&MeasuredBlock| {
            self.blocks.is_empty() || self.blocks.iter().any(|name| name == block.name)
        };
        Ok(BLOCKS.iter().filter(is_selected).copied().collect())
    }
}

fn find_block(name: &str) -> Option<&'static MeasuredBlock> {
    BLOCKS.iter().find(|block| block.name == name)
}

/// Largest accepted Verilog file in bytes.
const VERILOG_MAX: u64 = 16 << 20;

fn read_verilog(path: &Path) -> Result<String, CliError> {
    let text = String::from_utf8(files::read(path, VERILOG_MAX)?);
    text.with_context(|| format!("{}: it is not text in UTF-8", path.display()))
        .map_err(CliError::BadInput)
}
