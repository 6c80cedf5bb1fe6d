//! Requirements on a circuit that runs on a board: ports, clock, baud rate.

use hdl::lower::{lower, LowerErrors};
use lockstep::design::{Design, SignalKind, Type};
use machine::flags::FlagChoice;
use machine::networks::tdma::hosted::HostedCircuit;
use machine::networks::HostedBytes;
use machine::program::{BoardMemory, ByteNetwork, FirmwareError};
use rtl::board::Echo;
use rtl::hosted::{HostedComparison, HostedShape, HOST_CLOCKS};
use std::path::Path;
use thiserror::Error;
use toolchain::{ToolError, Toolchain};

/// Circuit that a board can run.
///
/// The circuit has a clock called `clock`, and exactly these ports:
///
/// | port | | width in bits | |
/// | --- | --- | ---: | --- |
/// | `rx` | in | 1 | line from the host, high when idle, synchronised to `clock` |
/// | `tx` | out | 1 | line to the host, high when idle, from the first clock cycle on |
/// | `led` | out | 8 | lit where high |
///
/// There is no reset. All state has its initial value when the clock starts, and a board's reset
/// button reloads the whole chip.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardDesign {
    name: String,
    circuit: Design,
    clock_mhz: u32,
    baud: u32,
    ingredients: Vec<String>,
}

/// The circuit does not have the ports of a [`BoardDesign`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the circuit {module} cannot be put on a board: {fault}")]
pub struct WrongPorts {
    module: String,
    fault: String,
}

/// Name, direction (true for an input), width in bits.
const PORTS: [(&str, bool, u32); 3] = [("rx", true, 1), ("tx", false, 1), ("led", false, 8)];
const CLOCK: &str = "clock";

impl BoardDesign {
    /// `name` is the name of the image, such as `cube3`. `clock_mhz` is the frequency of the
    /// circuit's clock. `baud` is the baud rate of the host port at that frequency.
    ///
    /// # Errors
    /// If the circuit has other ports than a board serves.
    pub fn new(
        name: impl Into<String>,
        circuit: Design,
        clock_mhz: u32,
        baud: u32,
    ) -> Result<Self, WrongPorts> {
        match port_fault(&circuit) {
            Some(fault) => Err(WrongPorts { module: circuit.top().name.clone(), fault }),
            None => {
                Ok(BoardDesign { name: name.into(), circuit, clock_mhz, baud, ingredients: vec![] })
            }
        }
    }

    /// Adds an ingredient to the manifest that the circuit itself does not show. An example is the
    /// compiler of the program in its memory, with its version.
    pub fn with_ingredient(mut self, ingredient: impl Into<String>) -> Self {
        self.ingredients.push(ingredient.into());
        self
    }

    /// Changes the clock frequency to `mhz`. A bit-time at the host port keeps its number of clock
    /// cycles, so the baud rate changes with the clock.
    ///
    /// # Panics
    /// If the new baud rate is not a whole number.
    pub fn with_clock_mhz(mut self, mhz: u32) -> Self {
        let clocks = self.clocks_per_bit();
        let hertz = mhz * 1_000_000;
        assert!(
            hertz.is_multiple_of(clocks),
            "{mhz} MHz over {clocks} clock cycles per bit is not an integer baud rate"
        );
        (self.clock_mhz, self.baud) = (mhz, hertz / clocks);
        self
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn circuit(&self) -> &Design {
        &self.circuit
    }

    /// Clock frequency in MHz.
    pub fn clock_mhz(&self) -> u32 {
        self.clock_mhz
    }

    /// Baud rate of the host port, in bit-times per second.
    pub fn baud(&self) -> u32 {
        self.baud
    }

    /// Clock cycles per bit-time of the host port.
    pub fn clocks_per_bit(&self) -> u32 {
        self.clock_mhz * 1_000_000 / self.baud
    }

    /// Ingredients added with [`BoardDesign::with_ingredient`].
    pub fn ingredients(&self) -> &[String] {
        &self.ingredients
    }
}

/// Describes the first error in the ports.
fn port_fault(circuit: &Design) -> Option<String> {
    let top = circuit.top();
    if top.clock.as_deref() != Some(CLOCK) {
        return Some(format!("its clock is to be called `{CLOCK}`"));
    }
    for (name, input, width) in PORTS {
        let kind = match input {
            true => SignalKind::Input,
            false => SignalKind::Output,
        };
        let is_it = top
            .port(name)
            .is_some_and(|(_, port)| port.kind == kind && port.ty == Type::Bits(width));
        if !is_it {
            let direction = if input { "input" } else { "output" };
            return Some(format!("it lacks the {direction} `{name}` of {width} bits"));
        }
    }
    let other = top.ports().find(|(_, port)| PORTS.iter().all(|(name, ..)| *name != port.name))?;
    Some(format!("nothing is connected to its port `{}`", other.1.name))
}

// Designs for boards, by name.

/// A design that `build` can put on a board.
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
pub(super) const CLOCK_MHZ: u32 = 25;
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
        (ByteNetwork::Rotation.name(), Self::Bytes(ByteNetwork::Rotation)),
    ];

    /// Chip rows of the CM-1 in [`BoardDesignName::Compare`]. The board does not report them, so a
    /// checker of its runs takes them from here.
    pub const ROWS: usize = 3;

    /// Describes the design in a phrase, for `--help`.
    pub fn description(self) -> &'static str {
        match self {
            BoardDesignName::Echo => "answers each byte with letters in the other case",
            BoardDesignName::Cube => "nodes of a cube that route, and their supervisor",
            BoardDesignName::Programs => "nodes of a cube that run what a PC loads into them",
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
            BoardDesignName::Programs => HostedShape::PROGRAMS,
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
                let circuit = circuit_of_shape(shape, tools, builds)?;
                board_design_with_compiler(format!("cube{dims}"), circuit, tools)
            }
            BoardDesignName::Programs => {
                let shape = HostedShape::programs(dims).expect("the dimensions were checked");
                let circuit = circuit_of_shape(shape, tools, builds)?;
                board_design_with_compiler(format!("programs{dims}"), circuit, tools)
            }
            BoardDesignName::Metacube => {
                let circuit = circuit_of_shape(HostedShape::Metacube, tools, builds)?;
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

/// Nodes of this shape, with their supervisor.
fn circuit_of_shape(
    shape: HostedShape,
    tools: &Toolchain,
    builds: &Path,
) -> Result<Design, BoardDesignError> {
    let memory = BoardMemory::of_shape(shape, tools, builds)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::lower::lower;
    use rtl::board::Echo;
    use rtl::uart::Uart;

    #[test]
    fn a_circuit_with_the_board_ports_is_accepted() {
        let echo = lower(&Echo::<25>::default()).unwrap();
        let design = BoardDesign::new("echo", echo, 25, 1_000_000).unwrap();
        assert_eq!(design.clocks_per_bit(), 25);
        let slower = design.with_clock_mhz(24);
        assert_eq!((slower.clock_mhz(), slower.baud()), (24, 960_000));
        assert_eq!(slower.clocks_per_bit(), 25);
    }

    #[test]
    fn a_wrong_port_is_rejected_by_name() {
        let uart = lower(&Uart::<25>::default()).unwrap();
        let error = BoardDesign::new("uart", uart, 25, 1_000_000).unwrap_err();
        assert!(error.to_string().ends_with("it lacks the output `led` of 8 bits"), "{error}");
        let mut echo = lower(&Echo::<25>::default()).unwrap();
        let top = echo.top.index();
        let mut extra = echo.top().signals[echo.top().port("rx").unwrap().0.index()].clone();
        extra.name = "reset".into();
        echo.modules[top].signals.push(extra);
        let error = BoardDesign::new("echo", echo, 25, 1_000_000).unwrap_err();
        assert!(error.to_string().contains("nothing is connected to its port `reset`"), "{error}");
    }
}
