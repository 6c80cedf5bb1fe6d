//! Lattice iCE40-HX8K breakout board (iCE40HX8K-B-EVN): an iCE40 HX8K, eight LEDs, and an FTDI
//! FT2232H. The first interface of the FT2232H writes the flash, and the second one is the host
//! port.

use super::{Board, Usb};
use crate::flash::{ICEPROG, OPENFPGALOADER_ICE40};
use crate::flow::Ice40Flow;

pub static BOARD: Board = Board {
    name: "hx8k-breakout",
    title: "iCE40-HX8K breakout board",
    crystal_mhz: 12,
    // The PLL cannot make 25 MHz from 12 MHz.
    clock_mhz: 24,
    constraints: include_str!("../../constraints/hx8k-breakout.pcf"),
    usb: Usb::FT2232H,
    programmers: &[ICEPROG, OPENFPGALOADER_ICE40],
    flow: &Ice40Flow { device: "hx8k", package: "ct256" },
    tested_functions: None,
    notes:
        "The button is a wire from pin 5 of header J2 (P16) to ground. The jumpers of J6 and J7 \
            are set to write the flash, as Lattice's guide of the board shows.",
};
