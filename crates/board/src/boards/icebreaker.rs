//! iCEBreaker: an iCE40 UP5K, its section of LEDs and buttons, and an FTDI FT2232H. The first
//! interface of the FT2232H writes the flash, and the second one is the host port.

use super::{Board, Usb};
use crate::flash::{ICEPROG, OPENFPGALOADER_ICE40};
use crate::flow::Ice40Flow;

pub static BOARD: Board = Board {
    name: "icebreaker",
    title: "iCEBreaker",
    crystal_mhz: 12,
    // Frequency of the crystal. A UP5K has a third of the speed of an HX8K.
    clock_mhz: 12,
    constraints: include_str!("../../constraints/icebreaker.pcf"),
    usb: Usb::FT2232H,
    programmers: &[ICEPROG, OPENFPGALOADER_ICE40],
    flow: &Ice40Flow { device: "up5k", package: "sg48" },
    tested_functions: None,
    notes: "Bits 0 to 4 of the LEDs are those of the section that can be broken off, bits 5 to 7 \
            pins 1 to 3 of PMOD 1A.",
};
