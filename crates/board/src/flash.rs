//! Writes images to a board: checks the image, and finds board and programmer.

use super::flow::ImageFormatError;
use super::manifest::{sha256, Manifest, ManifestEntry, ManifestError};
use super::usb::{Attached, Devices, NotAttached};
use super::Board;
use machine::bounded::{self, IMAGE_MAX};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use thiserror::Error;

/// Image that matches its manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedImage {
    pub path: PathBuf,
    pub entry: ManifestEntry,
}

/// Reason why an image is not written to a board.
#[derive(Debug, Error)]
pub enum ImageCheckError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("{} is not an image: {source}", path.display())]
    NoImage { path: PathBuf, source: ImageFormatError },
    #[error(
        "{} has no entry in {}: build the image with `phasecube build`, which makes both",
        path.display(),
        manifest.display()
    )]
    NoEntry { path: PathBuf, manifest: PathBuf },
    #[error(
        "{} is not the image that its manifest names: its sha256 is {is}, not {entered}; build it again",
        path.display()
    )]
    Other { path: PathBuf, is: String, entered: String },
    #[error("{} is an image for the {is}, not for the {wanted}; accepted for that board: --board {is}", path.display())]
    OtherBoard { path: PathBuf, is: String, wanted: &'static str },
}

/// Checks a file against the manifest in its directory.
///
/// # Errors
/// If the file is not the image in the manifest, or is for another board.
pub fn check(path: &Path, board: &Board) -> Result<CheckedImage, ImageCheckError> {
    let bytes = bounded::read(path, IMAGE_MAX)
        .map_err(|source| ImageCheckError::Read { path: path.into(), source })?;
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let manifest = Manifest::read(dir)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let no_image = |source| ImageCheckError::NoImage { path: path.into(), source };
    let Some(entry) = manifest.find(&name) else {
        board.flow.check(&bytes).map_err(no_image)?;
        return Err(ImageCheckError::NoEntry {
            path: path.into(),
            manifest: dir.join(Manifest::FILE),
        });
    };
    if entry.board != board.name {
        return Err(ImageCheckError::OtherBoard {
            path: path.into(),
            is: entry.board.clone(),
            wanted: board.name,
        });
    }
    board.flow.check(&bytes).map_err(no_image)?;
    let is = sha256(&bytes);
    if is != entry.sha256 {
        return Err(ImageCheckError::Other {
            path: path.into(),
            is,
            entered: entry.sha256.clone(),
        });
    }
    Ok(CheckedImage { path: path.into(), entry: entry.clone() })
}

/// Missing prerequisites, each with a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPrerequisites(pub Vec<String>);

impl std::error::Error for MissingPrerequisites {}

impl fmt::Display for MissingPrerequisites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Collects all prerequisites for writing a flash.
///
/// # Errors
/// Lists everything that is missing, not only the first item.
pub fn prepare(
    board: &Board,
    image: &Path,
    devices: &Devices,
    on_path: impl Fn(&str) -> Option<PathBuf>,
) -> Result<(InstalledProgrammer, Attached), MissingPrerequisites> {
    let programmer = Programmer::find(board.programmers, on_path);
    let attached = devices.find(board).and_then(|found| {
        devices.check_access(board, &found)?;
        Ok(found)
    });
    match (programmer, attached) {
        (Some(programmer), Ok(attached)) => Ok((programmer, attached)),
        (programmer, attached) => {
            let no_programmer = programmer.is_none().then(|| {
                let advice: Vec<String> =
                    board.programmers.iter().map(|p| p.advice(image)).collect();
                format!("no program to write the flash with: install {}", advice.join(", or "))
            });
            let no_board = attached.err().map(|error: NotAttached| error.to_string());
            Err(MissingPrerequisites(no_programmer.into_iter().chain(no_board).collect()))
        }
    }
}

/// Program that writes the flash of a board, with its command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Programmer {
    /// Command name.
    pub program: &'static str,
    /// Installation command, or address of the sources.
    pub source: &'static str,
    /// Arguments that select one of several boards. `{bus}` and `{device}` are replaced by its USB
    /// numbers (`{bus:03}`: with three digits). Empty if the program has no such arguments.
    pub select_arguments: &'static str,
    /// Arguments before the image.
    pub leading_arguments: &'static [&'static str],
}

/// Programmer of IceStorm, for an iCE40 behind an FT2232H.
pub(super) const ICEPROG: Programmer = Programmer {
    program: "iceprog",
    source: "sudo apt-get install fpga-icestorm",
    select_arguments: "-d d:{bus:03}/{device:03}",
    leading_arguments: &[],
};

/// openFPGALoader. The board supplies the arguments.
pub(super) const OPENFPGALOADER: Programmer = Programmer {
    program: "openFPGALoader",
    source: "sudo apt-get install openfpgaloader",
    select_arguments: "--busdev-num {bus}:{device}",
    leading_arguments: &[],
};

/// openFPGALoader for an iCE40 behind an FT2232H.
pub(super) const OPENFPGALOADER_ICE40: Programmer = Programmer {
    leading_arguments: &["--board", "ice40_generic", "--write-flash", "--verify"],
    ..OPENFPGALOADER
};

/// A programmer of the board that was found on `PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledProgrammer {
    pub path: PathBuf,
    programmer: Programmer,
}

impl Programmer {
    /// Returns the first installed programmer of the list.
    pub fn find(
        programmers: &[Programmer],
        on_path: impl Fn(&str) -> Option<PathBuf>,
    ) -> Option<InstalledProgrammer> {
        programmers.iter().find_map(|programmer| {
            Some(InstalledProgrammer {
                path: on_path(programmer.program)?,
                programmer: *programmer,
            })
        })
    }

    /// Arguments for an image, on this board or on the only one.
    fn arguments(&self, board: Option<&Attached>, image: &Path) -> Vec<String> {
        let select = board.map(|board| {
            let Attached { bus, device, .. } = board;
            self.select_arguments
                .replace("{bus:03}", &format!("{bus:03}"))
                .replace("{device:03}", &format!("{device:03}"))
                .replace("{bus}", &bus.to_string())
                .replace("{device}", &device.to_string())
        });
        let select = select.unwrap_or_default();
        let select = select.split_whitespace().map(str::to_owned);
        let words = self.leading_arguments.iter().map(|word| (*word).to_owned());
        let image = image.display().to_string();
        select.chain(words).chain([image]).collect()
    }

    /// Installation advice, and the command that writes the image to the only board.
    pub fn advice(&self, image: &Path) -> String {
        let arguments = self.arguments(None, image).join(" ");
        let Programmer { program, source, .. } = self;
        format!("{program} ({source}), which writes it by `{program} {arguments}`")
    }
}

impl InstalledProgrammer {
    /// Command that writes an image to the flash of a board.
    pub fn command(&self, board: &Attached, image: &Path) -> Command {
        let mut command = Command::new(&self.path);
        command.args(self.programmer.arguments(Some(board), image));
        command
    }
}
