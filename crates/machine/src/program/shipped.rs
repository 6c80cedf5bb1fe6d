//! Compiled programs that are distributed with the project, so that users need no compiler for
//! them.
//!
//! A program is a text file beside its source, `firmware/programs/NAME.hex`. The file contains the
//! digest of the sources, the compiler, and the words. [`REGENERATE_COMMAND`] regenerates all of them.

use super::build_cache::{build_once, sources_digest};
use super::compile::ProgramSource;
use super::error::{FirmwareError, REGENERATE_COMMAND};
use super::firmware::Firmware;
use super::node_kind::NodeKind;
use super::sources::{self, SourceFile};
use super::symbols::Symbols;
use std::fmt;
use std::path::Path;
use toolchain::Toolchain;

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
        let name = sources::program_name(file);
        let stale = |why: &str| FirmwareError::Stale {
            program: name.to_owned(),
            why: why.to_owned(),
        };
        let compiled = sources::compiled_text(&sources::compiled_name(file, kind));
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
        let (name, source) = (
            sources::program_name(file),
            ProgramSource::Project(file, kind),
        );
        let elf = build_once(name, &source, tools, folder)?;
        Ok(ShippedProgram {
            name,
            sources: sources_digest(&source).short(),
            compiler: tools.riscv_cc()?.to_string(),
            firmware: Firmware::from_elf(name, &elf)?,
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
            },
        }
    }

    #[test]
    fn a_printed_program_is_parsed_back() {
        let text = program().to_string();
        assert_eq!(ShippedProgram::parse("route", &text), Some(program()));
        assert_eq!(
            ShippedProgram::parse("route", &text.replace('\n', "\r\n")),
            Some(program())
        );
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
            assert_eq!(
                ShippedProgram::parse("route", &text.replace(from, to)),
                None
            );
        }
        let head = text.split_inclusive('\n').take(7).collect::<String>();
        assert!(head.ends_with("main\n"));
        assert_eq!(ShippedProgram::parse("route", &head), None);
        assert_eq!(
            ShippedProgram::parse("route", &(text + "12345678g\n")),
            None
        );
    }
}
