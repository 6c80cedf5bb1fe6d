//! Values of flags that name what a command writes.
//!
//! The type tells outputs from inputs: any other path on the command line is an input.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// File that a command writes, or `-` for standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile(PathBuf);

/// Directory that a command writes files into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputDir(PathBuf);

impl From<OsString> for OutputFile {
    fn from(name: OsString) -> Self {
        OutputFile(name.into())
    }
}

impl From<OsString> for OutputDir {
    fn from(name: OsString) -> Self {
        OutputDir(name.into())
    }
}

impl Deref for OutputFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Deref for OutputDir {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}
