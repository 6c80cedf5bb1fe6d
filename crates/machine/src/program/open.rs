//! Opens a program: shipped, compiled from C, or read from an ELF file.

use super::compile::{compile, ProgramSource};
use super::error::FirmwareError;
use super::firmware::{read, Firmware};
use super::node_kind::NodeKind;
use super::shipped::ShippedProgram;
use super::sources;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use toolchain::Toolchain;

impl Firmware {
    /// Opens a program for nodes of this kind. `what` is the name of one of the project's programs,
    /// which is already compiled, a C file (`.c`), or an ELF file. Build results go below the
    /// folder `builds`. An ELF file for another kind of node halts.
    ///
    /// # Errors
    /// If the program does not exist, does not compile or link, is not for a node, or is too large.
    pub fn open(
        what: impl AsRef<OsStr>,
        kind: NodeKind,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let folder = builds.join("firmware");
        let path = Path::new(what.as_ref());
        if let Some(file) = path.to_str().and_then(sources::find_program) {
            let program = match sources::is_shipped(file, kind) {
                true => ShippedProgram::for_kind(file, kind)?,
                false => ShippedProgram::compile(file, kind, tools, &folder)?,
            };
            return Ok(program.firmware);
        }
        if path.extension().is_some_and(|e| e == "c") {
            // Checked before a compiler is fetched for the file.
            fs::metadata(path).map_err(|e| FirmwareError::io(path, e))?;
            fs::create_dir_all(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
            let work = tempfile::tempdir_in(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
            let elf = compile(&ProgramSource::File(path, kind), tools, work.path())?;
            return Self::from_elf(&path.display().to_string(), &read(&elf)?);
        }
        if path.is_file() {
            return Self::from_elf(&path.display().to_string(), &read(path)?);
        }
        Err(FirmwareError::Unknown {
            name: path.display().to_string(),
            accepted: sources::program_names(),
        })
    }
}
