//! The virtual board: an image, unpacked from the bits that go to the flash, in
//! Verilator, with its pins in the hands of the program.
//!
//! Nothing that it simulates comes from the design: cells, wires, contents of block
//! RAM, pins and the PLL's dividers are read from the image. Time is counted in
//! clock cycles of the PLL's output.

mod unpacked;

pub use unpacked::{PllSettings, Unexpected};

use super::image::{image, NoImage};
use super::Board;
use crate::toolchain::{Effort, Model, PortSpec, Simulation, ToolError, Toolchain};
use std::path::Path;
use thiserror::Error;
use unpacked::Unpacked;

/// Clock cycles that the PLL takes to lock.
const LOCK: usize = 64;

/// The first clock cycle at whose end the machine's clock rises: after LOCK come
/// the two flip-flops that see it and the 256 clock cycles that the board waits.
pub const FIRST_EDGE: usize = LOCK + 2 + 256;

/// Clock cycles for which requests and replies fit a pipe.
const AT_ONCE: usize = 1024;

/// A board with an image in its flash.
#[derive(Debug)]
pub struct VirtualBoard {
    model: Model,
    simulation: Simulation,
    pll: PllSettings,
    rams: Vec<Vec<u16>>,
    clock_mhz: f64,
    button: bool,
    reloads: usize,
}

/// What can be seen of a board in a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The line to the host.
    pub tx: bool,
    pub led: u8,
}

#[derive(Debug, Error)]
pub enum VirtualBoardError {
    #[error(transparent)]
    NoImage(#[from] NoImage),
    #[error(transparent)]
    Unexpected(#[from] Unexpected),
    #[error(transparent)]
    Tool(#[from] ToolError),
}

/// The image's module.
const TOP: &str = "image";

impl VirtualBoard {
    /// Unpacks the file for a board's flash and starts it. What is compiled is kept
    /// in `work_dir`.
    ///
    /// # Errors
    /// If the file is no image for such a board, or a tool is missing or fails.
    pub fn new(
        tools: &Toolchain,
        board: Board,
        file: &[u8],
        work_dir: &Path,
    ) -> Result<Self, VirtualBoardError> {
        let pins = board.constraints();
        let text = tools.unpack_ice40(image(file)?, board.package(), pins, TOP, work_dir)?;
        let Unpacked { verilog, pll, rams } = unpacked::read(&text, TOP)?;
        let ram = tools.ice40_cell("SB_RAM40_4K")?;
        let around = include_str!("around.v").replace("@LOCK@", &LOCK.to_string());
        let all = [ram, verilog, around].join("\n");
        let ports = [
            PortSpec::input("crystal", 1),
            PortSpec::input("button", 1),
            PortSpec::input("usb_rx", 1),
            PortSpec::output("usb_tx", 1),
            PortSpec::output("led", 8),
            PortSpec::output("reload", 1),
        ];
        let clock = Some("crystal");
        let model = tools.verilate_with(&all, "virtual_board", &ports, clock, work_dir, EFFORT)?;
        Ok(VirtualBoard {
            simulation: model.start()?,
            model,
            pll,
            rams,
            clock_mhz: pll.mhz(board.crystal_mhz()),
            button: false,
            reloads: 0,
        })
    }

    /// The PLL's dividers.
    pub fn pll(&self) -> PllSettings {
        self.pll
    }

    /// The clock that the PLL makes, in MHz.
    pub fn clock_mhz(&self) -> f64 {
        self.clock_mhz
    }

    /// What the block RAMs start with: 256 words of 16 bits each.
    pub fn rams(&self) -> &[Vec<u16>] {
        &self.rams
    }

    /// Presses the button, or lets go of it.
    pub fn press(&mut self, down: bool) {
        self.button = down;
    }

    /// How often the chip has loaded the image anew.
    pub fn reloads(&self) -> usize {
        self.reloads
    }

    /// One clock cycle for each of the levels of the line from the host; what is
    /// seen in each.
    ///
    /// # Errors
    /// If the simulation ends.
    pub fn run(&mut self, rx: &[bool]) -> Result<Vec<Seen>, ToolError> {
        let mut seen = Vec::with_capacity(rx.len());
        while seen.len() < rx.len() {
            let end = rx.len().min(seen.len() + AT_ONCE);
            self.run_some(&rx[seen.len()..end], &mut seen)?;
        }
        Ok(seen)
    }

    /// The same up to the clock cycle in which the chip loads itself anew, if there
    /// is one.
    fn run_some(&mut self, rx: &[bool], seen: &mut Vec<Seen>) -> Result<(), ToolError> {
        let inputs: Vec<u32> = rx
            .iter()
            .flat_map(|level| [u32::from(!self.button), u32::from(*level)])
            .collect();
        let mut outputs = Vec::new();
        self.simulation.cycles_words(&inputs, &mut outputs)?;
        for pins in outputs.chunks(3) {
            seen.push(Seen {
                tx: pins[0] == 1,
                led: pins[1] as u8,
            });
            if pins[2] == 1 {
                self.simulation = self.model.start()?;
                self.reloads += 1;
                break;
            }
        }
        Ok(())
    }
}

const EFFORT: Effort = Effort::Quick;
