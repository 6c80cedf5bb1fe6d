//! Waveforms in the compressed format FST.

use super::{Format, Value, Var, WaveError};
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};
use std::io::{Seek, Write};

/// GTKWave's fast signal trace, far smaller than a VCD.
///
/// The FST crate has no text variables. A text is stored as a word with 8 bits per character, as in
/// Verilog, for display as ASCII. Without a final [`finish`](Format::finish) the file is
/// unreadable.
pub struct Fst<W: Write + Seek> {
    out: Stage<W>,
    vars: Vec<(FstSignalId, u32)>,
    time: u64,
}

/// Stage of the file.
enum Stage<W: Write + Seek> {
    Header(FstHeaderWriter<W>),
    Body(FstBodyWriter<W>),
    Done,
}

/// Bytes of changes that are collected before they are compressed and written.
const BLOCK: usize = 4 << 20;

impl<W: Write + Seek> Fst<W> {
    /// `comment` describes the origin of the waveform. Up to 127 characters are kept.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn new(out: W, comment: &str) -> Result<Self, WaveError> {
        let info = FstInfo {
            start_time: 0,
            // Nanoseconds.
            timescale_exponent: -9,
            version: comment.chars().filter(char::is_ascii).take(127).collect(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        Ok(Fst {
            out: Stage::Header(FstHeaderWriter::new(out, &info)?),
            vars: vec![],
            time: 0,
        })
    }

    fn header(&mut self) -> &mut FstHeaderWriter<W> {
        match &mut self.out {
            Stage::Header(header) => header,
            _ => panic!("variables are declared before the file begins"),
        }
    }

    fn body(&mut self) -> &mut FstBodyWriter<W> {
        match &mut self.out {
            Stage::Body(body) => body,
            _ => panic!("values change between the beginning and the end of the file"),
        }
    }

    fn var(&mut self, name: &str, width: u32, of: Option<FstSignalId>) -> Result<Var, WaveError> {
        let signal = FstSignalType::bit_vec(width);
        let (ty, direction) = (FstVarType::Wire, FstVarDirection::Implicit);
        let id = self.header().var(name, signal, ty, direction, of)?;
        self.vars.push((id, width));
        Ok(Var(self.vars.len() - 1))
    }

    fn at(&mut self, time: u64) -> Result<(), WaveError> {
        if time > self.time {
            // The file can be flushed only here.
            if self.body().size() > BLOCK {
                self.body().flush()?;
            }
            self.body().time_change(time)?;
            self.time = time;
        }
        Ok(())
    }
}

impl<W: Write + Seek> Format for Fst<W> {
    fn open_scope(&mut self, name: &str) -> Result<(), WaveError> {
        Ok(self.header().scope(name, "", FstScopeType::Module)?)
    }

    fn close_scope(&mut self) -> Result<(), WaveError> {
        Ok(self.header().up_scope()?)
    }

    fn bits(&mut self, name: &str, width: u32) -> Result<Var, WaveError> {
        self.var(name, width, None)
    }

    fn text(&mut self, name: &str, longest: usize) -> Result<Var, WaveError> {
        self.var(name, 8 * longest as u32, None)
    }

    fn alias(&mut self, name: &str, of: Var) -> Result<(), WaveError> {
        let (id, width) = self.vars[of.0];
        self.var(name, width, Some(id)).map(|_| ())
    }

    fn begin(&mut self) -> Result<(), WaveError> {
        let Stage::Header(header) = std::mem::replace(&mut self.out, Stage::Done) else {
            panic!("a file begins once");
        };
        self.out = Stage::Body(header.finish()?);
        Ok(())
    }

    fn change(&mut self, time: u64, var: Var, value: &Value) -> Result<(), WaveError> {
        self.at(time)?;
        let (id, width) = self.vars[var.0];
        let digits: Vec<u8> = match value {
            Value::Bits(bits) => (0..width)
                .rev()
                .map(|i| b'0' + (bits >> i & 1) as u8)
                .collect(),
            Value::Released => vec![b'z'; width as usize],
            Value::Text(text) => ascii_bits(text, width),
        };
        Ok(self.body().signal_change(id, &digits)?)
    }

    fn flush(&mut self) -> Result<(), WaveError> {
        // A file without its end is unreadable, so an early flush has no benefit.
        Ok(())
    }

    fn finish(&mut self, time: u64) -> Result<(), WaveError> {
        self.at(time)?;
        if let Stage::Body(body) = std::mem::replace(&mut self.out, Stage::Done) {
            body.finish()?.flush()?;
        }
        Ok(())
    }
}

/// Characters as binary digits, in the lower part of a word. Excess characters are cut off at the
/// end.
fn ascii_bits(text: &str, width: u32) -> Vec<u8> {
    let bytes = text.bytes().take(width as usize / 8);
    let digits = bytes.flat_map(|byte| (0..8).rev().map(move |i| b'0' + (byte >> i & 1)));
    let digits: Vec<u8> = digits.collect();
    let mut word = vec![b'0'; width as usize - digits.len()];
    word.extend(digits);
    word
}
