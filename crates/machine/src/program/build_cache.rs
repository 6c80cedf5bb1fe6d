//! Compiles the project's programs, and keeps the results by the digest of their sources.

use super::compile::{compile, identity, ProgramSource};
use super::error::FirmwareError;
use super::firmware::read;
use std::path::Path;
use toolchain::digest::Digest;
use toolchain::{once, ToolError, Toolchain};

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
    let made = once::build_if_missing(&target, name, |partial| {
        let compiled = compile(source, tools, partial);
        compiled.map(|_| ()).map_err(|error| {
            let said = ToolError::Invalid(error.to_string());
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
