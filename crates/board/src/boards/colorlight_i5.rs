//! Colorlight i5 (version 7.0) with an ECP5-25F on its extension board. The extension board's
//! debugger (DAPLink) is both the programmer's JTAG and the host port.

use super::{Board, Usb};
use crate::flash::{Programmer, OPENFPGALOADER};
use crate::flow::Ecp5Flow;
use toolchain::Ecp5Chip;

pub static BOARD: Board = Board {
    name: "colorlight-i5",
    title: "Colorlight i5",
    crystal_mhz: 25,
    clock_mhz: 25,
    constraints: include_str!("../../constraints/colorlight-i5.lpf"),
    usb: Usb {
        vendor: 0x0d28,
        product: 0x0204,
        // Expected order of the interfaces: debugging, serial port. This is not verified on a real
        // board.
        serial: 1,
    },
    programmers: &[
        Programmer {
            leading_arguments: &["--board", "colorlight-i5", "--unprotect-flash", "--write-flash"],
            ..OPENFPGALOADER
        },
        Programmer {
            program: "ecpdap",
            source: "cargo install ecpdap",
            select_arguments: "",
            leading_arguments: &["flash", "write"],
        },
    ],
    flow: &Ecp5Flow {
        chip: Ecp5Chip::F25,
        package: "CABGA381",
        speed: 6,
        active_low_leds: 1,
        reloads: false,
        tied_high: &[],
    },
    tested_functions: None,
    notes:
        "Bit 0 of the LEDs is D2 of the module, bits 1 to 7 pins of header P2. No pin loads the \
            chip again: unplug it instead.",
};
