//! Programs in the form that nodes store.

use super::error::FirmwareError;
use super::image;
use super::symbols::Symbols;
use crate::bounded::{self, PROGRAM_MAX};
use std::fmt;
use std::path::Path;

/// Program in the form that a node stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Firmware {
    /// Name of the program, or of its file.
    pub name: String,
    /// Words of the program store, from address 0 on.
    pub words: Vec<u32>,
    /// Statically allocated data in bytes, initialised and zeroed.
    pub data: u64,
    /// Functions of the program.
    pub symbols: Symbols,
}

impl Firmware {
    /// Size of the program store in bytes.
    pub const PROGRAM: u64 = 2048;

    /// Size of the data memory in bytes.
    pub const DATA: u64 = 512;

    /// Bytes of the data memory that are reserved for the stack.
    pub const STACK: u64 = 256;

    /// Reads an ELF file. `name` appears in messages.
    ///
    /// # Errors
    /// If the file is not a program for a node, or is too large.
    pub fn from_elf(name: &str, elf: &[u8]) -> Result<Self, FirmwareError> {
        let image = image::read(elf).map_err(|why| FirmwareError::Unfit {
            program: name.to_owned(),
            why,
        })?;
        let too_large = |what, bytes, limit| FirmwareError::TooLarge {
            program: name.to_owned(),
            what,
            bytes,
            limit,
        };
        let program = image.program.len() as u64;
        if program > Self::PROGRAM {
            return Err(too_large("code and constants", program, Self::PROGRAM));
        }
        let limit = Self::DATA - Self::STACK;
        if image.data > limit {
            return Err(too_large("data", image.data, limit));
        }
        Ok(Firmware {
            name: name.to_owned(),
            data: image.data,
            symbols: image.symbols,
            ..Self::from_bytes(&image.program)
        })
    }

    /// Program from the bytes of the program store, from address 0 on. The last word is padded with
    /// zeros.
    pub fn from_bytes(program: &[u8]) -> Self {
        let word = |bytes: &[u8]| {
            let byte = |i: usize| u32::from(bytes.get(i).copied().unwrap_or(0)) << (8 * i);
            (0..4).map(byte).sum()
        };
        Firmware {
            words: program.chunks(4).map(word).collect(),
            ..Self::default()
        }
    }

    /// Bytes of the program store, from address 0 on.
    pub fn bytes(&self) -> Vec<u8> {
        let words = self.words.iter();
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// True if the program only routes, and uses lookahead (`firmware/runtime/ahead.h`).
    pub fn uses_lookahead(&self) -> bool {
        self.symbols.has("acked_forward")
    }

    /// True if the code of an ELF file fits in a node, or the file is not an ELF file.
    pub(super) fn code_fits(elf: &Path) -> bool {
        let image = read(elf).ok().and_then(|elf| image::read(&elf).ok());
        image.is_none_or(|image| image.program.len() as u64 <= Self::PROGRAM)
    }
}

/// `route: 656 of 2048 bytes of program, 12 + 256 (stack) of 512 bytes of data`
impl fmt::Display for Firmware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} of {} bytes of program, {} + {} (stack) of {} bytes of data",
            self.name,
            4 * self.words.len(),
            Self::PROGRAM,
            self.data,
            Self::STACK,
            Self::DATA
        )
    }
}

/// Bytes of a file that is not larger than a program can be.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, FirmwareError> {
    bounded::read(path, PROGRAM_MAX).map_err(|e| FirmwareError::io(path, e))
}
