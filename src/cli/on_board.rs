//! `phasecube load`, `send`, `collect` and `run-on-board`: commands of a host that uses a board.

mod collect;

pub use collect::{collect, CollectArgs};

use super::args::{parse_payload, NO_DATA};
use super::boards::PORT;
use super::files::OutputTarget;
use super::output;
use super::{build_dir, CliError};
use anyhow::anyhow;
use board::host::message::About;
use board::host::{CarryOutcome, CarryReport, HostError, Machine};
use board::port::PortName;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::Args;
use interconnect::topology::{number, AddressSpace, Hypercube};
use interconnect::traffic::{ExchangeOrder, MessageList, Recipe, TrafficPattern};
use machine::flags::{parse_cube, OutputFile, OutputFlags};
use machine::program::{star, Firmware, NodeKind, NodeMemory, NodeTarget, ProgramName};
use machine::text::format_count;
use machine::values::{self, Values};
use serde_json::json;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toolchain::progress::ProgressMeter;
use toolchain::Toolchain;

/// Most lines of errors that are printed.
const LISTED: usize = 16;

/// Where the board is.
#[derive(Clone, Debug, Args)]
pub struct PortArgs {
    /// Port of the board: tcp:PORT, tcp:HOST:PORT or tcp:[IPV6]:PORT, where phasecube board
    /// listens; a serial port or a pseudo-terminal
    #[arg(long, value_name = "PORT", default_value = PORT, value_parser = port())]
    port: PortName,
}

/// Returns a parser of the addresses of boards.
pub fn port() -> impl TypedValueParser<Value = PortName> {
    OsStringValueParser::new().try_map(|word| PortName::from_word(&word))
}

impl PortArgs {
    fn connect(&self) -> Result<Machine, CliError> {
        Ok(Machine::connect_to(&self.port)?)
    }
}

/// Load a program into all nodes of a board and start it
///
/// The program that ran before ends. The nodes then wait for the data of `send`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube load all_reduce --port tcp:7700\n  phasecube load mine.c --port /dev/ttyUSB1\n  phasecube load life --image life.bin"
)]
pub struct LoadProgramArgs {
    /// Program to load, as in `run`: a program of this project, a C, C++ or StarC
    /// file (.c, .cpp, .starc) or an ELF file
    #[arg(value_name = "PROGRAM", value_parser = ProgramName::parser(&[]), hide_possible_values = true)]
    program: ProgramName,

    #[command(flatten)]
    port: PortArgs,

    /// Write the bytes to this file instead of loading them; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    image: Option<OutputFile>,

    /// With --image, also write the formats of ctrl_print to this file, as JSON by their numbers
    #[arg(long, value_name = "FILE.json", requires = "image")]
    formats: Option<OutputFile>,

    /// With --image, the memories of the nodes, as for run --memory
    #[arg(long, value_name = "PROGRAM,DATA", requires = "image", value_parser = NodeMemory::from_str)]
    memory: Option<NodeMemory>,

    /// With --image, dimensions N of the cube for which a StarC program is translated, 1 to 16
    #[arg(long = "dims", value_name = "N", requires = "image", default_value = IMAGE_DIMS,
          value_parser = parse_cube)]
    cube: Hypercube,
}

/// Opens a program for a cube of this many dimensions, whose nodes have these memories. A StarC
/// program is translated for that cube.
fn open_program(
    program: &ProgramName,
    memory: NodeMemory,
    dims: u32,
) -> Result<Firmware, CliError> {
    let target = NodeTarget { kind: NodeKind::CUBE, memory, multiplies: false };
    let tools = Toolchain::open()?;
    let open = |name: &OsStr| Firmware::open(name, target, &tools, &build_dir());
    // The nodes of a board have one context.
    let options = star::Options { dims, has_background: false, ..star::Options::default() };
    Ok(star::open_for_cube(program, &options, &build_dir(), open)?)
}

/// Dimensions of the published design `programs`.
const IMAGE_DIMS: &str = "3";

/// Loads the program and starts it.
pub fn load(args: &LoadProgramArgs) -> Result<(), CliError> {
    let target = OutputTarget::from_flag("--image", args.image.as_ref())?;
    if let Some(target) = target {
        let memory = args.memory.unwrap_or_default();
        let program = open_program(&args.program, memory, args.cube.dims())?;
        if let Some(target) = OutputTarget::from_flag("--formats", args.formats.as_ref())? {
            let formats = json!(program.symbols.formats()).to_string() + "\n";
            let written = target.write(|out| Ok(out.write_all(formats.as_bytes())?));
            written.map_err(CliError::Failed)?;
        }
        let written = target.write(|out| Ok(out.write_all(&program.bytes())?));
        return written.map_err(CliError::Failed);
    }
    let mut machine = args.port.connect()?;
    let about = machine.about();
    let dims = about.nodes.max(2).ilog2();
    let program = open_program(&args.program, node_memory(about), dims)?;
    machine.load(&program)?;
    machine.start()?;
    let about = machine.about();
    output::print(&format!(
        "{program}\nloaded into {} nodes ({}), and started\n",
        about.nodes, about.name
    ))
}

/// Memories of the nodes of a board. If the board reports unknown sizes, the Cu's.
fn node_memory(about: &About) -> NodeMemory {
    NodeMemory::of_sizes(about.program.into(), about.data.into()).unwrap_or_default()
}

/// Send a message through a board whose nodes run route, or send programs their input data
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube send 0 5 C0FFEE --port tcp:7700\n  phasecube send --data numbers.csv"
)]
pub struct SendArgs {
    /// Source node, decimal or hexadecimal after 0x
    #[arg(value_name = "FROM", required_unless_present = "data", requires = "to", value_parser = number::parse)]
    from: Option<u64>,

    /// Destination node, decimal or hexadecimal after 0x
    #[arg(value_name = "TO", requires = "payload", value_parser = number::parse)]
    to: Option<u64>,

    /// Payload of the message, two hexadecimal digits per byte
    #[arg(value_name = "HEX", value_parser = parse_hex)]
    payload: Option<Hex>,

    /// Input data of the programs, a file of values as for run --data, or none. The end of the data
    /// is then reported to the programs
    #[arg(long, value_name = "FILE.csv", conflicts_with = "from")]
    data: Option<PathBuf>,

    #[command(flatten)]
    port: PortArgs,
}

/// Bytes of a command-line argument.
#[derive(Clone, Debug)]
struct Hex(Vec<u8>);

fn parse_hex(text: &str) -> Result<Hex, String> {
    let wrong = || "accepted: two hexadecimal digits for each byte".to_owned();
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !digits || !text.len().is_multiple_of(2) {
        return Err(wrong());
    }
    let pairs = (0..text.len()).step_by(2);
    let bytes: Result<Vec<u8>, _> =
        pairs.map(|at| u8::from_str_radix(&text[at..at + 2], 16)).collect();
    bytes.map(Hex).map_err(|_| wrong())
}

/// Sends the message.
pub fn send(args: &SendArgs) -> Result<(), CliError> {
    let mut machine = args.port.connect()?;
    let addresses = machine.addresses();
    if let Some(data) = &args.data {
        let data = match data == Path::new(NO_DATA) {
            true => Values::none(addresses.nodes()),
            false => {
                let read = values::read(data, addresses);
                read.map_err(|e| CliError::BadInput(e.into()))?.values
            }
        };
        machine.send_data(&data)?;
        let count: usize = data.0.iter().map(Vec::len).sum();
        return output::print(&format!("{count} values sent, and the end of the data\n"));
    }
    let (Some(from), Some(to), Some(Hex(payload))) = (args.from, args.to, &args.payload) else {
        return Err(CliError::BadInput(anyhow!(
            "no message to send; accepted: FROM TO HEX, or --data"
        )));
    };
    let (from, to) = (addresses.address(from)?, addresses.address(to)?);
    machine.send_through(from, to, payload)?;
    output::print(&format!(
        "{} -> {}: {} bytes sent\n",
        addresses.hex(from),
        addresses.hex(to),
        payload.len()
    ))
}

/// Send a list of messages through a board and report the outcome of each
///
/// Loads route into all nodes, sends the messages, and waits until each has arrived once, unchanged
/// and at its destination, or nothing moves any more.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube run-on-board list.csv --port tcp:7700")]
pub struct RunOnBoardArgs {
    /// File of messages, as for --pattern file: with lines source,destination[,payload hex]
    #[arg(value_name = "LIST.csv")]
    list: PathBuf,

    #[command(flatten)]
    port: PortArgs,

    /// Random payload of a message that has none of its own, 0 to 78 bytes
    #[arg(long, value_name = "BYTES", default_value = "4", value_parser = parse_payload)]
    payload: usize,

    /// Seed of all random choices
    #[arg(long, value_name = "S", default_value = "1", value_parser = number::parse)]
    seed: u64,

    #[command(flatten)]
    output: OutputFlags,
}

/// Sends the list of messages and reports the outcome of each.
pub fn run_on_board(args: &RunOnBoardArgs) -> Result<(), CliError> {
    let recipe = Recipe {
        pattern: TrafficPattern::File(args.list.clone()),
        seed: args.seed,
        payload: args.payload,
        order: ExchangeOrder::default(),
    };
    let mut machine = args.port.connect()?;
    let addresses = machine.addresses();
    let all = recipe.list(addresses)?;
    // As in `run`, a message to its own source does not enter the network.
    let messages = all.without_messages_to_self();
    let to_self = all.len() - messages.len();
    let route = open_program(&"route".into(), node_memory(machine.about()), machine.about().nodes)?;
    machine.load(&route)?;
    machine.start()?;
    let bar = ProgressMeter::new(messages.len() as u64);
    let stats = machine.carry(&messages, &mut |waiting| {
        bar.at((messages.len() - waiting) as u64, "messages");
    });
    drop(bar);
    let stats = stats?;
    let status = machine.status()?;
    let delivered = stats.count(|delivery| matches!(delivery, CarryOutcome::Delivered { .. }));
    let dropped = stats.count(|delivery| matches!(delivery, CarryOutcome::Dropped { .. }));
    let lost = stats.count(|delivery| delivery == CarryOutcome::Lost);
    let wrong = stats.unexpected.len();
    let last = stats.outcomes.iter().flatten().filter_map(|delivery| match delivery {
        CarryOutcome::Delivered { phase } => Some(*phase),
        CarryOutcome::Dropped { .. } | CarryOutcome::Lost => None,
    });
    let phases = last.max().unwrap_or(0);
    output::print(&match args.output.json {
        true => {
            let count = all.len();
            json!({
                "messages": count, "to_self": to_self, "delivered": delivered, "lost": lost,
                "given_up": dropped, "wrong": wrong, "phases": phases, "hops": status.hops,
            })
            .to_string()
                + "\n"
        }
        false => format!(
            "{delivered} of {} delivered, the last {} after the start, {}; {lost} lost, {dropped} \
             dropped, {wrong} wrong; {to_self} to their own source\n{}",
            format_count(messages.len(), "message"),
            format_count(phases, "phase"),
            format_count(status.hops, "hop"),
            missing_lines(addresses, &messages, &stats)
        ),
    })?;
    match lost + dropped + wrong {
        0 => Ok(()),
        _ => Err(CliError::Failed(anyhow!(
            "{} of {} messages did not arrive; {wrong} arrivals were unknown or duplicates",
            lost + dropped,
            messages.len()
        ))),
    }
}

/// Formats the first messages that have not arrived.
fn missing_lines(addresses: AddressSpace, messages: &MessageList, stats: &CarryReport) -> String {
    let mut text = String::new();
    let deliveries = messages.iter().zip(stats.outcomes.iter().flatten());
    let missing =
        deliveries.filter(|(_, delivery)| !matches!(delivery, CarryOutcome::Delivered { .. }));
    for (message, delivery) in missing.take(LISTED) {
        let (from, to) = (addresses.hex(message.source), addresses.hex(message.destination));
        let how = match delivery {
            CarryOutcome::Dropped { node, .. } => {
                format!("dropped by node {}", addresses.hex(*node))
            }
            CarryOutcome::Delivered { .. } | CarryOutcome::Lost => "lost".to_owned(),
        };
        let _ = writeln!(text, "  {from} -> {to}: {how}");
    }
    text
}

impl From<HostError> for CliError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::TooLarge { .. }
            | HostError::Message { .. }
            | HostError::Payload { .. }
            | HostError::OtherProgram { .. }
            | HostError::Node { .. } => Self::BadInput(error.into()),
            error => Self::Failed(error.into()),
        }
    }
}
