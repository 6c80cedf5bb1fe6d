//! Reads user files up to a maximum length, because a device may have no end.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Largest program file (ELF) in bytes. It leaves room for the largest memory (16 MB) plus symbols
/// and debug information.
pub const PROGRAM_MAX: u64 = 256 << 20;

/// Largest image file in bytes, more than the flash of any board.
pub const IMAGE_MAX: u64 = 64 << 20;

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// If the file cannot be read; [`ErrorKind::FileTooLarge`] if it is longer.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 <= most {
        true => Ok(bytes),
        false => Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("it is too long; accepted: up to {most} bytes"),
        )),
    }
}
