//! Waveform files, with one trait for all formats.

mod blocks;
mod fst;
mod vcd;

pub use fst::Fst;
pub use vcd::Vcd;

use std::fs::File;
use std::io;
use std::path::Path;
use thiserror::Error;

/// Variable in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Var(usize);

/// Value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaveValue {
    /// Number of 1 to 64 bits.
    Bits(u64),
    /// The signal is not driven.
    Undriven,
    /// Printable ASCII without spaces.
    Text(String),
}

/// Reason why a file could not be written.
#[derive(Debug, Error)]
pub enum WaveError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Fst(#[from] fst_writer::FstWriteError),
}

/// Waveform file. The hierarchy is declared first. After [`begin`](WaveFormat::begin) the values change
/// in order of time.
///
/// The unit of time is a clock cycle, which viewers read as a nanosecond.
pub trait WaveFormat {
    /// Opens a scope in the present one.
    ///
    /// # Errors
    /// If the file cannot be written. All methods have this error.
    fn open_scope(&mut self, name: &str) -> Result<(), WaveError>;

    fn close_scope(&mut self) -> Result<(), WaveError>;

    /// Declares a number of 1 to 64 bits in the present scope.
    fn bits(&mut self, name: &str, width: u32) -> Result<Var, WaveError>;

    /// Declares a text of up to `longest` characters in the present scope.
    fn text(&mut self, name: &str, longest: usize) -> Result<Var, WaveError>;

    /// Declares a second name for a variable, in the present scope.
    fn alias(&mut self, name: &str, of: Var) -> Result<(), WaveError>;

    /// Ends the declaration of the hierarchy.
    fn begin(&mut self) -> Result<(), WaveError>;

    /// Changes a variable at a time that is not before the last change.
    fn change(&mut self, time: u64, var: Var, value: &WaveValue) -> Result<(), WaveError>;

    /// Writes the collected data to the system, as far as the format permits.
    fn flush(&mut self) -> Result<(), WaveError>;

    /// Ends the file at this time.
    fn finish(&mut self, time: u64) -> Result<(), WaveError>;
}

/// The file name has no known format.
#[derive(Debug, Error)]
#[error("{0} has no known format; accepted: a name that ends in .vcd or .fst")]
pub struct UnknownFormat(String);

/// File format, selected by the extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Vcd,
    Fst,
}

impl FileKind {
    /// Selects the format by the file name.
    ///
    /// # Errors
    /// If the extension is unknown.
    pub fn of(path: &Path) -> Result<Self, UnknownFormat> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("vcd") => Ok(FileKind::Vcd),
            Some("fst") => Ok(FileKind::Fst),
            _ => Err(UnknownFormat(path.display().to_string())),
        }
    }

    /// Starts a file. FST seeks back, so its file cannot be a pipe.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(self, out: File) -> Result<Box<dyn WaveFormat>, WaveError> {
        let comment = concat!(
            "phasecube ",
            env!("CARGO_PKG_VERSION"),
            "; 1 ns is 1 clock cycle"
        );
        Ok(match self {
            FileKind::Vcd => Box::new(Vcd::new(out, comment)?),
            FileKind::Fst => Box::new(Fst::new(out, comment)?),
        })
    }
}
