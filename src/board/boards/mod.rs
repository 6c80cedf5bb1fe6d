//! The boards that designs can be built for. A board is a value: a new one is a file here,
//! a line in [`BOARDS`], and a file of pins in `constraints/` (docs/your-own-board.md).

mod alchitry_cu;
mod colorlight_i5;
mod hx8k_breakout;
mod icebreaker;
#[cfg(test)]
mod pins;
mod ulx3s;

use super::flow::Flow;
use super::programmer::Programmer;

/// All of them. The first one is meant where none is named.
pub const BOARDS: [&Board; 5] = [
    &alchitry_cu::BOARD,
    &hx8k_breakout::BOARD,
    &icebreaker::BOARD,
    &ulx3s::BOARD,
    &colorlight_i5::BOARD,
];

/// A board that designs are built for: all in which boards differ.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// What it is called on the command line, and in the names of its files: lower-case
    /// letters, digits and dashes.
    pub name: &'static str,
    /// For a person.
    pub title: &'static str,
    /// Frequency of its crystal, in MHz.
    pub crystal_mhz: u32,
    /// The clock that designs get which leave it to the board, in MHz: what the flow makes
    /// exactly of the crystal's, 25 or less.
    pub clock_mhz: u32,
    /// The text of its constraint file: where each port of the top module has its pin.
    pub constraints: &'static str,
    /// How it shows itself on USB.
    pub usb: Usb,
    /// What writes its flash, by preference.
    pub programmers: &'static [Programmer],
    /// What makes images for its chip.
    pub flow: &'static dyn Flow,
    /// What was seen to work on the real thing; `None` if nobody has tried.
    pub tried: Option<&'static str>,
    /// What its owner must know, whole sentences; empty if there is nothing.
    pub notes: &'static str,
}

/// A board on USB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usb {
    pub vendor: u16,
    pub product: u16,
    /// The interface whose serial port is the host port, counted from 0.
    pub serial: u8,
}

impl Usb {
    /// The FTDI FT2232H as it comes: its first interface writes the flash, its second one
    /// is a serial port.
    pub(super) const FT2232H: Usb = Usb {
        vendor: 0x0403,
        product: 0x6010,
        serial: 1,
    };
}

impl Board {
    /// The Alchitry Cu, for which images are published.
    pub const ALCHITRY_CU: &'static Board = &alchitry_cu::BOARD;

    /// The board of this name.
    pub fn named(name: &str) -> Option<&'static Board> {
        BOARDS.into_iter().find(|board| board.name == name)
    }
}

/// Boards are told apart by their names.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_files_and_no_two_are_the_same() {
        for (i, board) in BOARDS.into_iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(board.name.chars().all(plain), "{}", board.name);
            assert!(board.name.starts_with(|c: char| c.is_ascii_lowercase()));
            assert!(!BOARDS[..i].contains(&board), "{}", board.name);
            assert_eq!(Board::named(board.name), Some(board));
        }
        assert_eq!(Board::named("other"), None);
    }

    #[test]
    fn each_makes_its_clock_and_can_be_written() {
        for board in BOARDS {
            assert!((1..=25).contains(&board.clock_mhz), "{}", board.name);
            let pll = board.flow.pll(board.crystal_mhz, board.clock_mhz);
            assert!(pll.is_some(), "{}", board.name);
            assert!(!board.programmers.is_empty(), "{}", board.name);
        }
    }
}
