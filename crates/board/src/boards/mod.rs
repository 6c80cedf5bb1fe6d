//! Boards that designs can be built for. A board is a value: a new one needs a file here, a line in
//! [`BOARDS`], and a pin file in `constraints/` (docs/your-own-board.md).

mod alchitry_cu;
mod colorlight_i5;
mod hx8k_breakout;
mod icebreaker;
#[cfg(test)]
mod pins;
mod ulx3s;

use super::flash::Programmer;
use super::flow::Flow;
use machine::flags::FlagChoice;

/// All boards. The first one is the default.
pub const BOARDS: &[&Board] = &[
    &alchitry_cu::BOARD,
    &hx8k_breakout::BOARD,
    &icebreaker::BOARD,
    &ulx3s::BOARD,
    &colorlight_i5::BOARD,
];

/// Board that designs are built for, with all properties in which boards differ.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Name on the command line and in file names: lower-case letters, digits and dashes.
    pub name: &'static str,
    /// Name for display.
    pub title: &'static str,
    /// Frequency of the crystal, in MHz.
    pub crystal_mhz: u32,
    /// Default clock of designs, in MHz. The flow makes exactly this frequency from the crystal's.
    /// At most 25.
    pub clock_mhz: u32,
    /// Text of the constraint file, which assigns a pin to each port of the top module.
    pub constraints: &'static str,
    /// USB identification of the board.
    pub usb: Usb,
    /// Programs that write the flash, in order of preference.
    pub programmers: &'static [Programmer],
    /// Tool flow that makes images for the chip.
    pub flow: &'static dyn Flow,
    /// Functions that were seen to work on hardware. `None` if the board is untested.
    pub tested_functions: Option<&'static str>,
    /// Notes for the owner in whole sentences. Empty if there are none.
    pub notes: &'static str,
}

/// USB identification of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usb {
    pub vendor: u16,
    pub product: u16,
    /// Interface whose serial port is the host port, counted from 0.
    pub serial: u8,
}

impl Usb {
    /// FTDI FT2232H with factory settings. The first interface writes the flash, and the second one
    /// is a serial port.
    pub(super) const FT2232H: Usb = Usb { vendor: 0x0403, product: 0x6010, serial: 1 };
}

impl Board {
    /// Alchitry Cu, the board of the published images.
    pub const ALCHITRY_CU: &'static Board = &alchitry_cu::BOARD;

    /// Returns the board with this name.
    pub fn named(name: &str) -> Option<&'static Board> {
        BOARDS.iter().copied().find(|board| board.name == name)
    }
}

/// Boards are equal if their names are equal.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl FlagChoice for &'static Board {
    const OPTION_NAME: &'static str = "board";
    const ACCEPTED: &'static [(&'static str, Self)] = &named_boards();
    const RESERVED: &'static [&'static str] = &[];
}

/// Returns the boards with their names.
const fn named_boards() -> [(&'static str, &'static Board); BOARDS.len()] {
    let mut named = [("", BOARDS[0]); BOARDS.len()];
    let mut i = 0;
    while i < BOARDS.len() {
        named[i] = (BOARDS[i].name, BOARDS[i]);
        i += 1;
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_names_are_unique_and_valid_in_file_names() {
        for (i, &board) in BOARDS.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(board.name.chars().all(plain), "{}", board.name);
            assert!(board.name.starts_with(|c: char| c.is_ascii_lowercase()));
            assert!(!BOARDS[..i].contains(&board), "{}", board.name);
            assert_eq!(Board::named(board.name), Some(board));
        }
        assert_eq!(Board::named("other"), None);
    }

    #[test]
    fn every_board_has_a_pll_setting_and_a_programmer() {
        for &board in BOARDS {
            assert!((1..=25).contains(&board.clock_mhz), "{}", board.name);
            let pll = board.flow.pll(board.crystal_mhz, board.clock_mhz);
            assert!(pll.is_some(), "{}", board.name);
            assert!(!board.programmers.is_empty(), "{}", board.name);
        }
    }
}
