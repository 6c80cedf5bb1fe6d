//! Errors of programs, including the compiler's messages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toolchain::ToolError;

/// Command that recompiles the programs into the source tree.
pub const REGENERATE_COMMAND: &str = "PHASECUBE_BLESS=1 cargo sim firmware::shipped";

/// Reason why a program cannot run on a node.
#[derive(Debug, Error)]
pub enum FirmwareError {
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("there is no program {name:?}; accepted: {accepted}, a C file (.c) or an ELF file")]
    Unknown { name: String, accepted: String },
    /// Messages of the compiler, with file and line.
    #[error("{program} does not compile:\n{said}")]
    Compile { program: String, said: String },
    #[error("{program} does not link: {symbols} is not defined in it, in tdma.h, ctrl.h or cm1.h")]
    Missing { program: String, symbols: String },
    #[error("{program} is not a program for a node: {why}")]
    Unfit { program: String, why: String },
    #[error("{program} is too large: {what} takes {bytes} bytes; accepted: up to {limit} bytes")]
    TooLarge {
        program: String,
        what: &'static str,
        bytes: u64,
        limit: u64,
    },
    #[error("the compiled program {program} of this version cannot be used: {why}; {REGENERATE_COMMAND} regenerates it")]
    Stale { program: String, why: String },
    #[error(transparent)]
    Tool(#[from] ToolError),
}

impl FirmwareError {
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        FirmwareError::Io {
            path: path.to_path_buf(),
            source,
        }
    }

    /// Error from the output of compiler and linker.
    pub(super) fn from_compiler(program: &Path, said: &str) -> Self {
        let program = program.display().to_string();
        let missing: BTreeSet<&str> = said.lines().filter_map(undefined_symbol).collect();
        if missing.is_empty() {
            return FirmwareError::Compile {
                program,
                said: said.trim_end().to_owned(),
            };
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
        let said = "ld.lld: error: undefined symbol: nowhere\n>>> referenced by a.c\n\
                    ld.lld: error: undefined symbol: main\n\
                    ld: a.c:(.text+0x8): undefined reference to `nowhere'\n";
        let error = FirmwareError::from_compiler("a.c".as_ref(), said);
        assert_eq!(
            error.to_string(),
            "a.c does not link: main, nowhere is not defined in it, in tdma.h, ctrl.h or cm1.h"
        );
    }

    #[test]
    fn errors_of_the_compiler_are_shown_as_they_are() {
        let said = "a.c:2:45: error: use of undeclared identifier 'y'\n";
        let error = FirmwareError::from_compiler("a.c".as_ref(), said);
        assert!(error.to_string().contains("a.c:2:45"));
    }
}
