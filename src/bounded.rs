//! Files of the user, read with a bound: a device has no end.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Bytes of a program file (ELF) at most: the 16 MB of the largest memory, symbols
/// and debug information beside them.
pub const PROGRAM_MAX: u64 = 256 << 20;

/// Bytes of an image at most: those of a larger flash than any board has.
pub const IMAGE_MAX: u64 = 64 << 20;

/// Reads a file of up to so many bytes.
///
/// # Errors
/// If it cannot be read; [`ErrorKind::FileTooLarge`] if it is longer.
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
