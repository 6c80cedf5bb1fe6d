//! The boards that designs can be built for, and what is special about each.

use super::pins;
use super::pll::pll;
use crate::toolchain::Ice40;

/// A board that designs are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// The Alchitry Cu: an iCE40 HX8K, eight LEDs, a button, and an FTDI FT2232H
    /// whose first interface writes the flash and whose second one is the host port.
    AlchitryCu,
}

/// What a USB device calls itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsbId {
    pub vendor: u16,
    pub product: u16,
}

impl Board {
    /// What its files are called: the constraints, the images.
    pub fn name(self) -> &'static str {
        match self {
            Board::AlchitryCu => "alchitry-cu",
        }
    }

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Board::AlchitryCu => "Alchitry Cu",
        }
    }

    /// Its FTDI chip; an unprogrammed one's, which the maker of the board left.
    pub fn usb_id(self) -> UsbId {
        match self {
            Board::AlchitryCu => UsbId {
                vendor: 0x0403,
                product: 0x6010,
            },
        }
    }

    /// Frequency of its crystal, in MHz.
    pub fn crystal_mhz(self) -> u32 {
        match self {
            Board::AlchitryCu => pins::CRYSTAL_MHZ,
        }
    }

    /// The constraint file: where each port of the top module has its pin.
    pub fn constraints(self) -> &'static str {
        match self {
            Board::AlchitryCu => include_str!("../../constraints/alchitry-cu.pcf"),
        }
    }

    /// The top module around a design, a template; [`super::top`] fills it.
    pub(super) fn template(self) -> &'static str {
        match self {
            Board::AlchitryCu => include_str!("alchitry_cu.v"),
        }
    }

    /// The module `pll` that makes this frequency of the crystal's; `None` if it
    /// makes none such.
    pub(super) fn pll(self, mhz: u32) -> Option<String> {
        match self {
            Board::AlchitryCu => pll(mhz),
        }
    }

    /// The chip, with a clock of this frequency.
    pub(super) fn chip(self, clock_mhz: u32) -> Ice40 {
        match self {
            Board::AlchitryCu => Ice40 {
                device: "hx8k".into(),
                package: self.package().into(),
                freq_mhz: f64::from(clock_mhz),
                ..Ice40::default()
            },
        }
    }

    /// The chip's package.
    pub(super) fn package(self) -> &'static str {
        match self {
            Board::AlchitryCu => "cb132",
        }
    }
}
