//! The pins of the Alchitry Cu, and its crystal.
//!
//! Clock and LEDs are those of `rust-hdl-bsp-alchitry-cu`; button and USB lines,
//! which that package lacks, those of the board's schematic.

use rust_hdl_bsp_alchitry_cu::pins;

/// Frequency of the crystal, in MHz.
pub const CRYSTAL_MHZ: u32 = (pins::CLOCK_SPEED_100MHZ / 1_000_000) as u32;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use rust_hdl::fpga::toolchains::icestorm::generate_pcf;
    use rust_hdl::prelude::*;

    /// The ports of the top module, with their pins.
    #[derive(LogicBlock)]
    struct Pins {
        crystal: Signal<In, Clock>,
        button: Signal<In, Bit>,
        usb_rx: Signal<In, Bit>,
        usb_tx: Signal<Out, Bit>,
        led: Signal<Out, Bits<8>>,
    }

    impl Logic for Pins {
        fn update(&mut self) {}
    }

    /// The constraint file, as `rust-hdl` writes it.
    fn constraints() -> String {
        let mut pins = Pins {
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
    fn the_constraint_file_is_that_of_the_package() {
        let file = Board::AlchitryCu.constraints();
        let pins: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(pins, constraints().lines().collect::<Vec<_>>());
    }
}
