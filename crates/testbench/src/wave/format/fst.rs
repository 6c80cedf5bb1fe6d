//! Waveforms in the compressed format FST.

use super::{Var, WaveError, WaveFormat, WaveValue};
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType,
};
use std::cell::RefCell;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::rc::Rc;

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
        let FstCounts { scopes, signals, blocks } = self.counts;
        let vars = self.vars.len() as u64;
        self.blocks.replace(END_TIME, &[self.time])?;
        Ok(self.blocks.replace(COUNTS, &[scopes, vars, signals, blocks])?)
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
            WaveValue::Bits(bits) => {
                (0..width).rev().map(|i| b'0' + (bits >> i & 1) as u8).collect()
            }
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

// Appends the blocks of a FST file one by one. The file is readable after each of them.

/// Type of a block that readers skip. A block of this type with length 0 ends the file for readers.
const SKIP: u8 = 255;

/// Length of a block's type and length fields, in bytes.
const HEAD: usize = 9;

/// Buffers the bytes of a writer, and appends them to the file when a block is complete.
///
/// All handles of one file share this buffer. The FST writer has one handle, and the code that
/// completes the blocks has another.
pub struct BlockBuffer<W>(Rc<RefCell<BlockBufferState<W>>>);

struct BlockBufferState<W> {
    out: W,
    /// Total length of the complete blocks, in bytes.
    complete: u64,
    /// Bytes after the complete blocks, not written to the file yet.
    rest: Cursor<Vec<u8>>,
    /// Position of the next byte in the file.
    position: u64,
}

impl<W: Write + Seek> BlockBuffer<W> {
    /// Makes the blocks of an empty file.
    pub fn new(out: W) -> Self {
        BlockBuffer(Rc::new(RefCell::new(BlockBufferState {
            out,
            complete: 0,
            rest: Cursor::default(),
            position: 0,
        })))
    }

    /// Returns another handle of the same file.
    pub fn share(&self) -> Self {
        BlockBuffer(self.0.clone())
    }

    /// Appends the header of the file and the blocks that describe its variables.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(&self) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        let bytes = std::mem::take(&mut state.rest).into_inner();
        state.put(0, &bytes)?;
        state.complete = bytes.len() as u64;
        Ok(())
    }

    /// Appends the block that was written since the previous one. Readers skip the new block until
    /// all its bytes are in the file. If the process is killed, the file therefore ends with the
    /// last complete block.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn complete(&self) -> io::Result<()> {
        let mut state = self.0.borrow_mut();
        let mut block = std::mem::take(&mut state.rest).into_inner();
        let (at, length) = (state.complete, block.len() as u64);
        let Some(head) = block.first_chunk_mut::<HEAD>() else {
            return Ok(());
        };
        let [kind, size @ ..] = std::mem::replace(head, [SKIP, 0, 0, 0, 0, 0, 0, 0, 0]);
        state.put(at, &block)?;
        state.put(at + 1, &size)?;
        state.put(at, &[kind])?;
        state.complete = at + length;
        Ok(())
    }

    /// Replaces numbers in a complete block.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn replace(&self, at: u64, numbers: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_be_bytes()).collect();
        self.0.borrow_mut().put(at, &bytes)
    }
}

impl<W: Write + Seek> BlockBufferState<W> {
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.out.seek(SeekFrom::Start(at))?;
        self.out.write_all(bytes)?;
        self.out.flush()
    }
}

impl<W: Write + Seek> Write for BlockBuffer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.borrow_mut();
        match state.position.checked_sub(state.complete) {
            Some(position) => {
                state.rest.set_position(position);
                state.rest.write_all(bytes)?;
            }
            None => {
                let at = state.position;
                state.put(at, bytes)?;
            }
        }
        state.position += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write + Seek> Seek for BlockBuffer<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let mut state = self.0.borrow_mut();
        let end = state.complete + state.rest.get_ref().len() as u64;
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => state.position.checked_add_signed(by),
            SeekFrom::End(by) => end.checked_add_signed(by),
        };
        state.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(state.position)
    }
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
        let vars: Vec<Var> = (0..3).map(|i| fst.bits(names[i], widths[i]).unwrap()).collect();
        fst.close_scope().unwrap();
        fst.begin().unwrap();
        let mut written: [Vec<(u64, u64)>; 3] = [vec![(0, 0)], vec![(0, 0)], vec![(0, 7)]];
        for (i, of) in written.iter().enumerate() {
            fst.change(0, vars[i], &WaveValue::Bits(of[0].1)).unwrap();
        }
        let mut drawn = 1u64;
        for time in 1..60_000 {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
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
        let vars: HashMap<_, _> =
            vars.map(|var| (var.full_name(hierarchy), var.signal_ref())).collect();
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

#[cfg(test)]
mod blocks_tests {
    use super::*;

    /// File that fails after `left` bytes, as if the process had been killed.
    struct FailingFile {
        file: Cursor<Vec<u8>>,
        left: usize,
    }

    impl Write for FailingFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let some = &bytes[..bytes.len().min(self.left)];
            self.left -= some.len();
            match some.len() {
                0 => Err(io::ErrorKind::Other.into()),
                _ => self.file.write(some),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for FailingFile {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    /// Returns the blocks that a reader of the file sees, without their heads.
    fn visible_blocks(file: &[u8]) -> Vec<&[u8]> {
        let (mut blocks, mut rest) = (vec![], file);
        while let Some((head, _)) = rest.split_first_chunk::<HEAD>() {
            let [kind, size @ ..] = *head;
            let size = u64::from_be_bytes(size) as usize;
            if kind == SKIP && size == 0 {
                break;
            }
            if kind != SKIP {
                blocks.push(&rest[HEAD..=size]);
            }
            rest = &rest[1 + size..];
        }
        blocks
    }

    fn write(left: usize) -> (io::Result<()>, Vec<u8>) {
        let file = FailingFile { file: Cursor::default(), left };
        let blocks = BlockBuffer::new(file);
        let mut writer = blocks.share();
        let mut write = || -> io::Result<()> {
            for text in ["first", "second", "third"] {
                // Like fst-writer, writes the length after the text.
                let start = writer.stream_position()?;
                writer.write_all(&[8; HEAD])?;
                writer.write_all(text.as_bytes())?;
                let end = writer.stream_position()?;
                writer.seek(SeekFrom::Start(start + 1))?;
                writer.write_all(&(end - start - 1).to_be_bytes())?;
                writer.seek(SeekFrom::Start(end))?;
                match text {
                    "first" => blocks.begin()?,
                    _ => blocks.complete()?,
                }
            }
            Ok(())
        };
        let done = write();
        let file = blocks.0.borrow().out.file.get_ref().clone();
        (done, file)
    }

    #[test]
    fn a_killed_process_leaves_only_complete_blocks() {
        let (done, whole) = write(usize::MAX);
        assert!(done.is_ok());
        let texts: [&[u8]; 3] = [b"first", b"second", b"third"];
        assert_eq!(visible_blocks(&whole), texts);
        // The file gets its name only after the description of the variables is complete.
        let mut counts = vec![];
        for left in HEAD + 5..=whole.len() + 2 * HEAD {
            let (done, file) = write(left);
            let blocks = visible_blocks(&file);
            assert_eq!(blocks, texts[..blocks.len()], "{left}");
            counts.push((blocks.len(), done.is_ok()));
        }
        assert!(counts.is_sorted());
        assert_eq!(counts.last(), Some(&(3, true)));
        assert!(counts.contains(&(1, false)) && counts.contains(&(2, false)));
    }
}
