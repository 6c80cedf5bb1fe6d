//! `phasecube verilog`: a design as Verilog.

use super::args::{parse_cube, Choice};
use super::{files, output, Failure};
use crate::kit::pin_mux;
use crate::rtl::catalog::Catalogued;
use crate::topology::Hypercube;
use crate::verilog::{publish, Prefix, Publication};
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

impl Choice for Catalogued {
    const WHAT: &'static str = "design";
    const READY: &'static [(&'static str, Self)] = &[
        ("pin-mux", Self::PinMux),
        ("link", Self::Link),
        ("cm1-router", Self::Cm1Router),
    ];
    const PLANNED: &'static [&'static str] = &["cube", "compare"];
}

/// Emit a design as Verilog
#[derive(Clone, Debug, Args)]
pub struct VerilogArgs {
    /// The design: pin-mux, link or cm1-router (of one chip: 7 rows, 16 processors, 32 bits of data)
    #[arg(long, value_name = "NAME", value_parser = Catalogued::parse)]
    design: Catalogued,

    /// Dimensions of the cube that the pin mux or router is for, 1 to 16 [default: 4]
    #[arg(long = "dims", value_name = "N", value_parser = parse_cube)]
    cube: Option<Hypercube>,

    /// The directory to write to. Else the link goes to stdout, and the pin mux,
    /// which is a kit of several files, into tdma_pin_mux
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// What the names of all modules begin with [default: phasecube_, and tdma_ for the
    /// pin mux]; '' for nothing
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<Prefix>,
}

/// Prints the design, or writes its files.
pub fn verilog(args: &VerilogArgs) -> Result<(), Failure> {
    if let (false, Some(cube)) = (args.design.has_dims(), args.cube) {
        if cube.dims() != 1 {
            return Err(Failure::BadInput(anyhow::anyhow!(
                "the design {} is a 1-cube; accepted: --dims 1, or no --dims",
                args.design.name()
            )));
        }
    }
    let dims = args.cube.map_or(4, |cube| cube.dims());
    if args.design == Catalogued::PinMux {
        return pin_mux_kit(args, dims);
    }
    let design = args
        .design
        .design(dims)
        .map_err(|e| Failure::Failed(e.into()))?;
    let published = publish(
        &design,
        &Publication {
            prefix: args.prefix.clone().unwrap_or_default(),
            ..Publication::default()
        },
    );
    let Some(dir) = &args.out else {
        return output::print(&published.verilog.to_string());
    };
    let written = published.files();
    let texts = written
        .iter()
        .map(|(name, text)| (name.clone(), text.as_str()));
    files::write_all(dir, &texts.collect::<Vec<_>>())
        .with_context(|| format!("the design {} was not written", args.design.name()))
        .map_err(Failure::Failed)?;
    output::print(&format!("{} files in {}\n", written.len(), dir.display()))
}

/// The pin mux with what a user of it needs: test benches, Makefile, README.
fn pin_mux_kit(args: &VerilogArgs, dims: u32) -> Result<(), Failure> {
    let dir = args.out.as_deref();
    let dir = dir.unwrap_or_else(|| pin_mux::DIRECTORY.as_ref());
    let kit = match &args.prefix {
        Some(prefix) => pin_mux::files_with_prefix(dims, prefix),
        None => pin_mux::files(dims),
    };
    let files = kit
        .iter()
        .map(|file| (file.name.clone(), file.text.as_str()));
    files::write_all(dir, &files.collect::<Vec<_>>())
        .context("the pin mux was not written")
        .map_err(Failure::Failed)?;
    output::print(&format!("{} files in {}\n", kit.len(), dir.display()))
}
