//! Virtual board: simulates an image in Verilator, with its pins controlled by the program.
//!
//! The simulated circuit is the image, not the design. If icebox_vlog is available, everything
//! is read from the bits in the flash file (`unpacked`): cells, wires, block RAM contents, pins and
//! the PLL's dividers. Otherwise everything is read from the netlist that nextpnr placed and routed
//! before packing (`netlist`). The netlist exists for images that were built here, and for
//! published images, which can be rebuilt. Time is counted in clock cycles of the PLL's output.

mod netlist;
mod unpacked;

use super::flow::ice40::{image, Ice40ImageError};
use super::manifest::{sha256, Manifest};
use super::{build, Board, BoardDesignError, BoardDesignName, BuildError, DEFAULT_SEED};
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toolchain::progress::ProgressStep;
use toolchain::{CompileEffort, CompiledModel, PortSpec, Simulation, Tool, ToolError, Toolchain};
use unpacked::UnpackedImage;
pub use unpacked::{PllSettings, UnsupportedImage};

/// Clock cycles until the PLL locks.
const PLL_LOCK_CYCLES: usize = 64;

/// First clock cycle at whose end the machine clock rises. LOCK is followed by two synchroniser
/// flip-flops and the 256 clock cycles that the board waits.
pub const FIRST_EDGE: usize = PLL_LOCK_CYCLES + 2 + 256;

/// Clock cycles per batch, so that requests and replies fit a pipe.
const BATCH_CYCLES: usize = 1024;

/// Board with an image in its flash.
#[derive(Debug)]
pub struct VirtualBoard {
    model: CompiledModel,
    simulation: Simulation,
    source: SimulationSource,
    pll: PllSettings,
    rams: Vec<Vec<u16>>,
    clock_mhz: f64,
    button: bool,
    reloads: usize,
}

/// Source of the simulated circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimulationSource {
    /// The bits of the image, unpacked by this tool.
    Bits(String),
    /// The netlist of the image, because this tool is not available.
    Netlist(&'static str),
}

impl fmt::Display for SimulationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulationSource::Bits(tool) => write!(f, "the bits of the image, unpacked by {tool}"),
            SimulationSource::Netlist(tool) => write!(
                f,
                "the placed and routed netlist that the image was made of: {tool}, which unpacks bits, is not here"
            ),
        }
    }
}

/// Outputs of a board in a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardOutputs {
    /// Line to the host.
    pub tx: bool,
    pub led: u8,
}

#[derive(Debug, Error)]
pub enum VirtualBoardError {
    #[error(transparent)]
    NoImage(#[from] Ice40ImageError),
    #[error(transparent)]
    Unexpected(#[from] UnsupportedImage),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Design(#[from] BoardDesignError),
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The simulation has models of iCE40 cells only.
    #[error("images for the {board} are not simulated; accepted: those of boards with an iCE40")]
    NoCells { board: &'static str },
    /// The image has no netlist, and icebox_vlog is not available to unpack its bits.
    #[error(
        "the image was not built here (in {}), and no image of this version has its digest, so its \
         circuit must come from its bits: {lack}", work_dir.display()
    )]
    Unknown { work_dir: PathBuf, lack: String },
}

/// Module name of the image.
const TOP: &str = "image";

impl VirtualBoard {
    /// Unpacks the flash file, or finds its netlist, and starts it. Compiled files are kept in
    /// `work_dir`. [`build()`] uses the same folder.
    ///
    /// # Errors
    /// If the file is not an image for this board, or a tool is missing or fails. Also if neither
    /// icebox_vlog nor a netlist is available.
    pub fn new(
        tools: &Toolchain,
        board: &'static Board,
        file: &[u8],
        work_dir: &Path,
    ) -> Result<Self, VirtualBoardError> {
        let package =
            board.flow.icebox_package().ok_or(VirtualBoardError::NoCells { board: board.title })?;
        let (pins, bits) = (board.constraints, image(file)?);
        let (source, read) = match tools.icebox_vlog() {
            Ok(tool) => {
                let text = tools.unpack_ice40(bits, package, pins, TOP, work_dir)?;
                (SimulationSource::Bits(tool.to_string()), unpacked::read(&text, TOP)?)
            }
            Err(lack) if lack.is_unavailable() => {
                let written = find_netlist(tools, board, file, work_dir, &lack)?;
                let tool = Tool::IceboxVlog.name();
                (SimulationSource::Netlist(tool), netlist::read(&written, TOP)?)
            }
            Err(error) => return Err(error.into()),
        };
        let UnpackedImage { verilog, pll, rams } = read;
        let ram = tools.ice40_cell("SB_RAM40_4K")?;
        let around = include_str!("around.v").replace("@LOCK@", &PLL_LOCK_CYCLES.to_string());
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
            source,
            pll,
            rams,
            clock_mhz: pll.mhz(board.crystal_mhz),
            button: false,
            reloads: 0,
        })
    }

    /// Source of the simulated circuit.
    pub fn source(&self) -> &SimulationSource {
        &self.source
    }

    /// Dividers of the PLL.
    pub fn pll(&self) -> PllSettings {
        self.pll
    }

    /// Frequency of the PLL's output, in MHz.
    pub fn clock_mhz(&self) -> f64 {
        self.clock_mhz
    }

    /// Initial contents of the block RAMs: 256 words of 16 bits each.
    pub fn rams(&self) -> &[Vec<u16>] {
        &self.rams
    }

    /// Presses or releases the button.
    pub fn press(&mut self, down: bool) {
        self.button = down;
    }

    /// Number of times that the chip has reloaded the image.
    pub fn reloads(&self) -> usize {
        self.reloads
    }

    /// Runs one clock cycle for each level of the line from the host. Returns the outputs of each.
    ///
    /// # Errors
    /// If the simulation ends.
    pub fn run(&mut self, rx: &[bool]) -> Result<Vec<BoardOutputs>, ToolError> {
        let mut seen = Vec::with_capacity(rx.len());
        while seen.len() < rx.len() {
            let end = rx.len().min(seen.len() + BATCH_CYCLES);
            self.run_until_reload(&rx[seen.len()..end], &mut seen)?;
        }
        Ok(seen)
    }

    /// Runs until the end, or to the clock cycle in which the chip reloads itself.
    fn run_until_reload(
        &mut self,
        rx: &[bool],
        seen: &mut Vec<BoardOutputs>,
    ) -> Result<(), ToolError> {
        let inputs: Vec<u32> =
            rx.iter().flat_map(|level| [u32::from(!self.button), u32::from(*level)]).collect();
        let mut outputs = Vec::new();
        self.simulation.cycles_words(&inputs, &mut outputs)?;
        for pins in outputs.chunks(3) {
            seen.push(BoardOutputs { tx: pins[0] == 1, led: pins[1] as u8 });
            if pins[2] == 1 {
                self.simulation = self.model.start()?;
                self.reloads += 1;
                break;
            }
        }
        Ok(())
    }
}

/// Netlist of an image that was built in `work_dir`. The netlist of a published image is rebuilt
/// there. Equal bytes prove that the netlist belongs to the image.
fn find_netlist(
    tools: &Toolchain,
    board: &'static Board,
    file: &[u8],
    work_dir: &Path,
    lack: &ToolError,
) -> Result<Value, VirtualBoardError> {
    if let Some(written) = Toolchain::placed_netlist(file, work_dir)? {
        return Ok(written);
    }
    let manifest = Manifest::published();
    let digest = sha256(file);
    let published = manifest.images.iter().find(|entry| entry.sha256 == digest);
    if let Some((design, dims)) =
        published.and_then(|e| BoardDesignName::from_image_name(&e.design))
    {
        // Published images are built with the pinned tools.
        let tools = tools.pinned();
        let design = design.design(dims, &tools, work_dir)?;
        let message = format!("building {} again, for its netlist", design.name());
        let _activity = ProgressStep::start(&message);
        build(&tools, board, &design, DEFAULT_SEED, work_dir)?;
    }
    let written = Toolchain::placed_netlist(file, work_dir)?;
    written.ok_or_else(|| VirtualBoardError::Unknown {
        work_dir: work_dir.into(),
        lack: lack.in_one_line(),
    })
}

const EFFORT: CompileEffort = CompileEffort::Quick;
