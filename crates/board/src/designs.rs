//! Designs for boards, by name.

use super::{BoardDesign, WrongPorts};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;
use machine::flags::FlagChoice;
use machine::networks::tdma::hosted::HostedCircuit;
use machine::networks::HostedBytes;
use machine::program::{BoardMemory, ByteNetwork, FirmwareError};
use rtl::board::Echo;
use rtl::hosted::HostedShape;
use rtl::hosted::{HostedComparison, HOST_CLOCKS};
use std::path::Path;
use thiserror::Error;
use toolchain::{ToolError, Toolchain};

/// Name of a design for boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardDesignName {
    /// Echoes each byte.
    Echo,
    /// Nodes of a cube that run `route`, and a supervisor that sends messages through them and
    /// checks the arrivals.
    Cube,
    /// Nodes of a cube that run programs which a PC loads with the host protocol.
    Programs,
    /// As `Cube`, for the metacube MC(1,1).
    Metacube,
    /// Sends the same messages first over the links and then through a CM-1 beside the nodes.
    Compare,
    /// Processors that send through a byte network, and their supervisor.
    Bytes(ByteNetwork),
}

/// Reason why a design cannot be made.
#[derive(Debug, Error)]
pub enum BoardDesignError {
    #[error(transparent)]
    Lower(#[from] LowerErrors),
    #[error(transparent)]
    Ports(#[from] WrongPorts),
    #[error(transparent)]
    Firmware(#[from] FirmwareError),
    #[error(transparent)]
    Tool(#[from] ToolError),
}

/// Clock and baud rate of all designs. The clock is a quarter of the Alchitry Cu's crystal
/// frequency. The board's USB chip makes the baud rate exactly.
const CLOCK_MHZ: u32 = 25;
const BAUD: u32 = 1_000_000;
const CLOCKS_PER_BIT: usize = (CLOCK_MHZ * 1_000_000 / BAUD) as usize;
const _: () = assert!(HOST_CLOCKS == CLOCKS_PER_BIT);

impl FlagChoice for BoardDesignName {
    const OPTION_NAME: &'static str = "design";
    const ACCEPTED: &'static [(&'static str, Self)] = Self::ALL;
    const RESERVED: &'static [&'static str] = &[];
}

impl BoardDesignName {
    /// All designs with their names.
    pub const ALL: &[(&str, Self)] = &[
        ("echo", Self::Echo),
        ("cube", Self::Cube),
        ("programs", Self::Programs),
        ("metacube", Self::Metacube),
        ("compare", Self::Compare),
        (ByteNetwork::Torus.name(), Self::Bytes(ByteNetwork::Torus)),
        (
            ByteNetwork::Rotation.name(),
            Self::Bytes(ByteNetwork::Rotation),
        ),
    ];

    /// Chip rows of the CM-1 in [`BoardDesignName::Compare`]. The board does not report them, so a
    /// checker of its runs takes them from here.
    pub const ROWS: usize = 3;

    /// Describes the design in a phrase, for `--help`.
    pub fn description(self) -> &'static str {
        match self {
            BoardDesignName::Echo => "answers each byte with letters in the other case",
            BoardDesignName::Cube => "nodes of a cube that route, and their supervisor",
            BoardDesignName::Programs => "eight nodes that run what a PC loads into them",
            BoardDesignName::Metacube => "the metacube MC(1,1)",
            BoardDesignName::Compare => "the cube beside a CM-1 with three rows",
            BoardDesignName::Bytes(ByteNetwork::Torus) => "eight processors in a torus of 4 x 2",
            BoardDesignName::Bytes(ByteNetwork::Rotation) => {
                "eight processors in a 3-cube with minimal rotation"
            }
        }
    }

    /// Returns the dimensions of the cubes for which the design can be built. Empty for a design
    /// without a cube.
    pub fn dims(self) -> &'static [u32] {
        match self {
            BoardDesignName::Echo | BoardDesignName::Metacube | BoardDesignName::Bytes(_) => &[],
            BoardDesignName::Cube => HostedShape::CUBES,
            BoardDesignName::Programs => &[3],
            BoardDesignName::Compare => &[HostedComparison::DIMS as u32],
        }
    }

    /// Parses the name of an image in a manifest into design and dimensions.
    pub fn from_image_name(image: &str) -> Option<(Self, u32)> {
        let name = image.trim_end_matches(|c: char| c.is_ascii_digit());
        let (_, design) = *Self::ALL.iter().find(|(known, _)| *known == name)?;
        match &image[name.len()..] {
            "" => design.dims().is_empty().then_some((design, 0)),
            dims => {
                let dims = dims.parse().ok()?;
                design.dims().contains(&dims).then_some((design, dims))
            }
        }
    }

    /// Makes the design. `dims` is one of [`BoardDesignName::dims`], and is ignored if there are
    /// none. `tools` compiles its programs below the folder `builds`.
    ///
    /// # Errors
    /// If a tool is missing.
    pub fn design(
        self,
        dims: u32,
        tools: &Toolchain,
        builds: &Path,
    ) -> Result<BoardDesign, BoardDesignError> {
        match self {
            BoardDesignName::Echo => {
                let circuit = lower(&Echo::<CLOCKS_PER_BIT>::default())?;
                Ok(BoardDesign::new("echo", circuit, CLOCK_MHZ, BAUD)?)
            }
            BoardDesignName::Cube => {
                let shape = HostedShape::cube(dims).expect("the dimensions were checked");
                let circuit = routing_circuit(shape, tools, builds)?;
                board_design_with_compiler(format!("cube{dims}"), circuit, tools)
            }
            BoardDesignName::Programs => {
                let memory = BoardMemory::programs(tools, builds)?;
                let circuit = HostedCircuit::new(HostedShape::Programs, memory).design()?;
                board_design_with_compiler(format!("programs{dims}"), circuit, tools)
            }
            BoardDesignName::Metacube => {
                let circuit = routing_circuit(HostedShape::Metacube, tools, builds)?;
                board_design_with_compiler("metacube".into(), circuit, tools)
            }
            BoardDesignName::Compare => {
                let memory = BoardMemory::comparison(tools, builds)?;
                let shape = HostedShape::cube(dims).expect("the dimensions were checked");
                let circuit = HostedCircuit::new(shape, memory);
                let circuit = circuit.beside_cm1(Self::ROWS).design()?;
                board_design_with_compiler(format!("compare{dims}"), circuit, tools)
            }
            BoardDesignName::Bytes(network) => {
                let memory = BoardMemory::byte_network(network, tools, builds)?;
                let circuit = HostedBytes::new(network).design(&memory.words)?;
                board_design_with_compiler(network.name().into(), circuit, tools)
            }
        }
    }
}

/// Nodes that route, with their supervisor.
fn routing_circuit(
    shape: HostedShape,
    tools: &Toolchain,
    builds: &Path,
) -> Result<Design, BoardDesignError> {
    let memory = BoardMemory::routing(shape.into(), tools, builds)?;
    Ok(HostedCircuit::new(shape, memory).design()?)
}

/// Design with compiled programs in it.
fn board_design_with_compiler(
    name: String,
    circuit: Design,
    tools: &Toolchain,
) -> Result<BoardDesign, BoardDesignError> {
    let design = BoardDesign::new(name, circuit, CLOCK_MHZ, BAUD)?;
    Ok(design.with_ingredient(tools.riscv_cc()?.to_string()))
}
