//! Flash file of an iCE40: a table of five boot vectors, and the image to which all of them point.
//! One vector is for power-on, and one for each image that the chip can reload. (icemulti writes
//! the file; Lattice, "iCE40 programming and configuration".)

use thiserror::Error;

/// Number of vectors in the table. `VECTOR_LENGTH` is the length of each in bytes.
const VECTOR_COUNT: usize = 5;
const VECTOR_LENGTH: usize = 32;

/// First bytes of a vector. The address follows, high byte first.
const VECTOR_PREFIX: [u8; 9] = [0x7e, 0xaa, 0x99, 0x7e, 0x92, 0x00, 0x00, 0x44, 0x03];

/// First bytes of an image after its comment.
const PREAMBLE: [u8; 4] = [0x7e, 0xaa, 0x99, 0x7e];

/// Reason why a file is not an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Ice40ImageError {
    #[error("it has no table of boot vectors; accepted: an image of `phasecube build`")]
    NoTable,
    #[error("its boot vectors name several images; accepted: one")]
    Several,
    #[error("its boot vectors name byte {0}, where no image begins")]
    Nothing(usize),
}

/// Returns the one image to which all boot vectors point.
///
/// # Errors
/// If the file has another format.
pub fn image(file: &[u8]) -> Result<&[u8], Ice40ImageError> {
    let address = |vector: &[u8]| {
        let address = vector.strip_prefix(&VECTOR_PREFIX)?.first_chunk::<3>()?;
        Some(
            address
                .iter()
                .fold(0, |a, byte| a << 8 | usize::from(*byte)),
        )
    };
    let vectors = file.chunks(VECTOR_LENGTH).take(VECTOR_COUNT);
    let addresses: Option<Vec<usize>> = vectors.map(address).collect();
    let addresses = addresses
        .filter(|all| all.len() == VECTOR_COUNT)
        .ok_or(Ice40ImageError::NoTable)?;
    let first = addresses[0];
    if addresses.iter().any(|address| *address != first) {
        return Err(Ice40ImageError::Several);
    }
    let image = file.get(first..).unwrap_or_default();
    // The comment is enclosed by the bytes FF 00 and 00 FF.
    let begins = image.starts_with(&[0xff, 0x00])
        && image
            .windows(PREAMBLE.len())
            .take(256)
            .any(|w| w == PREAMBLE);
    match begins {
        true => Ok(image),
        false => Err(Ice40ImageError::Nothing(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(address: u8) -> Vec<u8> {
        let mut vector = VECTOR_PREFIX.to_vec();
        vector.extend([0, 0, address]);
        vector.resize(VECTOR_LENGTH, 0);
        let mut file = vector.repeat(VECTOR_COUNT);
        file.extend([0xff, 0x00, 0x00, 0xff]);
        file.extend(PREAMBLE);
        file
    }

    #[test]
    fn the_image_at_the_vectors_is_returned() {
        let file = file(160);
        assert_eq!(image(&file).unwrap(), &file[160..]);
    }

    #[test]
    fn other_files_are_rejected() {
        assert_eq!(image(b"text"), Err(Ice40ImageError::NoTable));
        assert_eq!(image(&file(160)[160..]), Err(Ice40ImageError::NoTable));
        assert_eq!(image(&file(161)), Err(Ice40ImageError::Nothing(161)));
        let mut two = file(160);
        two[VECTOR_LENGTH + 11] = 0;
        assert_eq!(image(&two), Err(Ice40ImageError::Several));
    }
}
