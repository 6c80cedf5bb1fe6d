//! Compiles C to ELF: program, runtime and linker script in one compiler call.

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

/// Options of both compilers. The core is an RV32I, so programs use the plain `ilp32` convention
/// with all 31 registers. The code is smaller than with the 15 registers of RV32E. The register
/// file is a block RAM, which has room for 31.
const FLAGS: &[&str] = &[
    "-std=c11",
    // Provides the names of functions.
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

/// Optimises a program together with the runtime. The code is smaller by a fifth, and its decisions
/// take less time.
const WHOLE: &str = "-flto";

/// Options of `zig cc` only, which would otherwise trap on undefined behaviour.
const ZIG: &[&str] = &[
    "-target",
    "riscv32-freestanding",
    "-mcpu=generic_rv32+relax",
    "-fno-sanitize=undefined",
];

/// Options of gcc only. Its run-time library has multiplication and division.
const GCC: &[&str] = &["-march=rv32i", "-Wl,--no-warn-rwx-segments", "-Wno-main"];

/// Options for supervisors, which must be small and may be slow.
const SMALL: &[&str] = &["-msave-restore"];

/// Additional options for supervisors, for `zig cc` only.
const ZIG_SMALL: &[&str] = &["-mllvm", "-inline-threshold=-20"];

/// Options of the second attempt for a node program that is too large. The code is slower and
/// smaller, as in the largest supervisor: function calls save and restore registers at the
/// beginning and end of functions.
const SMALLER: &[&str] = &["-msave-restore", "-fno-optimize-sibling-calls"];

/// Option for a user's program, whose `main` may return to end the program. The project's own
/// programs call `ctrl_exit` if they end, so `route` has no code for it.
const RETURNS: &str = "-DMAIN_RETURNS";

/// All compiler options, for cache keys.
pub(super) fn identity(source: &Source) -> String {
    let (of_source, smaller) = (source.flags(true), source.smaller());
    let header = hosted_header::text(source.machine(), source.room());
    format!("{FLAGS:?} {ZIG:?} {GCC:?} {of_source:?} {smaller:?} {header}")
}

/// C program.
pub(super) enum Source<'a> {
    /// Program of the project, for a node of this kind.
    Own(&'static SourceFile, NodeKind),
    /// User's file, for a node of this kind.
    File(&'a Path, NodeKind),
    /// Program of the nodes of a byte network on a board.
    Processor(ByteNetwork),
    /// Supervisor on a board.
    Host(Hosted),
}

/// Hardware that a supervisor serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hosted {
    /// Nodes of a cube with this number of dimensions.
    Cube(u32),
    /// Nodes of the 3-cube, whose programs the supervisor loads.
    Programs,
    /// Nodes of the metacube MC(1,1).
    Metacube,
    /// Nodes of the 3-cube, and a CM-1.
    Compare,
    /// Processors of a byte network.
    Bytes(ByteNetwork),
}

impl Source<'_> {
    /// Files that are compiled with the program, and the linker script among them.
    pub fn kit(&self) -> (&'static [SourceFile], &'static str) {
        match self {
            Source::Own(..) | Source::File(..) => (RUNTIME, "runtime/node.ld"),
            Source::Processor(_) => (PROCESSOR, "runtime/node.ld"),
            Source::Host(Hosted::Programs) => (FRAMES, "board/frames.ld"),
            Source::Host(_) => (HOST, "board/host.ld"),
        }
    }

    /// File of the project that is compiled with the kit.
    pub fn own(&self) -> Option<&'static SourceFile> {
        match self {
            Source::Own(file, _) => Some(file),
            Source::Processor(network) => Some(network.source()),
            Source::File(..) | Source::Host(_) => None,
        }
    }

    /// Machine on the board for which the program is compiled, if it depends on one.
    fn machine(&self) -> Metacube {
        match self {
            Source::Host(Hosted::Cube(dims)) => Hypercube::of(*dims).into(),
            Source::Host(Hosted::Programs) => Hypercube::of(3).into(),
            Source::Host(Hosted::Metacube) => Metacube::of(1, 1),
            Source::Processor(_) | Source::Host(Hosted::Bytes(_)) => {
                Hypercube::of(ByteProcessors::DIMS as u32).into()
            }
            // The comparison's is the only node program that uses the machine.
            Source::Host(Hosted::Compare) | Source::Own(..) | Source::File(..) => {
                Hypercube::of(HostedComparison::DIMS as u32).into()
            }
        }
    }

    /// Address width of a node's data on that machine, in words.
    fn room(&self) -> usize {
        match self {
            Source::Host(Hosted::Programs) => PROGRAMS_ROOM_BITS,
            _ => ROOM_BITS,
        }
    }

    /// Options of the second attempt, if the program is too large.
    fn smaller(&self) -> Option<&'static [&'static str]> {
        match self {
            Source::Own(..) | Source::File(..) => Some(SMALLER),
            Source::Processor(_) | Source::Host(_) => None,
        }
    }

    /// Additional options of this source.
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

/// Compiles a program in the folder `work` and returns the ELF file. A node program that is too
/// large is compiled again for size.
///
/// # Errors
/// The compiler's messages if the program is wrong. Also if there is no compiler.
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
            // Warnings. The second attempt would only repeat them.
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

/// Writes a source file below `work` and returns its path.
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
