//! Appends the blocks of a FST file one by one. The file is readable after each of them.

use std::cell::RefCell;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::rc::Rc;

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
        let file = FailingFile {
            file: Cursor::default(),
            left,
        };
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
