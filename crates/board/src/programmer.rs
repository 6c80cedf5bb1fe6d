//! Programs that write the flash of a board.

use super::attached::Attached;
use std::path::{Path, PathBuf};
use std::process::Command;

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
pub const ICEPROG: Programmer = Programmer {
    program: "iceprog",
    source: "sudo apt-get install fpga-icestorm",
    select_arguments: "-d d:{bus:03}/{device:03}",
    leading_arguments: &[],
};

/// openFPGALoader. The board supplies the arguments.
pub const OPENFPGALOADER: Programmer = Programmer {
    program: "openFPGALoader",
    source: "sudo apt-get install openfpgaloader",
    select_arguments: "--busdev-num {bus}:{device}",
    leading_arguments: &[],
};

/// openFPGALoader for an iCE40 behind an FT2232H.
pub const OPENFPGALOADER_ICE40: Programmer = Programmer {
    leading_arguments: &["--board", "ice40_generic", "--write-flash", "--verify"],
    ..OPENFPGALOADER
};

/// Installed programmer.
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
        let Programmer {
            program, source, ..
        } = self;
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
