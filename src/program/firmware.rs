//! Programs for the nodes: shipped, compiled from C, or read from an ELF file.

use super::compile::{compile, Source};
use super::error::FirmwareError;
use super::image;
use super::node_kind::NodeKind;
use super::shipped::Shipped;
use super::sources;
use super::symbols::Symbols;
use crate::bounded::{self, PROGRAM_MAX};
use crate::toolchain::digest::Digest;
use crate::toolchain::{once, ToolError, Toolchain};
use std::fmt;
use std::fs;
use std::path::Path;

/// A program as the nodes hold it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Firmware {
    /// Its name, or the file it comes from.
    pub name: String,
    /// The words of the program store, from address 0 on.
    pub words: Vec<u32>,
    /// Bytes of data with a place of their own: initialised and zeroed.
    pub data: u64,
    /// Its functions.
    pub symbols: Symbols,
}

impl Firmware {
    /// Bytes of the program store.
    pub const PROGRAM: u64 = 2048;

    /// Bytes of the data memory.
    pub const DATA: u64 = 512;

    /// Bytes of the data memory that are kept for the stack.
    pub const STACK: u64 = 256;

    /// Finds a program: the name of one of the project's, which comes compiled, a C
    /// file (`.c`), which is compiled now, or an ELF file. What is built goes below the
    /// folder `builds`. It is for nodes of this kind; an ELF file that is for others halts.
    ///
    /// # Errors
    /// If there is none, if it does not compile or link, if it is none for a node
    /// or too large.
    pub fn open(
        what: &str,
        kind: NodeKind,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let folder = builds.join("firmware");
        let path = Path::new(what);
        if let Some(file) = sources::program(what) {
            let program = match sources::is_shipped(file, kind) {
                true => Shipped::of(file, kind)?,
                false => Shipped::compile(file, kind, tools, &folder)?,
            };
            return Ok(program.firmware);
        }
        if path.extension().is_some_and(|e| e == "c") {
            // Before a compiler is fetched for it.
            fs::metadata(path).map_err(|e| FirmwareError::io(path, e))?;
            fs::create_dir_all(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
            let work = tempfile::tempdir_in(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
            let elf = compile(&Source::File(path, kind), tools, work.path())?;
            return Self::from_elf(what, &read(&elf)?);
        }
        if path.is_file() {
            return Self::from_elf(what, &read(path)?);
        }
        Err(FirmwareError::Unknown {
            name: what.to_owned(),
            accepted: sources::names(),
        })
    }

    /// From the bytes of an ELF file, called `name` in messages.
    ///
    /// # Errors
    /// If it is no program for a node, or too large.
    pub fn from_elf(name: &str, elf: &[u8]) -> Result<Self, FirmwareError> {
        let image = image::read(elf).map_err(|why| FirmwareError::Unfit {
            program: name.to_owned(),
            why,
        })?;
        let too_large = |what, bytes, limit| FirmwareError::TooLarge {
            program: name.to_owned(),
            what,
            bytes,
            limit,
        };
        let program = image.program.len() as u64;
        if program > Self::PROGRAM {
            return Err(too_large("code and constants", program, Self::PROGRAM));
        }
        let limit = Self::DATA - Self::STACK;
        if image.data > limit {
            return Err(too_large("data", image.data, limit));
        }
        Ok(Firmware {
            name: name.to_owned(),
            data: image.data,
            symbols: image.symbols,
            ..Self::of_bytes(&image.program)
        })
    }

    /// From the bytes of the program store, from address 0 on. The last word is filled up with
    /// zeros.
    pub fn of_bytes(program: &[u8]) -> Self {
        let word = |bytes: &[u8]| {
            let byte = |i: usize| u32::from(bytes.get(i).copied().unwrap_or(0)) << (8 * i);
            (0..4).map(byte).sum()
        };
        Firmware {
            words: program.chunks(4).map(word).collect(),
            ..Self::default()
        }
    }

    /// The bytes of the program store, from address 0 on.
    pub fn bytes(&self) -> Vec<u8> {
        let words = self.words.iter();
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Whether it does nothing but route, and looks ahead for it (`firmware/runtime/ahead.h`).
    pub fn looks_ahead(&self) -> bool {
        self.symbols.has("acked_forward")
    }

    /// Whether the code of an ELF file has room in a node; of no ELF file it has.
    pub(super) fn has_room(elf: &Path) -> bool {
        let image = read(elf).ok().and_then(|elf| image::read(&elf).ok());
        image.is_none_or(|image| image.program.len() as u64 <= Self::PROGRAM)
    }
}

/// `route: 656 of 2048 bytes of program, 12 + 256 (stack) of 512 bytes of data`
impl fmt::Display for Firmware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} of {} bytes of program, {} + {} (stack) of {} bytes of data",
            self.name,
            4 * self.words.len(),
            Self::PROGRAM,
            self.data,
            Self::STACK,
            Self::DATA
        )
    }
}

/// The ELF file of a program of the project's, called `name`.
pub(super) fn built_once(
    name: &str,
    source: &Source,
    tools: &Toolchain,
    folder: &Path,
) -> Result<Vec<u8>, FirmwareError> {
    let mut digest = sources_digest(source);
    digest.add(tools.riscv_cc()?.to_string());
    let target = folder.join(format!("{name}-{}", digest.short()));
    let mut failed = None;
    let made = once::ensure(&target, name, |partial| {
        let compiled = compile(source, tools, partial);
        compiled.map(|_| ()).map_err(|error| {
            let said = ToolError::Bad(error.to_string());
            failed = Some(error);
            said
        })
    });
    match failed {
        Some(error) => return Err(error),
        None => made?,
    }
    read(&target.join("program.elf"))
}

/// The digest of all that a program of the project's is made of: its sources, the
/// runtime's, and what the compiler is told.
pub(super) fn sources_digest(source: &Source) -> Digest {
    let mut digest = Digest::of([super::compile::identity(source)]);
    for file in source.kit().0.iter().chain(source.own()) {
        digest.add(file.path);
        digest.add(file.text);
    }
    digest
}

fn read(path: &Path) -> Result<Vec<u8>, FirmwareError> {
    bounded::read(path, PROGRAM_MAX).map_err(|e| FirmwareError::io(path, e))
}
