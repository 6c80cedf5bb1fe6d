//! `phasecube build`: builds an image for a board.

use super::file_flags::InputFiles;
use super::{build_dir, files, output, CliError};
use anyhow::{anyhow, Context};
use board::manifest::{Manifest, ManifestEntry};
use board::{self, Board, BoardDesignName, BuiltImage, BOARDS};
use clap::Args;
use interconnect::topology::Hypercube;
use machine::flags::{parse_cube, FlagChoice, OutputDir};
use std::path::Path;
use toolchain::{cache, Policy, Toolchain};

/// Build the image of a design for a board, and report its cells and its maximum clock
///
/// Fails if the design does not fit the chip or misses its clock.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube build --design cube --dims 3\n  phasecube build --board ulx3s --design echo"
)]
pub struct BuildArgs {
    /// Board to build for, a name that `phasecube boards` lists
    #[arg(long, value_name = "NAME", default_value = BOARDS[0].name, value_parser = <&Board>::parser(), hide_possible_values = true)]
    board: &'static Board,

    #[arg(long, value_name = "NAME", value_parser = BoardDesignName::parser(), hide_possible_values = true, help = designs())]
    design: BoardDesignName,

    /// Dimensions of the cube of the design, if it has one
    #[arg(long = "dims", value_name = "N", value_parser = parse_cube)]
    cube: Option<Hypercube>,

    /// Output directory of the image and its manifest [default: target/phasecube]
    #[arg(long, value_name = "DIR")]
    out: Option<OutputDir>,

    /// Write the image and its manifest to bitstreams/. Uses only the pinned tools, so that others
    /// get the same bytes
    #[arg(long, conflicts_with = "out")]
    publish: bool,
}

/// Formats the help of `--design`: each design with its description.
fn designs() -> String {
    let all = BoardDesignName::ALL.iter();
    let all: Vec<String> = all
        .map(|(name, design)| format!("{name}, {}", design.description()))
        .collect();
    format!("Design to build: {}", all.join("; "))
}

/// Directory of published images and their manifest.
const PUBLISHED_DIR: &str = "bitstreams";

/// Builds the design, writes the image and prints a summary.
pub fn build(args: &BuildArgs) -> Result<(), CliError> {
    let dims = dims(args)?;
    let dir = match (&args.out, args.publish) {
        (Some(dir), _) => dir.to_path_buf(),
        (None, true) => PUBLISHED_DIR.into(),
        (None, false) => build_dir(),
    };
    files::check_files("--out", &dir, &[Manifest::FILE], &InputFiles::default())?;
    let tools = match args.publish {
        true => Toolchain::new(cache::cache_dir()?, Policy::Pinned),
        false => Toolchain::open()?,
    };
    let design = args.design.design(dims, &tools, &build_dir())?;
    let design = design.with_clock_mhz(args.board.clock_mhz);
    let built = board::build(&tools, args.board, &design, &build_dir().join("board"))?;
    let entry = write(&built, &dir)
        .context("the image cannot be written")
        .map_err(CliError::Failed)?;
    output::print(&format!(
        "{built}\n{}: {} bytes, sha256 {}\n",
        dir.join(&entry.file).display(),
        entry.bytes,
        entry.sha256
    ))
}

/// Returns the dimensions, checked against those that the design accepts.
fn dims(args: &BuildArgs) -> Result<u32, CliError> {
    let (name, accepted) = (args.design.name(), args.design.dims());
    let requested = args.cube.map(Hypercube::dims);
    let wrong = |what: String| Err(CliError::BadInput(anyhow!(what)));
    match (requested, accepted) {
        (None, []) => Ok(0),
        (None, [first, ..]) => Ok(*first),
        (Some(dims), _) if accepted.contains(&dims) => Ok(dims),
        (Some(_), []) => wrong(format!(
            "the design {name} has no cube; accepted: no --dims"
        )),
        (Some(dims), _) => wrong(format!(
            "the design {name} is not built for {dims} dimensions; accepted: --dims {}",
            accepted
                .iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        )),
    }
}

/// Writes the image and adds it to the manifest in the same directory.
fn write(built: &BuiltImage, dir: &Path) -> anyhow::Result<ManifestEntry> {
    let entry = ManifestEntry::new(built);
    files::write_all(dir, &[(entry.file.clone(), &built.image)])?;
    let mut manifest = Manifest::read(dir)?;
    manifest.insert(entry.clone());
    files::write_all(dir, &[(Manifest::FILE.into(), manifest.to_string())])?;
    Ok(entry)
}
