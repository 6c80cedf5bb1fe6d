//! Programs as a user names them.

use super::sources;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

/// Name of a program as the user gives it: a program of the project, a C file or an ELF file. The
/// path of a file may be invalid UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramName(OsString);

impl ProgramName {
    /// Name of a program that comes with the project, or `None` for another name.
    pub fn project_name(&self) -> Option<&str> {
        let name = self.0.to_str()?;
        sources::find_program(name).map(|_| name)
    }

    /// Path of the user's program, or `None` for a program of the project.
    pub fn user_path(&self) -> Option<&Path> {
        match self.project_name() {
            Some(_) => None,
            None => Some(Path::new(&self.0)),
        }
    }
}

impl From<OsString> for ProgramName {
    fn from(name: OsString) -> Self {
        ProgramName(name)
    }
}

impl From<&str> for ProgramName {
    fn from(name: &str) -> Self {
        ProgramName(name.into())
    }
}

impl AsRef<OsStr> for ProgramName {
    fn as_ref(&self) -> &OsStr {
        &self.0
    }
}

impl fmt::Display for ProgramName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.display())
    }
}
