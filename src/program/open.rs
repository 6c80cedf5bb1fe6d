//! Programs by what a user calls them: shipped, compiled from C, or read from an ELF file.

use super::compile::{compile, Source};
use super::error::FirmwareError;
use super::firmware::{read, Firmware};
use super::node_kind::NodeKind;
use super::shipped::Shipped;
use super::sources;
use crate::toolchain::Toolchain;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

impl Firmware {
    /// Finds a program: the name of one of the project's, which comes compiled, a C
    /// file (`.c`), which is compiled now, or an ELF file. What is built goes below the
    /// folder `builds`. It is for nodes of this kind; an ELF file that is for others halts.
    ///
    /// # Errors
    /// If there is none, if it does not compile or link, if it is none for a node
    /// or too large.
    pub fn open(
        what: impl AsRef<OsStr>,
        kind: NodeKind,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<Self, FirmwareError> {
        let folder = builds.join("firmware");
        let path = Path::new(what.as_ref());
        if let Some(file) = path.to_str().and_then(sources::program) {
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
            return Self::from_elf(&path.display().to_string(), &read(&elf)?);
        }
        if path.is_file() {
            return Self::from_elf(&path.display().to_string(), &read(path)?);
        }
        Err(FirmwareError::Unknown {
            name: path.display().to_string(),
            accepted: sources::names(),
        })
    }
}
