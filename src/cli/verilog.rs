//! `phasecube verilog`: emits a design as Verilog.

use super::file_flags::InputFiles;
use super::files;
use super::{output, CliError};
use anyhow::{anyhow, Context};
use clap::Args;
use hdl::verilog::{publish, Prefix};
use interconnect::topology::Hypercube;
use lab::kit::pin_mux::{self, KitFile};
use lab::kit::{catalog, kit, publication, ranges, CatalogEntry, DesignSource, NAMED_DESIGNS};
use machine::flags::{parse_cube, OutputDir};
use std::path::Path;

/// Reads the name of a design.
fn design(word: &str) -> Result<CatalogEntry, String> {
    let found = catalog().iter().find(|entry| entry.name == word);
    found.copied().ok_or_else(|| {
        let named = NAMED_DESIGNS.iter().map(|entry| entry.name);
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
    #[arg(long, value_name = "NAME", value_parser = design, required_unless_present = "list",
          conflicts_with = "list")]
    design: Option<CatalogEntry>,

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
        return output::print(&list_designs());
    };
    let dims = dims(args, entry)?;
    if let DesignSource::HandWritten { files, .. } = entry.source {
        return write_kit(args, entry, files(dims, args.prefix.as_ref()));
    }
    let design = entry.design(dims).map_err(|e| CliError::Failed(e.into()))?;
    let mut publication = publication();
    if let Some(prefix) = &args.prefix {
        publication.prefix = prefix.clone();
    }
    let published = publish(&design, &publication);
    match &args.out {
        Some(dir) if dir.as_os_str() != "-" => {
            let files = kit(&published).map_err(|e| CliError::Failed(e.into()))?;
            write_files(args, entry, dir, &files)
        }
        _ => output::print(&published.verilog.to_string()),
    }
}

/// Lists the names of all designs with their possible dimensions.
fn list_designs() -> String {
    let widest = catalog().iter().map(|entry| entry.name.len()).max();
    let lines = catalog().iter().map(|entry| {
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
fn dims(args: &VerilogArgs, entry: CatalogEntry) -> Result<u32, CliError> {
    match args.cube {
        None => Ok(entry.default_dims),
        Some(cube) => {
            let dims = entry.check_dims(cube.dims());
            dims.map_err(|e| CliError::BadInput(e.into()))
        }
    }
}

/// Writes a kit of several files that were written by hand.
fn write_kit(args: &VerilogArgs, entry: CatalogEntry, kit: Vec<KitFile>) -> Result<(), CliError> {
    let dir = args.out.as_deref();
    let dir = dir.unwrap_or_else(|| pin_mux::DIRECTORY.as_ref());
    if dir.as_os_str() == "-" {
        return Err(CliError::BadInput(anyhow!(
            "the design {} has several files and cannot go to standard output; accepted: --out DIR",
            entry.name
        )));
    }
    let files = kit.into_iter().map(|file| (file.name, file.text));
    write_files(args, entry, dir, &files.collect::<Vec<_>>())
}

/// Writes files. Files that the user has changed are not overwritten.
fn write_files(
    args: &VerilogArgs,
    entry: CatalogEntry,
    dir: &Path,
    files: &[(String, impl AsRef<[u8]>)],
) -> Result<(), CliError> {
    let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
    files::check_files("--out", dir, &names, &InputFiles::default())?;
    let changed = files::changed_files(dir, files);
    if let ([first, others @ ..], false) = (&changed[..], args.force) {
        let more = match others.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return Err(CliError::BadInput(anyhow!(
            "{}{more} would be overwritten: changed by hand, or of another design, --dims or \
             version; accepted: --force, or another --out",
            first.display()
        )));
    }
    files::write_all(dir, files)
        .with_context(|| format!("the design {} cannot be written", entry.name))
        .map_err(CliError::Failed)?;
    output::print(&format!("{} files in {}\n", files.len(), dir.display()))
}
