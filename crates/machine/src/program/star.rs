//! StarC programs: their translation, and the runtime that is compiled with them.

use super::sources::{write_files, STAR_RUNTIME};
use super::{Firmware, FirmwareError, ProgramName};
use crate::bounded;
pub use starc::Options;
use starc::{translate, Translation};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use toolchain::progress;

/// Largest StarC file in bytes.
const SOURCE_MAX: u64 = 16 << 20;

/// Whether a program is a StarC file, by its name.
pub fn is_starc(program: &Path) -> bool {
    program.extension().is_some_and(|e| e == "starc")
}

/// Reads a StarC file and translates it to C.
///
/// # Errors
/// If the file cannot be read, or has an error.
pub fn translate_file(path: &Path, options: &Options) -> Result<Translation, FirmwareError> {
    let io = |source| FirmwareError::io(path, source);
    let source = bounded::read(path, SOURCE_MAX).map_err(io)?;
    let source = String::from_utf8(source).map_err(|_| FirmwareError::Unfit {
        program: path.display().to_string(),
        why: "it is not UTF-8".to_owned(),
    })?;
    translate(&source, &path.display().to_string(), options).map_err(FirmwareError::Starc)
}

/// Translation of a program, once it was needed. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptTranslation(Arc<Mutex<Option<OfOptions>>>);

/// Translation with these options.
type OfOptions = (Options, Arc<Translation>);

impl KeptTranslation {
    /// Translates a file, unless its translation with these options is known.
    fn translate(&self, path: &Path, options: &Options) -> Result<Arc<Translation>, FirmwareError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, translation)) = kept.as_ref() {
            if of == options {
                return Ok(translation.clone());
            }
        }
        let translation = Arc::new(translate_file(path, options)?);
        *kept = Some((*options, translation.clone()));
        Ok(translation)
    }
}

/// Bytes of a value from or to the host.
const WORD: u64 = 4;

/// Returns the bytes of payload that the exchanges and the host of a StarC program need on this
/// machine.
///
/// # Errors
/// As [`translate_file`].
pub fn payload(program: &ProgramName, options: &Options) -> Result<u64, FirmwareError> {
    let path = Path::new(program.as_ref());
    let translation = program.translation.translate(path, options)?;
    let values = translation.payload.unwrap_or(options.frame_bytes());
    Ok((values + options.number_bytes()).max(WORD))
}

/// Opens a program for the nodes of a cube. A StarC file is translated with these options, and `open`
/// gets the C file. Other programs are opened as they are.
///
/// # Errors
/// Errors of the translation, and of `open`.
pub fn open_for_cube(
    program: &ProgramName,
    options: &Options,
    builds: &Path,
    open: impl FnOnce(&OsStr) -> Result<Firmware, FirmwareError>,
) -> Result<Firmware, FirmwareError> {
    let path = Path::new(program.as_ref());
    if !is_starc(path) {
        return open(program.as_ref());
    }
    let translation = program.translation.translate(path, options)?;
    if !translation.warnings.is_empty() {
        progress::note(translation.warnings.to_string().trim_end());
    }
    let folder = builds.join("firmware");
    fs::create_dir_all(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
    let work = tempfile::tempdir_in(&folder).map_err(|e| FirmwareError::io(&folder, e))?;
    write_files(work.path(), STAR_RUNTIME)?;
    // The header is found in the folder of the C file.
    let c = work.path().join("program.c");
    fs::write(&c, &translation.c).map_err(|e| FirmwareError::io(&c, e))?;
    let name = path.display().to_string();
    let firmware = open(c.as_os_str()).map_err(|error| error.of_program(&name))?;
    Ok(Firmware { name, ..firmware })
}
