//! `phasecube verilog`: a design as Verilog.

use super::files::{self, Target};
use super::{output, Failure};
use crate::flags::{parse_cube, Choice};
use crate::kit::{pin_mux, publication, Catalogued};
use crate::topology::Hypercube;
use anyhow::{anyhow, Context};
use clap::Args;
use hdl::verilog::{publish, Prefix};
use std::path::{Path, PathBuf};

impl Choice for Catalogued {
    const WHAT: &'static str = "design";
    const READY: &'static [(&'static str, Self)] = &[
        ("pin-mux", Self::PinMux),
        ("link", Self::Link),
        ("node", Self::Node),
        ("metacube-node", Self::MetacubeNode),
        ("compiled-node", Self::CompiledNode),
        ("cm1-router", Self::Cm1Router),
        ("torus-node", Self::TorusNode),
        ("rotation-switch", Self::RotationSwitch),
        ("byte-channel", Self::ByteChannel),
    ];
    const PLANNED: &'static [&'static str] = &["cube", "compare"];
}

/// Emit a design as Verilog
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube verilog --design pin-mux --dims 12 --out kit")]
pub struct VerilogArgs {
    /// The design: pin-mux, link; node or metacube-node (with a forwarder), compiled-node (by a
    /// schedule of up to 1024 pairs of phases), for messages of 8 bytes; cm1-router (of one chip: 7
    /// rows, 16 processors, 32 bits of data), torus-node or rotation-switch (two virtual channels,
    /// queues of 4 bytes), byte-channel (of both, from end to end)
    #[arg(long, value_name = "NAME", value_parser = Catalogued::parse)]
    design: Catalogued,

    /// Dimensions of the cube or torus that it is for, 1 to 16, of TDMA nodes to 12; a metacube has
    /// 2^N nodes [default: 4; 2 of the torus, 3 of the rotation switch and the metacube]
    #[arg(long = "dims", value_name = "N", value_parser = parse_cube)]
    cube: Option<Hypercube>,

    /// The directory to write to. Else, or with -, the modules go to standard output; the pin
    /// mux, which is a kit of several files, goes into tdma_pin_mux
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace files in that directory that are not as they would be written: changed by
    /// hand, or of another design
    #[arg(long)]
    force: bool,

    /// What the names of all modules begin with [default: phasecube_, and tdma_ for the
    /// pin mux]; '' for nothing
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<Prefix>,
}

/// Prints the design, or writes its files.
pub fn verilog(args: &VerilogArgs) -> Result<(), Failure> {
    let dims = dims(args)?;
    if args.design == Catalogued::PinMux {
        return pin_mux_kit(args, dims);
    }
    let design = args
        .design
        .design(dims)
        .map_err(|e| Failure::Failed(e.into()))?;
    let mut publication = publication();
    if let Some(prefix) = &args.prefix {
        publication.prefix = prefix.clone();
    }
    let published = publish(&design, &publication);
    match &args.out {
        Some(dir) if dir.as_os_str() != "-" => write(args, dir, &published.files()),
        _ => output::print(&published.verilog.to_string()),
    }
}

/// The number of dimensions that is asked for.
fn dims(args: &VerilogArgs) -> Result<u32, Failure> {
    let (name, known) = (args.design.name(), args.design.dims());
    let refused = |what: String| Err(Failure::BadInput(anyhow!("the design {name} {what}")));
    match args.cube.map(Hypercube::dims) {
        None => Ok(args.design.default_dims()),
        Some(_) if args.design == Catalogued::ByteChannel => {
            refused("has no dimensions; accepted: no --dims".to_owned())
        }
        Some(dims) if known.contains(&dims) => Ok(dims),
        Some(_) if args.design == Catalogued::Link => {
            refused("is a 1-cube; accepted: --dims 1, or no --dims".to_owned())
        }
        Some(dims) => {
            let known: Vec<String> = known.iter().map(u32::to_string).collect();
            refused(format!(
                "is not there for --dims {dims}; accepted: {}",
                known.join(", ")
            ))
        }
    }
}

/// The pin mux with what a user of it needs: test benches, Makefile, README.
fn pin_mux_kit(args: &VerilogArgs, dims: u32) -> Result<(), Failure> {
    let dir = args.out.as_deref();
    let dir = dir.unwrap_or_else(|| pin_mux::DIRECTORY.as_ref());
    if dir.as_os_str() == "-" {
        return Err(Failure::BadInput(anyhow!(
            "the pin mux is several files, which standard output cannot hold; accepted: --out DIR"
        )));
    }
    let kit = match &args.prefix {
        Some(prefix) => pin_mux::files_with_prefix(dims, prefix),
        None => pin_mux::files(dims),
    };
    let files = kit.into_iter().map(|file| (file.name, file.text));
    write(args, dir, &files.collect::<Vec<_>>())
}

/// Writes files, but not over what somebody else has made of them.
fn write(
    args: &VerilogArgs,
    dir: &Path,
    files: &[(String, impl AsRef<[u8]>)],
) -> Result<(), Failure> {
    files::check_directory("--out", dir)?;
    if dir.is_dir() {
        for (name, _) in files {
            Target::new("--out", &dir.join(name))?;
        }
    }
    let changed = files::changed(dir, files);
    if let ([first, others @ ..], false) = (&changed[..], args.force) {
        let more = match others.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return Err(Failure::BadInput(anyhow!(
            "{}{more} would be replaced by something else: changed by hand, or of another design, \
             --dims or version; accepted: --force, or another --out",
            first.display()
        )));
    }
    files::write_all(dir, files)
        .with_context(|| format!("the design {} was not written", args.design.name()))
        .map_err(Failure::Failed)?;
    output::print(&format!("{} files in {}\n", files.len(), dir.display()))
}
