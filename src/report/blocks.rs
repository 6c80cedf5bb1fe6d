//! The blocks whose cost is measured and published, children before parents.

use super::cells::{MemoryOf256x8, RegOf8, RomOf256x8};
use super::on_board::{CubeOnBoard, NodeOnBoard};
use crate::lower::{lower, LowerErrors};
use crate::machine::PhaseTiming;
use crate::rtl::catalog::CLOCKS_PER_BIT as CLOCKS;
use crate::rtl::tdma::{
    Crc16, EnginePlan, Forwarder, FrameEngine, Link, LinkPort, Node, OpenDrainWire, PhaseClock,
    PhaseSequencer, PinMux,
};
use crate::rtl::uart::{HalfDuplexUart, Uart, UartReceiver, UartTransmitter};
use lockstep::rtl::Design;

/// A block with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// What it is called in Rust, `PinMux<4>`.
    pub name: &'static str,
    /// Lowers it.
    pub design: fn() -> Result<Design, LowerErrors>,
}

macro_rules! blocks {
    ($($name:literal => $circuit:expr,)*) => {
        &[$(Block { name: $name, design: || lower(&$circuit) },)*]
    };
}

/// A node of the 4-cube, for messages of up to 8 bytes, with answers.
fn timing() -> PhaseTiming {
    PhaseTiming::forwarder(CLOCKS as u32, 8 + 2, 4, true)
}

fn plan() -> EnginePlan {
    timing().plan()
}

/// Superframes out of which refusals count in one.
const PATIENCE: u64 = 256;

/// One line for each block.
pub const BLOCKS: &[Block] = blocks![
    "RegOf8" => RegOf8::default(),
    "MemoryOf256x8" => MemoryOf256x8::default(),
    "RomOf256x8" => RomOf256x8::default(),
    "OpenDrainWire" => OpenDrainWire::default(),
    "PhaseClock<3>" => PhaseClock::<3>::default(),
    "PhaseSequencer<3>" => PhaseSequencer::<3>::default(),
    "PhaseSequencer<4>" => PhaseSequencer::<4>::default(),
    "PinMux<4>" => PinMux::<4>::default(),
    "UartTransmitter<8>" => UartTransmitter::<CLOCKS>::default(),
    "UartReceiver<8>" => UartReceiver::<CLOCKS>::default(),
    "HalfDuplexUart<8>" => HalfDuplexUart::<CLOCKS>::default(),
    "Uart<8>" => Uart::<CLOCKS>::default(),
    "LinkPort<4, 8>" => LinkPort::<4, CLOCKS>::default(),
    "Link<8>" => Link::<CLOCKS>::default(),
    "Crc16" => Crc16::default(),
    "Forwarder<4>" => Forwarder::<4, 4, 8>::default(),
    "FrameEngine<4>" => FrameEngine::<4, 4, 8>::new(plan()),
    "Node<4>" => Node::<4, CLOCKS, 4, 8>::new(plan(), PATIENCE),
    "NodeOnBoard" => NodeOnBoard::new(plan(), PATIENCE),
];

/// The 4-cube, which is to fit the chip.
pub const WHOLE: &[Block] = blocks![
    "CubeOnBoard" => CubeOnBoard::new(plan(), PATIENCE, timing().divider()),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// `PinMux<4>` is lowered to a module whose name begins with `pin_mux`.
    #[test]
    fn every_block_can_be_lowered_and_is_the_one_it_is_called() {
        for block in BLOCKS.iter().chain(WHOLE) {
            let design = (block.design)().unwrap();
            let letters = |text: &str| text.replace('_', "").to_lowercase();
            let kind = block.name.split('<').next().unwrap();
            let module = letters(&design.top().name);
            assert!(module.starts_with(&letters(kind)), "{module}");
        }
    }
}
