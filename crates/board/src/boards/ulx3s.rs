//! ULX3S with an ECP5-85F: eight LEDs, buttons, and an FTDI FT231X that is both the programmer's
//! JTAG and the host port.

use super::{Board, Usb};
use crate::flash::{Programmer, OPENFPGALOADER};
use crate::flow::Ecp5Flow;
use toolchain::Ecp5Chip;

pub static BOARD: Board = Board {
    name: "ulx3s",
    title: "ULX3S-85F",
    crystal_mhz: 25,
    clock_mhz: 25,
    constraints: include_str!("../../constraints/ulx3s.lpf"),
    usb: Usb {
        vendor: 0x0403,
        product: 0x6015,
        serial: 0,
    },
    programmers: &[
        Programmer {
            leading_arguments: &["--board", "ulx3s", "--write-flash"],
            ..OPENFPGALOADER
        },
        Programmer {
            program: "fujprog",
            source: "github.com/kost/fujprog",
            select_arguments: "",
            leading_arguments: &["-j", "flash"],
        },
    ],
    flow: &Ecp5Flow {
        chip: Ecp5Chip::F85,
        package: "CABGA381",
        speed: 6,
        active_low_leds: 0,
        reloads: true,
        // A low level makes the ESP32 on the board reboot the board (the maker's examples).
        tied_high: &["wifi_gpio0"],
    },
    tested_functions: None,
    notes: "The button is PWR. It reloads the chip from board version 2.0.5 on. Before that version, pin M4 \
            is not connected.",
};
