//! Compares constraint files with other publications about the same boards.

use super::{Board, BOARDS};
use hdl::prelude::*;
use rust_hdl::fpga::toolchains::icestorm::generate_pcf;
use rust_hdl_bsp_alchitry_cu::pins;
use std::collections::{BTreeMap, BTreeSet};

/// Ports of the top module of the Alchitry Cu, with their pins.
#[derive(LogicBlock)]
struct CuPins {
    crystal: Signal<In, Clock>,
    button: Signal<In, Bit>,
    usb_rx: Signal<In, Bit>,
    usb_tx: Signal<Out, Bit>,
    led: Signal<Out, Bits<8>>,
}

impl Logic for CuPins {
    fn update(&mut self) {}
}

/// Constraint file as `rust-hdl` writes it. Clock and LEDs come from `rust-hdl-bsp-alchitry-cu`.
/// Button and USB lines are missing in that package and come from the board's schematic.
fn constraints() -> String {
    let mut pins = CuPins {
        crystal: pins::clock(),
        button: Signal::default(),
        usb_rx: Signal::default(),
        usb_tx: Signal::default(),
        led: pins::leds(),
    };
    pins.button.add_location(0, "P8");
    pins.usb_rx.add_location(0, "P14");
    pins.usb_tx.add_location(0, "M9");
    generate_pcf(&pins)
}

#[test]
fn cu_constraints_match_rust_hdl_bsp() {
    let file = Board::ALCHITRY_CU.constraints;
    let pins: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(pins, constraints().lines().collect::<Vec<_>>());
}

/// Returns the pin of each port, from a constraint file of either kind.
fn pins_of(board: &Board) -> BTreeMap<&'static str, &'static str> {
    let mut found = BTreeMap::new();
    for line in board.constraints.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (port, pin) = match words[..] {
            ["set_io", port, pin] => (port, pin),
            ["LOCATE", "COMP", port, "SITE", pin] => {
                (port.trim_matches('"'), pin.trim_matches(['"', ';']))
            }
            _ => continue,
        };
        assert_eq!(found.insert(port, pin), None, "{}: {port} twice", board.name);
    }
    found
}

/// Pins in amaranth-boards (`ice40_hx8k_b_evn.py`, `icebreaker.py`, `ulx3s.py`). For the Colorlight
/// i5, pins in litex-boards (`colorlight_i5.py`) with the extension board's pinout. The constraints
/// were written from other files than these. LEDs start at 0.
const PUBLISHED: [(&str, &str, &str, &str, &str, &str); 4] = [
    // Board, clock, button, receive and transmit pin of the FPGA, LEDs. Lattice counts LEDs D2 to
    // D9 from the other end.
    ("hx8k-breakout", "J3", "P16", "B10", "B12", "B5 B4 A2 A1 C5 C4 B3 C3"),
    // PMOD 2, pins 7, 1, 2, 8, 3 and PMOD 1A, pins 1, 2, 3.
    ("icebreaker", "35", "10", "6", "9", "26 27 25 23 21 4 2 47"),
    ("ulx3s", "G2", "D6", "M1", "L4", "B2 C2 C1 D2 D1 E2 E1 H3"),
    ("colorlight-i5", "P3", "K18", "H18", "J17", "U16 T18 R17 M17 U18 P18 N18 L20"),
];

#[test]
fn constraint_files_match_other_publications() {
    for (name, clock, button, rx, tx, leds) in PUBLISHED {
        let pins = pins_of(Board::named(name).unwrap());
        for (port, pin) in [("crystal", clock), ("button", button), ("usb_rx", rx), ("usb_tx", tx)]
        {
            assert_eq!(pins[port], pin, "{name}: {port}");
        }
        for (i, pin) in leds.split(' ').enumerate() {
            assert_eq!(pins[format!("led[{i}]").as_str()], pin, "{name}: led[{i}]");
        }
    }
    // Pins that keep the ESP32 out of reset and pins that reload the FPGA.
    let ulx3s = pins_of(Board::named("ulx3s").unwrap());
    assert_eq!((ulx3s["wifi_gpio0"], ulx3s["reload_n"]), ("L2", "M4"));
}

/// Each port has exactly one pin, and each pin one port. The file names its source and says whether
/// the board is untested.
#[test]
fn each_port_has_one_pin_and_each_pin_one_port() {
    for &board in BOARDS {
        let name = board.name;
        let pins = pins_of(board);
        let top = board.flow.top_template();
        let (_, ports) = top.split_once("module @TOP@ (").unwrap();
        let (ports, _) = ports.split_once(");").unwrap();
        let mut expected = BTreeSet::new();
        for line in ports.lines().map(|line| line.split("//").next().unwrap()) {
            let Some(port) = line.split_whitespace().last() else {
                continue;
            };
            let port = port.trim_end_matches(',');
            match line.contains("[7:0]") {
                true => expected.extend((0..8).map(|i| format!("{port}[{i}]"))),
                false => _ = expected.insert(port.to_owned()),
            }
        }
        let found: BTreeSet<String> = pins.keys().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{name}");
        let different: BTreeSet<&str> = pins.values().copied().collect();
        assert_eq!(different.len(), pins.len(), "{name}: a pin has two ports");
        if board != Board::ALCHITRY_CU {
            let comments = board.constraints.lines().filter(|line| line.starts_with('#'));
            let comments: String = comments.map(|line| line.replace('#', "")).collect();
            assert!(comments.contains("github.com/"), "{name} has no source");
            let untried = comments.contains("Never tested on hardware");
            assert_eq!(untried, board.tested_functions.is_none(), "{name}");
        }
    }
}
