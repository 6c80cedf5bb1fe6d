//! `phasecube verilog`: emits a design as Verilog.

use super::{cost_dir, files, output, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use hdl::verilog::{publish, Prefix, PublishedDesign};
use interconnect::topology::Hypercube;
use lab::kit::pin_mux::{self, KitFile};
use lab::kit::{kit, publication};
use lab::report::{CoreTable, CostError, CostTable, Ecp5Table, NodeSharing};
use machine::catalog::{ranges, CatalogEntry, CatalogGroup};
use machine::flags::{listed, parse_cube, within, CoreFlags, OutputDir, OutputFlags};
use machine::user_core::UserCore;
use machine::verilog::ElaborateError;
use rtl::hosted::HostedShape;
use std::path::{Path, PathBuf};
use toolchain::{progress, Toolchain, VERILOG};

/// Reads the name of a design.
fn design(word: &str) -> Result<&'static CatalogEntry, String> {
    let found = CatalogEntry::published().find(|entry| entry.name == word);
    found.ok_or_else(|| {
        let named = CatalogEntry::of(CatalogGroup::Design).map(|entry| entry.name);
        let named = named.collect::<Vec<_>>().join(", ");
        format!("there is no design {word:?}; accepted: {named}, and the blocks that --list lists")
    })
}

/// Emit a design as Verilog
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube verilog --list\n  phasecube verilog --design pin-mux --dims 12 --out kit\n  phasecube verilog --design 'FrameEngine<4>' --out frame-engine"
)]
pub struct VerilogArgs {
    /// List the designs and the blocks that they are made of
    #[arg(long)]
    list: bool,

    /// Design to emit; --list has the names
    #[arg(long, value_name = "NAME", value_parser = listed(design, CatalogEntry::published().map(|entry| entry.name)), hide_possible_values = true, required_unless_present = "list",
          conflicts_with = "list")]
    design: Option<&'static CatalogEntry>,

    /// Dimensions of the cube or torus of the design, or log2 of the nodes of a metacube; --list
    /// has the accepted numbers
    #[arg(long = "dims", value_name = "N", value_parser = parse_cube)]
    cube: Option<Hypercube>,

    /// Output directory: gets a file for each module, a self-checking test bench, a Makefile, a
    /// README and files for other flows. Without it, or with -, the modules go to standard output.
    /// The pin mux, a kit written by hand, goes into tdma_pin_mux by default
    #[arg(long, value_name = "DIR")]
    out: Option<OutputDir>,

    /// Replace files in the output directory that were changed by hand or belong to another design
    #[arg(long)]
    force: bool,

    /// Prefix of the names of all modules, '' for none [default: phasecube_, and tdma_ for the pin
    /// mux]
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<Prefix>,
}

/// Lists the designs, prints one, or writes its files.
pub fn verilog(args: &VerilogArgs) -> Result<(), CliError> {
    let Some(entry) = args.design else {
        return output::print_text(&list_designs());
    };
    let dims = dims(args, entry)?;
    if entry.name == pin_mux::DESIGN {
        return write_kit(args, entry, pin_mux::files_for(dims, args.prefix.as_ref()));
    }
    let design = entry.design(dims).map_err(|e| CliError::Failed(e.into()))?;
    let mut publication = publication();
    if let Some(prefix) = &args.prefix {
        publication.prefix = prefix.clone();
    }
    let published = publish(&design, &publication);
    write_published(&published, args.out.as_deref(), args.force, CHANGED)
}

/// Writes a published design with its kit into a directory, or prints its modules if there is none
/// or it is `-`. `reason` says why an existing file would be kept.
pub(super) fn write_published(
    published: &PublishedDesign,
    out: Option<&Path>,
    force: bool,
    reason: &str,
) -> Result<(), CliError> {
    match out {
        Some(dir) if dir.as_os_str() != "-" => {
            let files = kit(published).map_err(|e| CliError::Failed(e.into()))?;
            files::write_kit(dir, &files, force, reason)
        }
        _ => output::print(&published.verilog.to_string()),
    }
}

/// Lists the names of all designs with their possible dimensions.
fn list_designs() -> String {
    let widest = CatalogEntry::published().map(|entry| entry.name.len()).max();
    let lines = CatalogEntry::published().map(|entry| {
        let dims = match entry.dims {
            [] => String::new(),
            [one] => format!("; --dims {one}"),
            dims => format!("; --dims {}", ranges(dims)),
        };
        let width = widest.unwrap_or_default();
        format!("{:width$}  {}{dims}\n", entry.name, entry.description)
    });
    lines.collect()
}

/// Returns the selected number of dimensions.
fn dims(args: &VerilogArgs, entry: &CatalogEntry) -> Result<u32, CliError> {
    match args.cube {
        None => Ok(entry.default_dims),
        Some(cube) => {
            let dims = entry.check_dims(cube.dims());
            dims.map_err(|e| CliError::BadInput(e.into()))
        }
    }
}

/// Writes a kit of several files that were written by hand.
fn write_kit(args: &VerilogArgs, entry: &CatalogEntry, kit: Vec<KitFile>) -> Result<(), CliError> {
    let dir = args.out.as_deref();
    let dir = dir.unwrap_or_else(|| pin_mux::DIRECTORY.as_ref());
    if dir.as_os_str() == "-" {
        return Err(CliError::BadInput(anyhow!(
            "the design {} has several files and cannot go to standard output; accepted: --out DIR",
            entry.name
        )));
    }
    let files = kit.into_iter().map(|file| (file.name, file.text));
    files::write_kit(dir, &files.collect::<Vec<_>>(), args.force, CHANGED)
}

/// Reason why a file of a design is kept.
const CHANGED: &str = "changed by hand, or of another design, --dims or version";

// `phasecube cost`: FPGA resources of the blocks.

/// Measure the logic cells and the clock of each block on the iCE40 HX8K of the Alchitry Cu
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube cost 'Node<4>' Crc16\n  phasecube cost --verilog cpu.v --top cpu"
)]
pub struct CostArgs {
    /// Blocks to measure, by their names in the table [default: all]
    #[arg(value_name = "BLOCK", value_parser = listed(block, CatalogEntry::of(CatalogGroup::Block).map(|block| block.name)), hide_possible_values = true, conflicts_with_all = ["verilog", "whole", "cores", "ecp5"])]
    blocks: Vec<&'static CatalogEntry>,
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
    core: CoreFlags,
    #[command(flatten)]
    output: OutputFlags,
}

/// Prints the table.
pub fn cost(args: &CostArgs) -> Result<(), CliError> {
    let module = match (&args.verilog, &args.top) {
        (Some(path), Some(top)) => Some((path, read_verilog(path)?, top)),
        _ => None,
    };
    if let (Some(dims), true) = (args.ecp5, args.shared) {
        if HostedShape::cube(dims).is_none() {
            return Err(CliError::BadInput(anyhow!(
                "the nodes of a {dims}-cube cannot share a core; accepted with --shared: --ecp5 3 to 6"
            )));
        }
    }
    let tools = Toolchain::open()?;
    let dir = cost_dir();
    if !args.core.core.is_empty() {
        args.check_core_alone()?;
        let core = UserCore::open(&args.core, &tools, &dir)?;
        core.notes.iter().for_each(|line| progress::note(line));
        let table = CostTable::of_core(&tools, &core, &dir)?;
        return output::print_json_or(args.output.json, &table);
    }
    if args.cores {
        let table = CoreTable::measure(&tools, args.sources.as_deref(), &dir)?;
        return output::print_json_or(args.output.json, &table);
    }
    if let Some(dims) = args.ecp5 {
        let kind = match args.shared {
            true => NodeSharing::Shared,
            false => NodeSharing::Own,
        };
        let table = Ecp5Table::measure(&tools, Hypercube::of(dims), kind, &dir)?;
        return output::print_json_or(args.output.json, &table);
    }
    let table = match module {
        Some((path, text, top)) => {
            let table = CostTable::of_verilog(&tools, &text, top, &dir);
            table.map_err(|error| error_in_source(error, path))?
        }
        _ if args.whole => {
            let machines: Vec<_> = CatalogEntry::of(CatalogGroup::Machine).collect();
            CostTable::measure(&tools, &machines, &dir)?
        }
        _ => CostTable::measure(&tools, &args.blocks(), &dir)?,
    };
    output::print_json_or(args.output.json, &table)
}

impl CostArgs {
    /// Refuses flags and blocks that ask for tables of anything but a core.
    fn check_core_alone(&self) -> Result<(), CliError> {
        let others = [
            (!self.blocks.is_empty(), "BLOCK"),
            (self.whole, "--whole"),
            (self.cores, "--cores"),
            (self.ecp5.is_some(), "--ecp5"),
            (self.verilog.is_some(), "--verilog"),
        ];
        match others.iter().find(|(given, _)| *given) {
            Some((_, other)) => Err(CliError::BadInput(anyhow!(
                "--core does not go with {other}; accepted: --core alone, or {other} without it"
            ))),
            None => Ok(()),
        }
    }

    /// Returns the named blocks, each once, in the order of the table. Without names, returns all
    /// blocks.
    fn blocks(&self) -> Vec<&'static CatalogEntry> {
        let mut blocks: Vec<_> = CatalogEntry::of(CatalogGroup::Block).collect();
        blocks.retain(|block| {
            self.blocks.is_empty() || self.blocks.iter().any(|other| other.name == block.name)
        });
        blocks
    }
}

/// Reads the name of a block.
fn block(name: &str) -> Result<&'static CatalogEntry, String> {
    let found = CatalogEntry::of(CatalogGroup::Block).find(|block| block.name == name);
    found.ok_or_else(|| {
        format!(
            "there is no block {name:?}; accepted: those of the table that `phasecube cost` prints"
        )
    })
}

/// Gives messages of yosys about the copy of the user's file the name of the file.
fn error_in_source(error: CostError, path: &Path) -> CliError {
    let CostError::Tool(error) = error else {
        return error.into();
    };
    let name = path.display().to_string();
    ElaborateError::of_failure(error, &name, |text| text.replace(VERILOG, &name)).into()
}

/// Largest accepted Verilog file in bytes.
const VERILOG_MAX: u64 = 16 << 20;

fn read_verilog(path: &Path) -> Result<String, CliError> {
    let text = String::from_utf8(files::read(path, VERILOG_MAX)?);
    text.with_context(|| format!("{}: it is not text in UTF-8", path.display()))
        .map_err(CliError::BadInput)
}
