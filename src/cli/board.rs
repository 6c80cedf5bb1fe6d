//! `phasecube board`: a simulated board that hosts reach like a real one.

use super::args::parse_payload;
use super::monitor::open_virtual_board;
use super::{interrupt, output, CliError};
use anyhow::{anyhow, Context};
use board::host::listen::{BoardEnd, ListenAddress, Listener};
use board::host::relay::Relay;
use board::host::server::{Nodes, Server};
use board::host::simulated::{SimulatedBoardConfig, SimulatedNodes};
use board::port::VirtualPort;
use board::{Board, BOARDS};
use clap::Args;
use interconnect::topology::Hypercube;
use interconnect::traffic::PAYLOAD_MAX;
use machine::flags::{parse_machine, within, FlagChoice, LockstepFlags, MACHINE_DIMS_MAX};
use machine::networks::tdma::cube::DEADLOCK_AFTER;
use rtl::hosted::HOST_CLOCKS;
use std::path::PathBuf;

/// Default address at which the board listens and clients connect.
pub const PORT: &str = "tcp:7700";

/// Simulate a board that a host loads with programs and exchanges messages with
///
/// The board is the cube with its soft nodes, simulated flip-flop by flip-flop, behind the host
/// protocol (docs/host-protocol.md); or an image of design programs, simulated cell by cell. The
/// first line of output is the address for --port of load, send, collect and run-on-board. The
/// board serves one client at a time until Ctrl-C.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube board --dims 4\n  phasecube board --dims 12 --listen pty\n  phasecube board --virtual bitstreams/alchitry-cu-programs3.bin"
)]
pub struct BoardArgs {
    #[arg(
        long = "dims",
        value_name = "N",
        default_value = "3",
        value_parser = parse_machine,
        help = format!("Dimensions of the cube, 1 to {MACHINE_DIMS_MAX}")
    )]
    cube: Hypercube,

    /// Address to listen at: tcp:PORT on this computer only, tcp:HOST:PORT or tcp:[IPV6]:PORT, or
    /// pty, a pseudo-terminal that works like a serial port. Port 0 selects a free port
    #[arg(long, value_name = "ADDRESS", default_value = PORT)]
    listen: ListenAddress,

    #[arg(
        long,
        value_name = "BYTES",
        default_value = "8",
        value_parser = parse_payload,
        help = format!("Maximum payload of a message between nodes, 0 to {PAYLOAD_MAX} bytes")
    )]
    payload: usize,

    /// Bit-times of the service window, in which the programs run in each phase, 1 to 1,000,000
    /// [default: as with run --data]
    #[arg(long, value_name = "BIT-TIMES", value_parser = within::<u32>(1, 1_000_000))]
    service: Option<u32>,

    /// Idle superframes after which the clock of the machine stops until a message comes, 1 to
    /// 1,000,000
    #[arg(long, value_name = "N", default_value_t = DEADLOCK_AFTER, value_parser = within::<u64>(1, 1_000_000))]
    rest: u64,

    #[command(flatten)]
    lockstep: LockstepFlags,

    /// Image to simulate in place of the cube, as with monitor --virtual. Its own circuit answers
    /// the host
    #[arg(long = "virtual", value_name = "IMAGE", conflicts_with_all = ["cube", "payload", "service", "rest"])]
    image: Option<PathBuf>,

    /// Board that the image is for, a name that `phasecube boards` lists
    #[arg(long, value_name = "NAME", default_value = BOARDS[0].name, value_parser = <&Board>::parser(), hide_possible_values = true, requires = "image")]
    board: &'static Board,
}

/// Serves the board until a signal stops it.
pub fn board(args: &BoardArgs) -> Result<(), CliError> {
    if let Some(path) = &args.image {
        let (board, source) = open_virtual_board(args.board, path)?;
        let baud = board.clock_mhz() * 1e6 / HOST_CLOCKS as f64;
        let port = VirtualPort::new(board, baud.round() as u32);
        let relay = Relay::new(Box::new(port)).map_err(|error| CliError::Failed(error.into()))?;
        return listen(&args.listen, relay, &format!("simulating {source}"));
    }
    let plan = SimulatedBoardConfig {
        payload: args.payload,
        service: args.service,
        rest_superframes: args.rest,
        options: args.lockstep.options(),
        ..SimulatedBoardConfig::new(args.cube)
    };
    let nodes = SimulatedNodes::new(plan).ok_or_else(|| {
        CliError::BadInput(anyhow!(
            "a board with these --dims and --payload cannot be simulated; accepted: a smaller --dims"
        ))
    })?;
    let about = nodes.about().clone();
    let what = format!(
        "{}: {} nodes, messages of up to {} bytes between node and host",
        about.name, about.nodes, about.message
    );
    listen(&args.listen, Server::new(nodes), &what)
}

/// Serves one board at the port.
fn listen(place: &ListenAddress, mut board: impl BoardEnd, what: &str) -> Result<(), CliError> {
    let mut listener = Listener::open(place)
        .context("the board cannot listen at this address; accepted: another --listen")
        .map_err(CliError::Failed)?;
    let stop = interrupt::listen();
    output::print(&format!("listening on {listener}\n{what}\n"))?;
    listener
        .serve(&mut board, &|| stop.is_requested())
        .context("the board's port has failed")
        .map_err(CliError::Failed)?;
    Err(stop.error("while listening"))
}
