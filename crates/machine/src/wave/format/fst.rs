//! Waveforms in the compressed format FST.

use super::blocks::BlockBuffer;
use super::{Var, WaveError, WaveFormat, WaveValue};
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};
use std::io::{Seek, Write};

/// GTKWave's fast signal trace, far smaller than a VCD.
///
/// The crate `fst_writer` has no text type. A text is therefore a word of 8 bits per character, as
/// in Verilog, which viewers can show as ASCII. After each block of changes the file is readable up
/// to that block.
pub struct Fst<W: Write + Seek> {
    out: FstStage<BlockBuffer<W>>,
    blocks: BlockBuffer<W>,
    vars: Vec<(FstSignalId, u32)>,
    time: u64,
    counts: FstCounts,
    /// Size in bytes above which the present block of changes is written.
    block: usize,
}

/// Counters in the header of the file.
#[derive(Default)]
struct FstCounts {
    scopes: u64,
    /// Number of variables, without aliases.
    signals: u64,
    /// Number of blocks of changes.
    blocks: u64,
}

/// Position in the file of the time of the last change. `COUNTS` is the position of the numbers of
/// scopes, variables, signals and blocks, of 64 bits each.
const END_TIME: u64 = 17;
const COUNTS: u64 = 41;

/// Writer of the present part of the file.
enum FstStage<W: Write + Seek> {
    Header(FstHeaderWriter<W>),
    Body(FstBodyWriter<W>),
    Done,
}

/// Bytes of changes that are collected before the first block is compressed and written. Each
/// further block is twice as large, up to `LARGEST_BLOCK`. The first blocks are small, so that a
/// viewer soon has something to show.
const FIRST_BLOCK: usize = 1 << 16;
const LARGEST_BLOCK: usize = 4 << 20;

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
        let blocks = BlockBuffer::new(out);
        Ok(Fst {
            out: FstStage::Header(FstHeaderWriter::new(blocks.share(), &info)?),
            blocks,
            vars: vec![],
            time: 0,
            counts: FstCounts::default(),
            block: FIRST_BLOCK,
        })
    }

    fn header(&mut self) -> &mut FstHeaderWriter<BlockBuffer<W>> {
        match &mut self.out {
            FstStage::Header(header) => header,
            _ => panic!("variables are declared before the file begins"),
        }
    }

    fn body(&mut self) -> &mut FstBodyWriter<BlockBuffer<W>> {
        match &mut self.out {
            FstStage::Body(body) => body,
            _ => panic!("values change between the beginning and the end of the file"),
        }
    }

    fn var(&mut self, name: &str, width: u32, of: Option<FstSignalId>) -> Result<Var, WaveError> {
        let signal = FstSignalType::bit_vec(width);
        let (ty, direction) = (FstVarType::Wire, FstVarDirection::Implicit);
        let id = self.header().var(name, signal, ty, direction, of)?;
        self.counts.signals += u64::from(of.is_none());
        self.vars.push((id, width));
        Ok(Var(self.vars.len() - 1))
    }

    fn at(&mut self, time: u64) -> Result<(), WaveError> {
        if time > self.time {
            // Blocks are flushed only here, because readers reject a block without a time.
            if self.time > 0 && self.body().size() > self.block {
                self.body().flush()?;
                self.blocks.complete()?;
                self.counts.blocks += 1;
                self.update_header()?;
                self.block = LARGEST_BLOCK.min(2 * self.block);
            }
            self.body().time_change(time)?;
            self.time = time;
        }
        Ok(())
    }
}

impl<W: Write + Seek> Fst<W> {
    /// Updates the counters and the end time in the header.
    fn update_header(&self) -> Result<(), WaveError> {
        let FstCounts {
            scopes,
            signals,
            blocks,
        } = self.counts;
        let vars = self.vars.len() as u64;
        self.blocks.replace(END_TIME, &[self.time])?;
        Ok(self
            .blocks
            .replace(COUNTS, &[scopes, vars, signals, blocks])?)
    }
}

impl<W: Write + Seek> WaveFormat for Fst<W> {
    fn open_scope(&mut self, name: &str) -> Result<(), WaveError> {
        self.counts.scopes += 1;
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
        let FstStage::Header(header) = std::mem::replace(&mut self.out, FstStage::Done) else {
            panic!("a file begins once");
        };
        self.out = FstStage::Body(header.finish()?);
        self.blocks.begin()?;
        self.update_header()
    }

    fn change(&mut self, time: u64, var: Var, value: &WaveValue) -> Result<(), WaveError> {
        self.at(time)?;
        let (id, width) = self.vars[var.0];
        let digits: Vec<u8> = match value {
            WaveValue::Bits(bits) => (0..width)
                .rev()
                .map(|i| b'0' + (bits >> i & 1) as u8)
                .collect(),
            WaveValue::Undriven => vec![b'z'; width as usize],
            WaveValue::Text(text) => ascii_bits(text, width),
        };
        Ok(self.body().signal_change(id, &digits)?)
    }

    fn flush(&mut self) -> Result<(), WaveError> {
        // Flushing a block here would make the file large.
        Ok(())
    }

    fn finish(&mut self, time: u64) -> Result<(), WaveError> {
        // Readers expect at least one time, even in a run without a clock cycle.
        self.at(time.max(1))?;
        if let FstStage::Body(body) = std::mem::replace(&mut self.out, FstStage::Done) {
            body.finish()?;
            self.blocks.complete()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::fs::File;

    /// A reader returns all written changes, across many block boundaries.
    #[test]
    fn a_reader_returns_all_changes_across_blocks() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("w.fst");
        let mut fst = Fst::new(File::create(&path).unwrap(), "test").unwrap();
        fst.open_scope("top").unwrap();
        let names = ["bit", "word", "quiet"];
        let widths = [1, 40, 8];
        let vars: Vec<Var> = (0..3)
            .map(|i| fst.bits(names[i], widths[i]).unwrap())
            .collect();
        fst.close_scope().unwrap();
        fst.begin().unwrap();
        let mut written: [Vec<(u64, u64)>; 3] = [vec![(0, 0)], vec![(0, 0)], vec![(0, 7)]];
        for (i, of) in written.iter().enumerate() {
            fst.change(0, vars[i], &WaveValue::Bits(of[0].1)).unwrap();
        }
        let mut drawn = 1u64;
        for time in 1..60_000 {
            drawn = drawn
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            for (i, of) in written.iter_mut().enumerate().take(2) {
                let value = drawn >> 24 & ((1 << widths[i]) - 1);
                if value != of[of.len() - 1].1 {
                    fst.change(time, vars[i], &WaveValue::Bits(value)).unwrap();
                    of.push((time, value));
                }
            }
        }
        assert!(fst.counts.blocks > 2, "{}", fst.counts.blocks);
        fst.finish(60_000).unwrap();

        let mut wave = wellen::simple::read(&path).unwrap();
        let hierarchy = wave.hierarchy();
        let vars = hierarchy.iter_vars();
        let vars: HashMap<_, _> = vars
            .map(|var| (var.full_name(hierarchy), var.signal_ref()))
            .collect();
        wave.load_signals(&vars.values().copied().collect::<Vec<_>>());
        let times = wave.time_table();
        for (name, written) in names.iter().zip(written) {
            let signal = wave.get_signal(vars[&format!("top.{name}")]).unwrap();
            let read = signal.iter_changes().map(|(time, value)| {
                let value = u64::from_str_radix(&value.to_string(), 2).unwrap();
                (times[time as usize], value)
            });
            let read: Vec<(u64, u64)> = read.collect();
            assert!(read == written, "{name}");
        }
    }
}
