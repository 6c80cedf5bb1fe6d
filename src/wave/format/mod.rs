//! Files of waveforms, behind one trait.

mod blocks;
mod fst;
mod vcd;

pub use fst::Fst;
pub use vcd::Vcd;

use std::fs::File;
use std::io;
use std::path::Path;
use thiserror::Error;

/// A variable in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Var(usize);

/// What a variable is from some time on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Bits(u64),
    /// No number: nobody says one.
    Released,
    /// Printable ASCII without spaces.
    Text(String),
}

/// Why a file could not be written.
#[derive(Debug, Error)]
pub enum WaveError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Fst(#[from] fst_writer::FstWriteError),
}

/// A file of waveforms: first the hierarchy is declared, then it is
/// [`begin`](Format::begin)ned, then values change as time goes on.
///
/// The unit of time is a clock cycle; viewers read it as a nanosecond.
pub trait Format {
    /// Opens a scope in the present one.
    ///
    /// # Errors
    /// As all of them: if the file cannot be written.
    fn open_scope(&mut self, name: &str) -> Result<(), WaveError>;

    fn close_scope(&mut self) -> Result<(), WaveError>;

    /// A number of 1 to 64 bits in the present scope.
    fn bits(&mut self, name: &str, width: u32) -> Result<Var, WaveError>;

    /// A text of up to so many characters in the present scope.
    fn text(&mut self, name: &str, longest: usize) -> Result<Var, WaveError>;

    /// A second name for a variable, in the present scope.
    fn alias(&mut self, name: &str, of: Var) -> Result<(), WaveError>;

    /// The hierarchy is complete.
    fn begin(&mut self) -> Result<(), WaveError>;

    /// A variable changes at a time not before that of the last change.
    fn change(&mut self, time: u64, var: Var, value: &Value) -> Result<(), WaveError>;

    /// Hands what there is so far over to the system, as far as the format can.
    fn flush(&mut self) -> Result<(), WaveError>;

    /// Ends the file at this time.
    fn finish(&mut self, time: u64) -> Result<(), WaveError>;
}

/// A file is of no format that there is.
#[derive(Debug, Error)]
#[error("{0} is of no format that there is; accepted: a name that ends in .vcd or .fst")]
pub struct UnknownFormat(String);

/// The formats, told by the end of a file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Vcd,
    Fst,
}

impl FileKind {
    /// # Errors
    /// If the name ends otherwise.
    pub fn of(path: &Path) -> Result<Self, UnknownFormat> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("vcd") => Ok(FileKind::Vcd),
            Some("fst") => Ok(FileKind::Fst),
            _ => Err(UnknownFormat(path.display().to_string())),
        }
    }

    /// Begins an open file; a FST is gone back to, so it cannot be a pipe.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(self, out: File) -> Result<Box<dyn Format>, WaveError> {
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
