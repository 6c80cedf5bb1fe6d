//! Compiles C and C++ to ELF: program, runtime and linker script in one compiler call. A C++ program is
//! first compiled to an object.

use super::board_memory::{self, ByteNetwork};
use super::elf::{read_file, Firmware};
use super::sources::{SourceFile, LOADING_SUPERVISOR, PROCESSOR, RUNTIME, SUPERVISOR};
use super::{FirmwareError, NodeMemory, NodeTarget};
use interconnect::topology::{Hypercube, Metacube};
use rtl::hosted::groups::GroupShape;
use rtl::hosted::layout::{NODE_DATA_BITS, PROGRAMS_NODE_DATA_BITS};
use rtl::hosted::{ByteProcessors, HostedComparison};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs};
use toolchain::cache::Digest;
use toolchain::progress::{self, ProgressStep};
use toolchain::{ToolError, ToolHandle, ToolOrigin, Toolchain};

/// Options of both compilers. The core is an RV32I, so programs use the plain `ilp32` convention
/// with all 31 registers. The code is smaller than with the 15 registers of RV32E. The register
/// file is a block RAM, which has room for 31.
const COMMON_FLAGS: &[&str] = &[
    // Provides the names of functions.
    "-g",
    "-Os",
    "-Wall",
    "-Wextra",
    "-ffreestanding",
    "-fno-pic",
    "-ffunction-sections",
    "-fdata-sections",
    "-mabi=ilp32",
];

/// Options of the call that compiles C and links.
const LINK_FLAGS: &[&str] = &["-std=c11", "-nostdlib", "-Wl,--gc-sections"];

/// As [`LINK_FLAGS`] for a user's program, which may use extensions such as `asm`.
const USER_LINK_FLAGS: &[&str] = &["-std=gnu11", "-nostdlib", "-Wl,--gc-sections"];

/// Options that compile C++: the parts that need no run-time library.
const CPP_FLAGS: &[&str] =
    &["-std=c++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-c"];

/// Option of the runtime of a C++ program, whose objects may have constructors.
const CONSTRUCTORS_FLAG: &str = "-DCONSTRUCTORS";

/// Optimises a program together with the runtime. The code is smaller by a fifth, and its decisions
/// take less time.
const LTO_FLAG: &str = "-flto";

/// Options of `zig cc` only, which would otherwise trap on undefined behaviour.
const ZIG_FLAGS: &[&str] =
    &["-target", "riscv32-freestanding", "-mcpu=generic_rv32+relax", "-fno-sanitize=undefined"];

/// Options of gcc only. Its run-time library has multiplication and division.
const GCC_FLAGS: &[&str] = &["-march=rv32i", "-Wl,--no-warn-rwx-segments", "-Wno-main"];

/// Options for a core with multiplication, for `zig cc` and for gcc. They replace the earlier ones.
const MULTIPLICATION_FLAGS: [&str; 2] = ["-mcpu=generic_rv32+m+relax", "-march=rv32im"];

/// Options for supervisors, which must be small and may be slow.
const SUPERVISOR_FLAGS: &[&str] = &["-msave-restore"];

/// Additional options for supervisors, for `zig cc` only.
const ZIG_SUPERVISOR_FLAGS: &[&str] = &["-mllvm", "-inline-threshold=-20"];

/// Options of the second attempt for a node program that is too large. The code is slower and
/// smaller, as in the largest supervisor: function calls save and restore registers at the
/// beginning and end of functions.
const SIZE_FLAGS: &[&str] = &["-msave-restore", "-fno-optimize-sibling-calls"];

/// Option for a user's program, whose `main` may return to end the program. The project's own
/// programs call `ctrl_exit` if they end, so `route` has no code for it.
const MAIN_RETURNS_FLAG: &str = "-DMAIN_RETURNS";

/// All compiler options, for cache keys.
pub(super) fn identity(source: &ProgramSource) -> String {
    let (of_source, smaller) = (source.flags(true), source.size_flags());
    let header = source.header();
    let link = source.link_flags();
    format!(
        "{COMMON_FLAGS:?} {link:?} {ZIG_FLAGS:?} {GCC_FLAGS:?} {of_source:?} {smaller:?} {header}"
    )
}

/// C or C++ program.
pub(super) enum ProgramSource<'a> {
    /// Program of the project, for a node of this kind.
    Project(&'static SourceFile, NodeKind),
    /// User's file, for these nodes.
    File(&'a Path, NodeTarget),
    /// Program of the nodes of a byte network on a board.
    Processor(ByteNetwork),
    /// Supervisor on a board.
    Supervisor(SupervisorTarget),
}

/// Hardware that a supervisor serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SupervisorTarget {
    /// Nodes of a cube with this number of dimensions.
    Cube(u32),
    /// Groups of nodes, whose host has a core of its own.
    Groups(GroupShape),
    /// Nodes of a cube with this number of dimensions, whose programs the supervisor loads.
    Programs(u32),
    /// Nodes of the metacube MC(1,1).
    Metacube,
    /// Nodes of the 3-cube, and a CM-1.
    Compare,
    /// Processors of a byte network.
    Bytes(ByteNetwork),
}

impl ProgramSource<'_> {
    /// Files that are compiled with the program, and the linker script among them.
    pub fn support_files(&self) -> (&'static [SourceFile], &'static str) {
        match self {
            ProgramSource::Project(..) | ProgramSource::File(..) => (RUNTIME, "runtime/node.ld"),
            ProgramSource::Processor(_) => (PROCESSOR, "runtime/node.ld"),
            ProgramSource::Supervisor(SupervisorTarget::Programs(3)) => {
                (LOADING_SUPERVISOR, "board/frames.ld")
            }
            ProgramSource::Supervisor(SupervisorTarget::Programs(_)) => {
                (LOADING_SUPERVISOR, "board/frames_large.ld")
            }
            ProgramSource::Supervisor(SupervisorTarget::Groups(shape)) => {
                match shape.loads_programs() {
                    true => (LOADING_SUPERVISOR, "board/frames_groups.ld"),
                    false => (SUPERVISOR, "board/groups.ld"),
                }
            }
            ProgramSource::Supervisor(_) => (SUPERVISOR, "board/host.ld"),
        }
    }

    /// File of the project that is compiled with the kit.
    pub fn project_file(&self) -> Option<&'static SourceFile> {
        match self {
            ProgramSource::Project(file, _) => Some(file),
            ProgramSource::Processor(network) => Some(network.source()),
            ProgramSource::File(..) | ProgramSource::Supervisor(_) => None,
        }
    }

    /// Path of a program in C++.
    fn cpp(&self) -> Option<&Path> {
        match self {
            ProgramSource::File(path, _) if path.extension().is_some_and(|e| e == "cpp") => {
                Some(path)
            }
            _ => None,
        }
    }

    /// Machine on the board for which the program is compiled, if it depends on one.
    fn machine(&self) -> Metacube {
        match self {
            ProgramSource::Supervisor(
                SupervisorTarget::Cube(dims) | SupervisorTarget::Programs(dims),
            ) => Hypercube::of(*dims).into(),
            ProgramSource::Supervisor(SupervisorTarget::Groups(groups)) => groups.cube().into(),
            ProgramSource::Supervisor(SupervisorTarget::Metacube) => Metacube::of(1, 1),
            ProgramSource::Processor(_) | ProgramSource::Supervisor(SupervisorTarget::Bytes(_)) => {
                Hypercube::of(ByteProcessors::DIMS as u32).into()
            }
            // The comparison's is the only node program that uses the machine.
            ProgramSource::Supervisor(SupervisorTarget::Compare)
            | ProgramSource::Project(..)
            | ProgramSource::File(..) => Hypercube::of(HostedComparison::DIMS as u32).into(),
        }
    }

    /// Address width of a node's data on that machine, in words.
    fn data_address_bits(&self) -> usize {
        match self {
            ProgramSource::Supervisor(SupervisorTarget::Programs(_)) => PROGRAMS_NODE_DATA_BITS,
            _ => NODE_DATA_BITS,
        }
    }

    /// Text of the header for the firmware of that machine.
    fn header(&self) -> String {
        match self {
            ProgramSource::Supervisor(SupervisorTarget::Groups(groups)) => {
                board_memory::groups_text(*groups)
            }
            _ => board_memory::text(self.machine(), self.data_address_bits()),
        }
    }

    /// Memories of the node.
    fn memory(&self) -> NodeMemory {
        match self {
            ProgramSource::File(_, target) => target.memory,
            _ => NodeMemory::BOARD,
        }
    }

    /// Options of the call that compiles C and links.
    fn link_flags(&self) -> &'static [&'static str] {
        match self {
            ProgramSource::File(..) => USER_LINK_FLAGS,
            _ => LINK_FLAGS,
        }
    }

    /// Options of the second attempt, if the program is too large.
    fn size_flags(&self) -> Option<&'static [&'static str]> {
        match self {
            ProgramSource::Project(..) | ProgramSource::File(..) => Some(SIZE_FLAGS),
            ProgramSource::Processor(_) | ProgramSource::Supervisor(_) => None,
        }
    }

    /// Additional options of this source.
    fn flags(&self, zig: bool) -> Vec<String> {
        let of_node = |kind: NodeKind| [LTO_FLAG.to_owned()].into_iter().chain(kind.macro_flag());
        let hosted = match self {
            ProgramSource::Supervisor(hosted) => hosted,
            ProgramSource::Project(_, kind) => return of_node(*kind).collect(),
            ProgramSource::File(_, target) => {
                return of_node(target.kind)
                    .chain([MAIN_RETURNS_FLAG.to_owned()])
                    .chain(target.memory.macro_flag())
                    .chain(
                        target
                            .multiplies
                            .then(|| MULTIPLICATION_FLAGS[usize::from(!zig)].to_owned()),
                    )
                    .collect()
            }
            ProgramSource::Processor(_) => return vec![],
        };
        let zig = if zig { ZIG_SUPERVISOR_FLAGS } else { &[] };
        let small = match hosted {
            SupervisorTarget::Programs(_) => SIZE_FLAGS,
            SupervisorTarget::Groups(shape) if shape.loads_programs() => SIZE_FLAGS,
            _ => SUPERVISOR_FLAGS,
        };
        let flags = small.iter().chain(zig).map(ToString::to_string);
        let defined = match hosted {
            SupervisorTarget::Cube(_)
            | SupervisorTarget::Groups(_)
            | SupervisorTarget::Programs(_) => None,
            SupervisorTarget::Metacube => Some("-DMETACUBE".to_owned()),
            SupervisorTarget::Compare => Some("-DCOMPARE".to_owned()),
            SupervisorTarget::Bytes(network) => Some(format!("-DNETWORK={}", network.name())),
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
    source: &ProgramSource,
    tools: &Toolchain,
    work: &Path,
) -> Result<PathBuf, FirmwareError> {
    let elf = compile_with(source, &[], tools, work)?;
    match source.size_flags() {
        Some(smaller) if !Firmware::code_fits(&elf, source.memory()) => {
            compile_with(source, smaller, tools, work)
        }
        _ => Ok(elf),
    }
}

fn compile_with(
    source: &ProgramSource,
    more: &[&str],
    tools: &Toolchain,
    work: &Path,
) -> Result<PathBuf, FirmwareError> {
    let cc = tools.riscv_cc()?;
    let work = std::path::absolute(work).map_err(|e| FirmwareError::io(work, e))?;
    let (kit, script) = source.support_files();
    for file in kit {
        write(&work, file)?;
    }
    write_text(&work, board_memory::PATH, &source.header())?;
    let program = match source {
        ProgramSource::File(path, _) => Some(path.to_path_buf()),
        _ => source.project_file().map(|file| write(&work, file)).transpose()?,
    };
    let name = program.clone().unwrap_or_else(|| "the host".into());
    let pinned = matches!(cc.origin(), ToolOrigin::Pinned(_));
    let command = || {
        let mut command = cc.command();
        command.args(compiler_flags(&cc)).args(COMMON_FLAGS);
        command.args(source.flags(pinned)).args(more);
        for folder in ["include", "runtime", "board"] {
            command.arg("-I").arg(work.join(folder));
        }
        command
    };
    // The second attempt would repeat the warnings.
    let run = |command| run_compiler(&cc, command, &work, &name, more.is_empty());
    let mut link = command();
    link.args(source.link_flags()).arg("-T").arg(work.join(script));
    let compiled = |f: &&SourceFile| f.path.ends_with(".c") || f.path.ends_with(".S");
    link.args(kit.iter().filter(compiled).map(|f| work.join(f.path)));
    if let Some(path) = source.cpp() {
        let object = work.join("program.o");
        let mut compile = command();
        compile.args(CPP_FLAGS).arg(path).arg("-o").arg(&object);
        run(compile)?;
        link.arg(CONSTRUCTORS_FLAG).arg(object);
    } else {
        link.args(&program);
    }
    if !pinned {
        link.arg("-lgcc");
    }
    let elf = work.join("program.elf");
    link.arg("-o").arg(&elf);
    run(link)?;
    Ok(elf)
}

/// Runs the compiler for a program, and prints its warnings if `warn`.
fn run_compiler(
    cc: &ToolHandle,
    command: Command,
    work: &Path,
    program: &Path,
    warn: bool,
) -> Result<(), FirmwareError> {
    let log = work.join("cc.log");
    let activity = ProgressStep::quiet(&format!("compiling {}", program.display()));
    let done = cc.run_command(command, &log);
    drop(activity);
    match done {
        Ok(run) => {
            if warn && !run.text.trim().is_empty() {
                progress::note(run.text.trim_end());
            }
            Ok(())
        }
        Err(ToolError::Failed { log, .. }) => {
            let printed = fs::read_to_string(&log).map_err(|e| FirmwareError::io(&log, e))?;
            Err(FirmwareError::from_compiler(program, &printed))
        }
        Err(other) => Err(other.into()),
    }
}

fn compiler_flags(cc: &ToolHandle) -> &'static [&'static str] {
    match cc.origin() {
        ToolOrigin::Pinned(_) => ZIG_FLAGS,
        ToolOrigin::System(_) => GCC_FLAGS,
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

// Kinds of nodes for which programs are compiled.

/// Message storage of a node. A program that is compiled for one kind halts in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// One receive buffer per link, as e-cube needs it. The number is the width in bits of the
    /// class in a node's address, 0 in a cube.
    Buffers(u32),
    /// A pool of slots in a cube, as adaptive routing needs it.
    Pool,
}

impl NodeKind {
    /// All kinds for which the project's programs may be compiled.
    pub const ALL: [Self; 4] = [Self::CUBE, Self::Buffers(1), Self::Buffers(2), Self::Pool];

    /// Node of a cube that routes by e-cube.
    pub const CUBE: Self = Self::Buffers(0);

    /// Compiler macro for this kind. None for a cube.
    pub(super) fn macro_flag(self) -> Option<String> {
        match self {
            Self::CUBE => None,
            Self::Buffers(k) => Some(format!("-DCLASS_BITS={k}")),
            Self::Pool => Some("-DPOOL".to_owned()),
        }
    }
}

/// Kind of a node that routes by e-cube.
impl From<Metacube> for NodeKind {
    fn from(shape: Metacube) -> Self {
        Self::Buffers(shape.class_bits())
    }
}

/// Suffix of the name of a program for this kind. Empty for a cube.
impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::CUBE => Ok(()),
            Self::Buffers(k) => write!(f, "-k{k}"),
            Self::Pool => f.write_str("-pool"),
        }
    }
}

// Compiles the project's programs, and keeps the results by the digest of their sources.

/// ELF file of one of the project's programs, called `name`.
pub(super) fn build_once(
    name: &str,
    source: &ProgramSource,
    tools: &Toolchain,
    folder: &Path,
) -> Result<Vec<u8>, FirmwareError> {
    let mut digest = sources_digest(source);
    digest.add(tools.riscv_cc()?.to_string());
    let target = folder.join(format!("{name}-{}", digest.short()));
    let mut failed = None;
    let made = toolchain::cache::build_if_missing(&target, name, |partial| {
        let compiled = compile(source, tools, partial);
        compiled.map(|_| ()).map_err(|error| {
            let printed = ToolError::Invalid(error.to_string());
            failed = Some(error);
            printed
        })
    });
    match failed {
        Some(error) => return Err(error),
        None => made?,
    }
    read_file(&target.join("program.elf"))
}

/// Digest of the inputs of a project's program: its sources, the runtime's, and the compiler
/// options.
pub(super) fn sources_digest(source: &ProgramSource) -> Digest {
    let mut digest = Digest::of([identity(source)]);
    for file in source.support_files().0.iter().chain(source.project_file()) {
        digest.add(file.path);
        digest.add(file.text);
    }
    digest
}
