//! Programs for the soft core, compiled and ready for a memory.
//!
//! * [`sources`]: C sources of the project, and the programs that are distributed in compiled form;
//! * `compile`: compilation from C to ELF for each kind of node, with its results kept;
//! * `elf`: segments of an ELF file, and the words that a node stores;
//! * `symbols`: functions, lines and print formats of a program by address;
//! * `lines`: source lines of a program's addresses;
//! * `print_format`: formats of `ctrl_print`;
//! * `memory`: sizes of a node's memories;
//! * [`star`]: programs in StarC;
//! * `board_memory`: initial memory of the nodes and the supervisor on a board, and the byte
//!   networks that fit on a board.
//!
//! This file opens a program by the name that the user gives, and has the errors.

mod board_memory;
mod compile;
mod elf;
mod lines;
mod memory;
mod print_format;
pub mod sources;
pub mod star;
mod symbols;
pub mod template;

use crate::flags::listed;
use crate::user_core::UserCoreError;
pub use board_memory::{BoardMemory, ByteNetwork};
use clap::builder::{OsStringValueParser, TypedValueParser};
pub use compile::NodeKind;
use compile::{compile, ProgramSource};
use elf::read_file;
pub use elf::{DoesNotFit, ElfError, ElfImage, Firmware, Segment};
pub use lines::{SourceLine, SourceLines};
pub use memory::{NodeMemory, NodeTarget, NotANodeMemory};
pub use sources::ShippedProgram;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{fmt, fs};
pub use symbols::{CodePosition, Symbols};
use thiserror::Error;
use toolchain::{ToolError, Toolchain};

// Programs as a user names them.

/// Name of a program as the user gives it: a program of the project, a C, C++, StarC or ELF file. The
/// path of a file may be invalid UTF-8. Clones share the translation of a StarC file.
#[derive(Clone, Debug)]
pub struct ProgramName {
    name: OsString,
    translation: star::KeptTranslation,
}

impl PartialEq for ProgramName {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ProgramName {}

impl ProgramName {
    /// Name of a program that comes with the project, or `None` for another name.
    pub fn project_name(&self) -> Option<&str> {
        let name = self.name.to_str()?;
        sources::find_program(name).map(|_| name)
    }

    /// Parser of a flag. An unknown name is an error, unless it ends in .c, .cpp, .starc or .elf, is a file, or is
    /// one of the `others`.
    pub fn parser(others: &'static [&'static str]) -> impl TypedValueParser<Value = Self> {
        let parse = move |name: OsString| {
            let path = Path::new(&name);
            let other = path.to_str().is_some_and(|name| others.contains(&name));
            let name = ProgramName::from(name.clone());
            let known = name.project_name().is_some() || other;
            let known_kinds = ["c", "cpp", "elf", "starc"];
            let is_source =
                path.extension().is_some_and(|e| known_kinds.iter().any(|known| e == *known));
            match known || is_source || path.is_file() {
                true => Ok(name),
                false => Err(FirmwareError::unknown(path)),
            }
        };
        let words = sources::PROGRAMS.iter().map(sources::program_name);
        let words = words.chain(others.iter().copied());
        listed(OsStringValueParser::new().try_map(parse), words)
    }

    /// Path of the user's program, or `None` for a program of the project.
    pub fn user_path(&self) -> Option<&Path> {
        match self.project_name() {
            Some(_) => None,
            None => Some(Path::new(&self.name)),
        }
    }
}

impl From<OsString> for ProgramName {
    fn from(name: OsString) -> Self {
        ProgramName { name, translation: star::KeptTranslation::default() }
    }
}

impl From<&str> for ProgramName {
    fn from(name: &str) -> Self {
        ProgramName::from(OsString::from(name))
    }
}

impl AsRef<OsStr> for ProgramName {
    fn as_ref(&self) -> &OsStr {
        &self.name
    }
}

impl fmt::Display for ProgramName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name.display())
    }
}

// Opens a program: shipped, compiled from C, or read from an ELF file.

impl Firmware {
    /// Opens a program for these nodes. `what` is the name of one of the project's programs,
    /// which is already compiled, a C or C++ file (`.c`, `.cpp`), or an ELF file. Build results go below the
    /// folder `builds`. An ELF file for another kind of node halts.
    ///
    /// # Errors
    /// If the program does not exist, does not compile or link, is not for a node, or is too large.
    pub fn open(
        what: impl AsRef<OsStr>,
        target: impl Into<NodeTarget>,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let target = target.into();
        let (kind, memory) = (target.kind, target.memory);
        let folder = builds.join("firmware");
        let path = Path::new(what.as_ref());
        if let Some(file) = path.to_str().and_then(sources::find_program) {
            let program = match sources::is_shipped(file, kind) {
                true => ShippedProgram::for_kind(file, kind)?,
                false => ShippedProgram::compile(file, kind, tools, &folder)?,
            };
            return Ok(Firmware { memory, ..program.firmware });
        }
        if path.extension().is_some_and(|e| e == "c" || e == "cpp") {
            // Checked before a compiler is fetched for the file.
            fs::metadata(path).map_err(|e| FirmwareError::io(path, e))?;
            fs::create_dir_all(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
            let work = tempfile::tempdir_in(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
            let elf = compile(&ProgramSource::File(path, target), tools, work.path())?;
            return Self::from_elf_for(&path.display().to_string(), &read_file(&elf)?, target);
        }
        if path.is_file() {
            return Self::from_elf_for(&path.display().to_string(), &read_file(path)?, target);
        }
        Err(FirmwareError::unknown(path))
    }
}

// Errors of programs, including the compiler's messages.

/// Command that recompiles the programs into the source tree.
pub const REGENERATE_COMMAND: &str = "PHASECUBE_BLESS=1 cargo sim firmware::shipped";

/// Reason why a program cannot run on a node.
#[derive(Debug, Error)]
pub enum FirmwareError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("there is no program {name:?}; accepted: {accepted}, a C, C++ or StarC file (.c, .cpp, .starc) or an ELF file")]
    Unknown { name: String, accepted: String },
    /// Messages of the compiler, with file and line.
    #[error("{program} does not compile:\n{printed}")]
    Compile { program: String, printed: String },
    #[error("{program} does not link: {symbols} is not defined in it, in tdma.h, ctrl.h or cm1.h")]
    Missing { program: String, symbols: String },
    #[error("{program} is not a program for a node: {why}")]
    Unfit { program: String, why: String },
    /// `larger` are memories of a simulated node that hold the program.
    #[error(
        "{program} is too large: {what} {bytes} bytes; accepted: up to {limit} bytes{}",
        larger.map_or_else(String::new, |m| format!("; simulated nodes have more with --memory {m} of `run` or `board`"))
    )]
    TooLarge {
        program: String,
        what: &'static str,
        bytes: u64,
        limit: u64,
        larger: Option<NodeMemory>,
    },
    #[error("the compiled program {program} of this version cannot be used: {why}; {REGENERATE_COMMAND} regenerates it")]
    Stale { program: String, why: String },
    /// Errors in a StarC file, each with its line, column and correction.
    #[error("the StarC program has errors:\n{}", .0.to_string().trim_end())]
    Starc(starc::Diagnostics),
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The user's core for the program cannot be used.
    #[error(transparent)]
    Core(#[from] UserCoreError),
}

impl FirmwareError {
    fn unknown(name: &Path) -> Self {
        FirmwareError::Unknown {
            name: name.display().to_string(),
            accepted: sources::program_names(),
        }
    }

    fn io(path: &Path, source: std::io::Error) -> Self {
        FirmwareError::Io { path: path.to_path_buf(), source }
    }

    /// Gives the error the name of another program: a translated file has the name of its source.
    fn of_program(mut self, name: &str) -> Self {
        match &mut self {
            FirmwareError::Compile { program, .. }
            | FirmwareError::Missing { program, .. }
            | FirmwareError::Unfit { program, .. }
            | FirmwareError::TooLarge { program, .. } => name.clone_into(program),
            _ => {}
        }
        self
    }

    /// Error from the output of compiler and linker.
    fn from_compiler(program: &Path, printed: &str) -> Self {
        let program = program.display().to_string();
        let missing: BTreeSet<&str> = printed.lines().filter_map(undefined_symbol).collect();
        if missing.is_empty() {
            return FirmwareError::Compile { program, printed: printed.trim_end().to_owned() };
        }
        FirmwareError::Missing {
            program,
            symbols: missing.into_iter().collect::<Vec<_>>().join(", "),
        }
    }
}

/// Undefined symbol in a line of lld or GNU ld.
fn undefined_symbol(line: &str) -> Option<&str> {
    let lld = line.split_once("undefined symbol: ");
    let gnu = line.split_once("undefined reference to `");
    let (_, symbol) = lld.or(gnu)?;
    Some(symbol.trim_end_matches(|c: char| c == '\'' || c.is_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_symbols_are_named_once() {
        let printed = "ld.lld: error: undefined symbol: nowhere\n>>> referenced by a.c\n\
                    ld.lld: error: undefined symbol: main\n\
                    ld: a.c:(.text+0x8): undefined reference to `nowhere'\n";
        let error = FirmwareError::from_compiler("a.c".as_ref(), printed);
        assert_eq!(
            error.to_string(),
            "a.c does not link: main, nowhere is not defined in it, in tdma.h, ctrl.h or cm1.h"
        );
    }

    #[test]
    fn errors_of_the_compiler_are_shown_as_they_are() {
        let printed = "a.c:2:45: error: use of undeclared identifier 'y'\n";
        let error = FirmwareError::from_compiler("a.c".as_ref(), printed);
        assert!(error.to_string().contains("a.c:2:45"));
    }
}
