//! Alchitry Cu: an iCE40 HX8K, eight LEDs, a button, and an FTDI FT2232H. The first interface of
//! the FT2232H writes the flash, and the second one is the host port.

use super::{Board, Usb};
use crate::flash::{ICEPROG, OPENFPGALOADER_ICE40};
use crate::flow::Ice40Flow;
use rust_hdl_bsp_alchitry_cu::pins;

pub static BOARD: Board = Board {
    name: "alchitry-cu",
    title: "Alchitry Cu",
    crystal_mhz: (pins::CLOCK_SPEED_100MHZ / 1_000_000) as u32,
    clock_mhz: 25,
    constraints: include_str!("../../constraints/alchitry-cu.pcf"),
    usb: Usb::FT2232H,
    programmers: &[ICEPROG, OPENFPGALOADER_ICE40],
    flow: &Ice40Flow { device: "hx8k", package: "cb132" },
    tested_functions: None,
    notes: "",
};
