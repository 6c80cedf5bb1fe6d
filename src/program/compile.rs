//! From C to ELF: a program, the runtime and the linker script go through the
//! compiler in one call.

use super::byte_network::ByteNetwork;
use super::error::FirmwareError;
use super::firmware::Firmware;
use super::hosted_header;
use super::node_kind::NodeKind;
use super::sources::{SourceFile, FRAMES, HOST, PROCESSOR, RUNTIME};
use crate::rtl::hosted::layout::{PROGRAMS_ROOM_BITS, ROOM_BITS};
use crate::rtl::hosted::{ByteProcessors, HostedComparison};
use crate::toolchain::progress::{self, Activity};
use crate::toolchain::{Origin, ToolError, ToolHandle, Toolchain};
use crate::topology::{Hypercube, Metacube};
use std::fs;
use std::path::{Path, PathBuf};

/// What both compilers are told. The core is an RV32I, so the plain `ilp32`
/// convention with all 31 registers: programs are smaller than with the 15 of
/// RV32E, and the register file is a block RAM, which has room for them.
const FLAGS: &[&str] = &[
    "-std=c11",
    // For the names of functions.
    "-g",
    "-Os",
    "-Wall",
    "-Wextra",
    "-ffreestanding",
    "-fno-pic",
    "-ffunction-sections",
    "-fdata-sections",
    "-nostdlib",
    "-mabi=ilp32",
    "-Wl,--gc-sections",
];

/// A program and the runtime are compiled as one: it is smaller by a fifth, and decides sooner.
const WHOLE: &str = "-flto";

/// What only `zig cc` needs to hear: it would trap on undefined behaviour.
const ZIG: &[&str] = &[
    "-target",
    "riscv32-freestanding",
    "-mcpu=generic_rv32+relax",
    "-fno-sanitize=undefined",
];

/// What only gcc needs to hear; its run-time library has multiplication and division.
const GCC: &[&str] = &["-march=rv32i", "-Wl,--no-warn-rwx-segments", "-Wno-main"];

/// A host must be small, and may be slow.
const SMALL: &[&str] = &["-msave-restore"];

/// The same for `zig cc` alone.
const ZIG_SMALL: &[&str] = &["-mllvm", "-inline-threshold=-20"];

/// A program for a node that is too large is compiled again, slower and smaller, as the largest
/// host is: what functions save at their beginning and restore at their end is saved by calls.
const SMALLER: &[&str] = &["-msave-restore", "-fno-optimize-sibling-calls"];

/// What a user's program is compiled with, whose `main` may return: that ends it. The
/// project's own call `ctrl_exit`, if they end, so that `route` has no code for it.
const RETURNS: &str = "-DMAIN_RETURNS";

/// All that the compilers are told, for cache keys.
pub(super) fn identity(source: &Source) -> String {
    let (of_source, smaller) = (source.flags(true), source.smaller());
    let header = hosted_header::text(source.machine(), source.room());
    format!("{FLAGS:?} {ZIG:?} {GCC:?} {of_source:?} {smaller:?} {header}")
}

/// A C program.
pub(super) enum Source<'a> {
    /// One of the project's, for a node of this kind.
    Own(&'static SourceFile, NodeKind),
    /// A user's file, for such a node.
    File(&'a Path, NodeKind),
    /// What the nodes of a network of bytes run on a board.
    Processor(ByteNetwork),
    /// The host on a board.
    Host(Hosted),
}

/// What a host has beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hosted {
    /// The nodes of a cube of so many dimensions.
    Cube(u32),
    /// Those of the 3-cube, whose programs it loads.
    Programs,
    /// Those of the metacube MC(1,1).
    Metacube,
    /// Those of the 3-cube, and a CM-1.
    Compare,
    /// The processors of a network of bytes.
    Bytes(ByteNetwork),
}

impl Source<'_> {
    /// The files that it is compiled with, and the linker script among them.
    pub fn kit(&self) -> (&'static [SourceFile], &'static str) {
        match self {
            Source::Own(..) | Source::File(..) => (RUNTIME, "runtime/node.ld"),
            Source::Processor(_) => (PROCESSOR, "runtime/node.ld"),
            Source::Host(Hosted::Programs) => (FRAMES, "board/frames.ld"),
            Source::Host(_) => (HOST, "board/host.ld"),
        }
    }

    /// The file of the project's that is compiled with those.
    pub fn own(&self) -> Option<&'static SourceFile> {
        match self {
            Source::Own(file, _) => Some(file),
            Source::Processor(network) => Some(network.source()),
            Source::File(..) | Source::Host(_) => None,
        }
    }

    /// The machine on the board that it is for, if it has to do with one.
    fn machine(&self) -> Metacube {
        match self {
            Source::Host(Hosted::Cube(dims)) => Hypercube::of(*dims).into(),
            Source::Host(Hosted::Programs) => Hypercube::of(3).into(),
            Source::Host(Hosted::Metacube) => Metacube::of(1, 1),
            Source::Processor(_) | Source::Host(Hosted::Bytes(_)) => {
                Hypercube::of(ByteProcessors::DIMS as u32).into()
            }
            // Of the nodes' own only the comparison's looks at it.
            Source::Host(Hosted::Compare) | Source::Own(..) | Source::File(..) => {
                Hypercube::of(HostedComparison::DIMS as u32).into()
            }
        }
    }

    /// Bits of the number of a word of a node's data there.
    fn room(&self) -> usize {
        match self {
            Source::Host(Hosted::Programs) => PROGRAMS_ROOM_BITS,
            _ => ROOM_BITS,
        }
    }

    /// What it is compiled with in the second place, if it turns out too large.
    fn smaller(&self) -> Option<&'static [&'static str]> {
        match self {
            Source::Own(..) | Source::File(..) => Some(SMALLER),
            Source::Processor(_) | Source::Host(_) => None,
        }
    }

    /// What it is compiled with, more than others.
    fn flags(&self, zig: bool) -> Vec<String> {
        let of_node = |kind: NodeKind| [WHOLE.to_owned()].into_iter().chain(kind.defined());
        let hosted = match self {
            Source::Host(hosted) => hosted,
            Source::Own(_, kind) => return of_node(*kind).collect(),
            Source::File(_, kind) => return of_node(*kind).chain([RETURNS.to_owned()]).collect(),
            Source::Processor(_) => return vec![],
        };
        let zig = if zig { ZIG_SMALL } else { &[] };
        let small = match hosted {
            Hosted::Programs => SMALLER,
            _ => SMALL,
        };
        let flags = small.iter().chain(zig).map(ToString::to_string);
        let defined = match hosted {
            Hosted::Cube(_) | Hosted::Programs => None,
            Hosted::Metacube => Some("-DMETACUBE".to_owned()),
            Hosted::Compare => Some("-DCOMPARE".to_owned()),
            Hosted::Bytes(network) => Some(format!("-DNETWORK={}", network.name())),
        };
        flags.chain(defined).collect()
    }
}

/// Compiles a program into the folder `work`, and returns the ELF file. One that has no
/// room in a node is compiled again for size.
///
/// # Errors
/// With the compiler's words if the program is wrong; if there is no compiler.
pub(super) fn compile(
    source: &Source,
    tools: &Toolchain,
    work: &Path,
) -> Result<PathBuf, FirmwareError> {
    let elf = compile_with(source, &[], tools, work)?;
    match source.smaller() {
        Some(smaller) if !Firmware::has_room(&elf) => compile_with(source, smaller, tools, work),
        _ => Ok(elf),
    }
}

fn compile_with(
    source: &Source,
    more: &[&str],
    tools: &Toolchain,
    work: &Path,
) -> Result<PathBuf, FirmwareError> {
    let cc = tools.riscv_cc()?;
    let work = std::path::absolute(work).map_err(|e| FirmwareError::io(work, e))?;
    let (kit, script) = source.kit();
    for file in kit {
        write(&work, file)?;
    }
    write_text(
        &work,
        hosted_header::PATH,
        &hosted_header::text(source.machine(), source.room()),
    )?;
    let program = match source {
        Source::File(path, _) => Some(path.to_path_buf()),
        _ => source.own().map(|file| write(&work, file)).transpose()?,
    };
    let elf = work.join("program.elf");
    let mut command = cc.command();
    command.args(dialect(&cc)).args(FLAGS);
    command.args(source.flags(matches!(cc.origin(), Origin::Pinned(_))));
    command.args(more);
    for folder in ["include", "runtime", "board"] {
        command.arg("-I").arg(work.join(folder));
    }
    command.arg("-T").arg(work.join(script));
    let compiled = |f: &&SourceFile| f.path.ends_with(".c") || f.path.ends_with(".S");
    command.args(kit.iter().filter(compiled).map(|f| work.join(f.path)));
    command.args(&program);
    let program = program.unwrap_or_else(|| "the host".into());
    if matches!(cc.origin(), Origin::System(_)) {
        command.arg("-lgcc");
    }
    command.arg("-o").arg(&elf);
    let log = work.join("cc.log");
    let activity = Activity::quiet(&format!("compiling {}", program.display()));
    let done = cc.run_command(command, &log);
    drop(activity);
    match done {
        Ok(run) => {
            // Warnings; of the second time there are the same.
            if !run.text.trim().is_empty() && more.is_empty() {
                progress::note(run.text.trim_end());
            }
            Ok(elf)
        }
        Err(ToolError::Failed { log, .. }) => {
            let said = fs::read_to_string(&log).map_err(|e| FirmwareError::io(&log, e))?;
            Err(FirmwareError::from_compiler(&program, &said))
        }
        Err(other) => Err(other.into()),
    }
}

fn dialect(cc: &ToolHandle) -> &'static [&'static str] {
    match cc.origin() {
        Origin::Pinned(_) => ZIG,
        Origin::System(_) => GCC,
    }
}

/// Writes a source file below `work`; returns its path.
fn write(work: &Path, file: &SourceFile) -> Result<PathBuf, FirmwareError> {
    write_text(work, file.path, file.text)
}

fn write_text(work: &Path, path: &str, text: &str) -> Result<PathBuf, FirmwareError> {
    let path = work.join(path);
    let folder = path.parent().unwrap_or(work);
    fs::create_dir_all(folder).map_err(|e| FirmwareError::io(folder, e))?;
    fs::write(&path, text).map_err(|e| FirmwareError::io(&path, e))?;
    Ok(path)
}
