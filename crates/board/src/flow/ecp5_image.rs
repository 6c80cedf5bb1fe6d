//! Flash file of an ECP5: a comment, the preamble, commands. (Lattice, "ECP5 and ECP5-5G sysCONFIG
//! usage guide", FPGA-TN-02039.)

use super::ImageFormatError;

/// Preamble in front of the commands.
const PREAMBLE: [u8; 4] = [0xff, 0xff, 0xbd, 0xb3];

/// Largest length of the comment, in bytes.
const COMMENT_MAX: usize = 4096;

/// Checks that a file can be an image.
///
/// # Errors
/// If it has no preamble.
pub fn check(file: &[u8]) -> Result<(), ImageFormatError> {
    let head = &file[..file.len().min(COMMENT_MAX)];
    match head.windows(PREAMBLE.len()).any(|w| w == PREAMBLE) {
        true => Ok(()),
        false => Err(ImageFormatError(
            "it has no preamble of an ECP5 (ff ff bd b3); accepted: an image of `phasecube build`"
                .into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn an_image_has_the_preamble() {
        let mut file = vec![0xff, 0x00, b'a', 0x00];
        assert!(check(&file).is_err());
        file.extend([0xff, 0xff, 0xbd, 0xb3, 0xff]);
        assert!(check(&file).is_ok());
        let late = [vec![0; 5000], file].concat();
        assert!(check(&late).is_err());
        assert!(check(b"").is_err());
    }
}
