//! Waveform files, with one trait for all formats ([`WaveFormat`]). This file has the text format
//! ([`Vcd`]), and `fst` has the compressed one.

mod fst;

pub use fst::Fst;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use thiserror::Error;
use vcd::{IdCode, TimescaleUnit, VarType, Writer};

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
        let comment = concat!("phasecube ", env!("CARGO_PKG_VERSION"), "; 1 ns is 1 clock cycle");
        Ok(match self {
            FileKind::Vcd => Box::new(Vcd::new(out, comment)?),
            FileKind::Fst => Box::new(Fst::new(out, comment)?),
        })
    }
}

// Waveforms in the text format VCD.

/// Value change dump (IEEE 1364, section 18), with the string variables that GTKWave and Surfer
/// support.
///
/// A file that ends after any line is readable up to there. Only whole lines are written.
pub struct Vcd<W: Write> {
    out: W,
    lines: Writer<Vec<u8>>,
    vars: Vec<(IdCode, u32, VarType)>,
    time: Option<u64>,
}

/// Bytes of lines that are collected before they are written.
const BLOCK: usize = 64 << 10;

impl<W: Write> Vcd<W> {
    /// `comment` describes the origin of the waveform.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn new(out: W, comment: &str) -> Result<Self, WaveError> {
        let mut lines = Writer::new(vec![]);
        lines.version(comment)?;
        lines.timescale(1, TimescaleUnit::NS)?;
        Ok(Vcd { out, lines, vars: vec![], time: None })
    }

    fn var(&mut self, ty: VarType, name: &str, width: u32) -> Result<Var, WaveError> {
        let id = self.lines.add_var(ty, width, name, None)?;
        self.vars.push((id, width, ty));
        Ok(Var(self.vars.len() - 1))
    }

    fn at(&mut self, time: u64) -> Result<(), WaveError> {
        if self.time != Some(time) {
            if self.lines.writer().len() > BLOCK {
                self.write_lines()?;
            }
            self.lines.timestamp(time)?;
            self.time = Some(time);
        }
        Ok(())
    }

    fn write_lines(&mut self) -> Result<(), WaveError> {
        self.out.write_all(self.lines.writer())?;
        self.lines.writer().clear();
        Ok(())
    }
}

impl<W: Write> WaveFormat for Vcd<W> {
    fn open_scope(&mut self, name: &str) -> Result<(), WaveError> {
        Ok(self.lines.add_module(name)?)
    }

    fn close_scope(&mut self) -> Result<(), WaveError> {
        Ok(self.lines.upscope()?)
    }

    fn bits(&mut self, name: &str, width: u32) -> Result<Var, WaveError> {
        self.var(VarType::Wire, name, width)
    }

    fn text(&mut self, name: &str, _longest: usize) -> Result<Var, WaveError> {
        self.var(VarType::String, name, 1)
    }

    fn alias(&mut self, name: &str, of: Var) -> Result<(), WaveError> {
        let (id, width, ty) = self.vars[of.0];
        Ok(self.lines.var_def(ty, width, id, name, None)?)
    }

    fn begin(&mut self) -> Result<(), WaveError> {
        Ok(self.lines.enddefinitions()?)
    }

    fn change(&mut self, time: u64, var: Var, value: &WaveValue) -> Result<(), WaveError> {
        self.at(time)?;
        let (id, width, _) = self.vars[var.0];
        let bit = |i: u32, bits: u64| vcd::Value::from(bits >> i & 1 == 1);
        match value {
            WaveValue::Bits(bits) if width == 1 => self.lines.change_scalar(id, bit(0, *bits))?,
            WaveValue::Bits(bits) => {
                let digits = (u64::BITS - bits.leading_zeros()).max(1);
                let digits = (0..digits).rev().map(|i| bit(i, *bits));
                self.lines.change_vector(id, digits)?;
            }
            WaveValue::Undriven if width == 1 => self.lines.change_scalar(id, vcd::Value::Z)?,
            WaveValue::Undriven => self.lines.change_vector(id, [vcd::Value::Z])?,
            WaveValue::Text(text) => self.lines.change_string(id, text)?,
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), WaveError> {
        self.write_lines()?;
        Ok(self.out.flush()?)
    }

    fn finish(&mut self, time: u64) -> Result<(), WaveError> {
        self.at(time)?;
        self.flush()
    }
}
