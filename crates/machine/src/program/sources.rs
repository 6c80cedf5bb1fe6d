//! C sources of the project, embedded in the binary. A program can therefore be built without a
//! source tree.

use super::compile::{build_once, sources_digest, NodeKind, ProgramSource};
use super::elf::Firmware;
use super::{FirmwareError, NodeMemory, Symbols, REGENERATE_COMMAND};
use std::path::Path;
use std::{fmt, fs};
use toolchain::Toolchain;

/// File in `firmware/` with its path and text.
pub struct SourceFile {
    pub path: &'static str,
    pub text: &'static str,
}

/// Writes files into a folder, without their own folders.
///
/// # Errors
/// If a file cannot be written.
pub fn write_files(folder: &Path, files: &[SourceFile]) -> Result<(), FirmwareError> {
    for file in files {
        let name = Path::new(file.path).file_name().unwrap_or_default();
        let path = folder.join(name);
        fs::write(&path, file.text).map_err(|e| FirmwareError::io(&path, e))?;
    }
    Ok(())
}

macro_rules! files {
    ($($path:literal)*) => {
        &[$(SourceFile {
            path: $path,
            text: include_str!(concat!("../../firmware/", $path)),
        },)*]
    };
}

/// Files that are compiled with every program.
pub const RUNTIME: &[SourceFile] = files![
    "include/host_port.h"
    "include/tdma.h"
    "include/ctrl.h"
    "include/collectives.h"
    "include/grid.h"
    "include/permute.h"
    "include/cm1.h"
    "include/cm1_port.h"
    "include/node_port.h"
    "runtime/links.h"
    "runtime/links_cube.h"
    "runtime/links_metacube.h"
    "runtime/message_buffer.h"
    "runtime/background.h"
    "runtime/router.h"
    "runtime/ahead.h"
    "runtime/ahead_acked.h"
    "runtime/ahead_raw.h"
    "runtime/ecube.h"
    "runtime/expect.h"
    "runtime/pool.h"
    "runtime/node.ld"
    "runtime/background.S"
    "runtime/start.S"
    "runtime/memory.S"
    "runtime/save.S"
    "runtime/message_buffer.c"
    "runtime/tdma.c"
    "runtime/ctrl.c"
    "runtime/cm1.c"
];

/// Headers that a translated StarC program includes.
pub const STAR_RUNTIME: &[SourceFile] = files![
    "starc/star.h"
    "starc/star_node.h"
    "starc/star_raw.h"
    "starc/star_sim.h"
];

/// Supervisor of the nodes on a board.
pub const SUPERVISOR: &[SourceFile] = files![
    "include/host_port.h"
    "include/cm1_port.h"
    "board/host.ld"
    "board/groups.ld"
    "board/host_cube.h"
    "board/host_groups.h"
    "board/host_bytes.h"
    "board/random.h"
    "board/text.h"
    "board/text_of.h"
    "board/traffic.h"
    "board/start.S"
    "runtime/save.S"
    "board/random.c"
    "board/text.c"
    "board/traffic.c"
    "board/host.c"
    "runtime/memory.S"
];

/// Supervisor of nodes whose programs come over the line.
pub const LOADING_SUPERVISOR: &[SourceFile] = files![
    "include/host_port.h"
    "include/node_port.h"
    "board/frames.ld"
    "board/frames_large.ld"
    "board/frames_groups.ld"
    "board/frame_line.h"
    "board/host_state.h"
    "board/program.h"
    "board/reply.h"
    "board/run.h"
    "board/text_of.h"
    "board/start.S"
    "runtime/save.S"
    "board/frame_line.c"
    "board/reply.c"
    "board/program.c"
    "board/run.c"
    "board/frames.c"
    "runtime/memory.S"
];

/// Program of the nodes of a byte network on a board, except the part that depends on the network.
pub const PROCESSOR: &[SourceFile] = files![
    "include/host_port.h"
    "include/net.h"
    "include/net_port.h"
    "runtime/node.ld"
    "runtime/memory.S"
    "runtime/net.c"
    "board/start.S"
    "board/processor.c"
];

/// Packet addressing in the torus. `ROTATION` is the addressing for minimal rotation.
pub const TORUS: &SourceFile = &files!["runtime/torus.c"][0];
pub const ROTATION: &SourceFile = &files!["runtime/rotation.c"][0];

/// Program of the nodes on a board beside a CM-1.
pub const COMPARE: &SourceFile = &files!["board/compare.c"][0];

/// Programs, named as their files without `.c`.
pub const PROGRAMS: &[SourceFile] = files![
    "programs/route.c"
    "programs/echo.c"
    "programs/parallel_sum.c"
    "programs/all_reduce.c"
    "programs/prefix_sum.c"
    "programs/bitonic_sort.c"
    "programs/transpose.c"
    "programs/fft.c"
    "programs/life.c"
    "programs/total_exchange.c"
    "programs/permute.c"
    "programs/route_at_once.c"
];

/// Compiled programs ([`ShippedProgram`](super::ShippedProgram)).
const COMPILED: &[SourceFile] = files![
    "programs/route.hex"
    "programs/route-k1.hex"
    "programs/route-k2.hex"
    "programs/route-pool.hex"
    "programs/echo.hex"
    "programs/parallel_sum.hex"
    "programs/all_reduce.hex"
    "programs/prefix_sum.hex"
    "programs/bitonic_sort.hex"
    "programs/transpose.hex"
    "programs/fft.hex"
    "programs/life.hex"
    "programs/total_exchange.hex"
    "programs/permute.hex"
    "programs/route_at_once.hex"
];

/// Program of routing nodes on a board. This program has no lookahead, because the memory is too
/// small.
pub fn small_router() -> &'static SourceFile {
    find_program("route_at_once").expect("it is one of the programs")
}

/// Returns the file name without its suffix, as `--firmware` accepts it.
pub fn program_name(file: &SourceFile) -> &'static str {
    let name = file.path.rsplit('/').next().unwrap_or(file.path);
    name.rsplit_once('.').map_or(name, |(name, _)| name)
}

/// Name of the compiled form for nodes of this kind.
pub fn compiled_name(file: &SourceFile, kind: NodeKind) -> String {
    format!("{}{kind}", program_name(file))
}

/// Text of the compiled form with that name.
pub(super) fn compiled_text(name: &str) -> Option<&'static str> {
    let file = COMPILED.iter().find(|file| program_name(file) == name);
    file.map(|file| file.text)
}

/// Compiled programs, and the kind of nodes for each.
pub fn shipped() -> impl Iterator<Item = (&'static SourceFile, NodeKind)> {
    let all = PROGRAMS.iter().flat_map(|file| NodeKind::ALL.map(|kind| (file, kind)));
    all.filter(|(file, kind)| is_shipped(file, *kind))
}

/// True if a compiled form of this program exists for nodes of this kind.
pub(super) fn is_shipped(file: &SourceFile, kind: NodeKind) -> bool {
    compiled_text(&compiled_name(file, kind)).is_some()
}

/// Program with that name.
pub fn find_program(name: &str) -> Option<&'static SourceFile> {
    PROGRAMS.iter().find(|file| program_name(file) == name)
}

/// Names of all programs, for messages.
pub fn program_names() -> String {
    PROGRAMS.iter().map(program_name).collect::<Vec<_>>().join(", ")
}

// Compiled programs that are distributed with the project, so that users need no compiler for
// them.
//
// A program is a text file beside its source, `firmware/programs/NAME.hex`. The file contains the
// digest of the sources, the compiler, and the words. [`REGENERATE_COMMAND`] regenerates all of them.

/// Compiled program of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippedProgram {
    /// Name of the program.
    pub name: &'static str,
    /// Digest of the sources.
    pub sources: String,
    /// Compiler, with version and origin.
    pub compiler: String,
    /// Program in the form that a node stores.
    pub firmware: Firmware,
}

impl ShippedProgram {
    /// Program in `file`, compiled for this version of the project and for nodes of this kind.
    ///
    /// # Errors
    /// If the program was compiled from other sources than the present ones.
    pub fn for_kind(file: &'static SourceFile, kind: NodeKind) -> Result<Self, FirmwareError> {
        let name = program_name(file);
        let stale =
            |why: &str| FirmwareError::Stale { program: name.to_owned(), why: why.to_owned() };
        let compiled = compiled_text(&compiled_name(file, kind));
        let text = compiled.ok_or_else(|| stale("there is none"))?;
        let shipped = Self::parse(name, text).ok_or_else(|| stale("it cannot be read"))?;
        match shipped.sources == sources_digest(&ProgramSource::Project(file, kind)).short() {
            true => Ok(shipped),
            false => Err(stale("it is of other sources than the present ones")),
        }
    }

    /// Compiles the program in `file` now for such nodes. Build results go below `folder`.
    ///
    /// # Errors
    /// If the program does not compile, or there is no compiler.
    pub fn compile(
        file: &'static SourceFile,
        kind: NodeKind,
        tools: &Toolchain,
        folder: &Path,
    ) -> Result<Self, FirmwareError> {
        let (name, source) = (program_name(file), ProgramSource::Project(file, kind));
        let elf = build_once(name, &source, tools, folder)?;
        Ok(ShippedProgram {
            name,
            sources: sources_digest(&source).short(),
            compiler: tools.riscv_cc()?.to_string(),
            firmware: Firmware::from_elf(name, &elf, NodeMemory::BOARD)?,
        })
    }

    /// Parses the text of a file. `None` if it differs from the format of `Display`.
    fn parse(name: &'static str, text: &str) -> Option<Self> {
        // A checkout may change the line ends.
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut field = |what: &str| Some(lines.next()?.strip_prefix(what)?.trim().to_owned());
        let (sources, compiler) = (field("sources:")?, field("compiler:")?);
        let data = field("data:")?.parse().ok()?;
        let functions = field("functions:")?;
        let mut functions = functions.split_whitespace();
        let mut symbols = Symbols::default();
        while let Some(address) = functions.next() {
            symbols.insert(u32::from_str_radix(address, 16).ok()?, functions.next()?);
        }
        let words = lines.flat_map(str::split_whitespace);
        let words: Option<Vec<u32>> = words.map(|w| u32::from_str_radix(w, 16).ok()).collect();
        let words = words.filter(|words| !words.is_empty())?;
        Some(ShippedProgram {
            name,
            sources,
            compiler,
            firmware: Firmware {
                name: name.to_owned(),
                words,
                data,
                symbols,
                memory: NodeMemory::BOARD,
                multiplies: false,
                elf: vec![],
            },
        })
    }
}

/// Text of the file.
impl fmt::Display for ShippedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# The program `{}`, compiled: the bytes of its data, its functions by their addresses,\n\
             # and the words of the program store from address 0 on, in hexadecimal. Made by\n\
             #     {REGENERATE_COMMAND}",
            self.name
        )?;
        writeln!(f, "sources: {}", self.sources)?;
        writeln!(f, "compiler: {}", self.compiler)?;
        writeln!(f, "data: {}", self.firmware.data)?;
        let functions = self.firmware.symbols.iter();
        let functions = functions.map(|(address, name)| format!(" {address:x} {name}"));
        writeln!(f, "functions:{}", functions.collect::<String>())?;
        for row in self.firmware.words.chunks(8) {
            let words: Vec<String> = row.iter().map(|word| format!("{word:08x}")).collect();
            writeln!(f, "{}", words.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> ShippedProgram {
        ShippedProgram {
            name: "route",
            sources: "12ab".into(),
            compiler: "riscv-cc 1 (a==1)".into(),
            firmware: Firmware {
                name: "route".into(),
                words: (0..19u32).map(|i| i.wrapping_mul(0x1234_5678)).collect(),
                data: 12,
                symbols: {
                    let mut symbols = Symbols::default();
                    symbols.insert(0, "_start");
                    symbols.insert(0x1C, "main");
                    symbols
                },
                memory: NodeMemory::BOARD,
                multiplies: false,
                elf: vec![],
            },
        }
    }

    #[test]
    fn a_printed_program_is_parsed_back() {
        let text = program().to_string();
        assert_eq!(ShippedProgram::parse("route", &text), Some(program()));
        assert_eq!(ShippedProgram::parse("route", &text.replace('\n', "\r\n")), Some(program()));
    }

    #[test]
    fn an_incomplete_text_is_rejected() {
        let text = program().to_string();
        for (from, to) in [
            ("sources:", "source:"),
            ("data: 12", "data: few"),
            ("1c main", "1c"),
            ("0 _start", "start _start"),
        ] {
            assert_eq!(ShippedProgram::parse("route", &text.replace(from, to)), None);
        }
        let head = text.split_inclusive('\n').take(7).collect::<String>();
        assert!(head.ends_with("main\n"));
        assert_eq!(ShippedProgram::parse("route", &head), None);
        assert_eq!(ShippedProgram::parse("route", &(text + "12345678g\n")), None);
    }
}
