//! Host and board: the protocol between them, a simulated board, and the host library.
//!
//! * [`wire`]: frames on the line, and lines of text between them;
//! * [`message`]: contents of the frames;
//! * [`server`]: board end of the protocol;
//! * [`simulated`]: nodes of a simulated board;
//! * [`listen`]: TCP port or pseudo-terminal of a board, and the relay for a board that implements
//!   the protocol itself;
//! * [`client`]: host end of the line;
//! * [`Machine`]: machine behind a port, the interface for application programs.
//!
//! The host and three kinds of boards. Hosts reach a virtual board through a `Listener` and a
//! `Relay`, and `monitor` reaches it directly:
//!
//! ```text
//! +-- PC ----------------------------------------------------------------------+
//! | +------------------+      +-------------------+      +-------------------+ |
//! | |  host library:   |      |  client: Client   | wire |    board::port    | |
//! | |load, start, send,|<---->| one request, one  |<---->|BoardPort: TcpPort,| |
//! | | collect, status  |      |  reply; repeats   |      |    SystemPort,    | |
//! | |                  |      |                   |      |    VirtualPort    | |
//! | +------------------+      +-------------------+      +-------------------+ |
//! +----------------------------------------------------------------------------+
//!             ^                         ^                          ^
//!             |                         |                          |
//!             | serial, 8N1,            | TCP or a                 | levels of
//!             | 1 Mbaud (USB)           | pseudo-terminal          | rx and tx
//!             |                         |                          |
//!             v                         v                          v
//! +-- board: FPGA --------+ +-- simulated board -----+ +-- virtual board ------+
//! |                       | |                        | |                       |
//! | +-------------------+ | | +--------------------+ | | +-------------------+ |
//! | | top: usb_rx, 2 FF | | | |  listen: Listener  | | | |   VirtualBoard    | |
//! | +-------------------+ | | +--------------------+ | | +-------------------+ |
//! |           ^ rx, tx    | |           ^ bytes      | |           ^           |
//! |           v           | |           v            | |           |           |
//! | +-------------------+ | | +--------------------+ | |           | clock     |
//! | |  HostPort: UART,  | | | |   server: Server   | | |           | cycles    |
//! | | queue, registers  | | | | each request once  | | |           |           |
//! | +-------------------+ | | +--------------------+ | |           |           |
//! |           ^           | |           ^ Nodes      | |           |           |
//! |           v           | |           v            | |           v           |
//! | +-------------------+ | | +--------------------+ | | +-------------------+ |
//! | |SoftCore: the last | | | |     simulated:     | | | | Verilator: cells, | |
//! | |  context is the   | | | |  SimulatedNodes:   | | | |wires and memories | |
//! | |  supervisor; the  | | | | soft nodes in the  | | | | of the image (the | |
//! | | others are nodes  | | | |  lockstep engine   | | | | FPGA at the left) | |
//! | +-------------------+ | | +--------------------+ | | +-------------------+ |
//! +-----------------------+ +------------------------+ +-----------------------+
//! ```
//!
//! docs/host-protocol.md describes the protocol byte by byte.
//!
//! ```no_run
//! use board::host::{HostError, Machine};
//! use machine::program::{Firmware, NodeKind};
//! use toolchain::Toolchain;
//! use machine::values::{ProgramValue, Values};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Where `phasecube board --dims 4 --listen tcp:7700` listens.
//! let mut machine = Machine::connect("tcp:7700")?;
//! let tools = Toolchain::open()?;
//! let program = Firmware::open("all_reduce", NodeKind::CUBE, &tools, "target/phasecube".as_ref())?;
//! machine.load(&program)?;
//! // Each node is given its number.
//! let nodes = machine.about().nodes;
//! let data = Values((0..nodes).map(|node| vec![ProgramValue::Word(node)]).collect());
//! let results = machine.run(&data)?;
//! // The sum of all, the least, the greatest.
//! assert_eq!(results.programs.returned.0[5], [120, 0, 15].map(ProgramValue::Word));
//! # Ok(())
//! # }
//! ```

mod carry;
pub mod client;
pub mod listen;
mod machine;
pub mod message;
pub mod server;
pub mod simulated;
pub mod wire;

pub use carry::{CarryOutcome, CarryReport};
pub use client::HostError;
pub use machine::{routed_message, EventStream, Machine, RunResults};

/// Earlier name of [`Machine`].
#[deprecated(note = "renamed to `Machine`; the alias is removed in the next release")]
pub type ThinkinMachine = Machine;
