//! `phasecube boards`: lists the supported boards.

use super::file_flags::InputFiles;
use super::monitor::{devices, open_virtual_board};
use super::{build_dir, files, interrupt, output, CliError};
use ::panel::{PanelObserver, PanelServer, PanelState, ShownMachine};
use anyhow::{anyhow, Context};
use board::flash::{check, prepare};
use board::host::listen::{BoardEnd, ListenAddress, Listener, Relay};
use board::host::server::{Nodes, Server};
use board::host::simulated::{
    RunFlags, RunWatcher, SimulatedBoardConfig, SimulatedNodes, WatchedRun,
};
use board::manifest::{Manifest, ManifestEntry};
use board::port::VirtualPort;
use board::{Board, BoardDesignName, BuiltImage, CubeTable, BOARDS};
use clap::Args;
use engine::{NodeEngine, Observer};
use interconnect::topology::Hypercube;
use interconnect::traffic::PAYLOAD_MAX;
use machine::flags::{parse_cube, within, FlagChoice, LockstepFlags, OutputDir, OutputFlags};
use machine::networks::tdma::cube::{CubeCircuit, DEADLOCK_AFTER};
use machine::program::{NodeMemory, Symbols};
use machine::text::indented;
use machine::RuntimeReport;
use rtl::hosted::HOST_CLOCKS;
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::sync::Arc;
use toolchain::{cache, find_on_path, progress, Policy, Toolchain};

/// List the boards that designs can be built for, and the functions tried on each
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  phasecube boards\n  phasecube boards --cubes")]
pub struct BoardsArgs {
    /// Print the cubes of the design cube instead: their speed, and the block RAMs that they need
    #[arg(long)]
    cubes: bool,

    #[command(flatten)]
    output: OutputFlags,
}

/// Prints the list.
pub fn boards(args: &BoardsArgs) -> Result<(), CliError> {
    if args.cubes {
        let table = CubeTable::new().map_err(|error| CliError::Failed(error.into()))?;
        return match args.output.json {
            true => output::print(&format!("{}\n", json!(table))),
            false => output::print_report(&table),
        };
    }
    if args.output.json {
        let all = BOARDS.iter().map(|board| {
            json!({
                "name": board.name,
                "title": board.title,
                "chip": board.flow.chip(),
                "crystal_mhz": board.crystal_mhz,
                "clock_mhz": board.clock_mhz,
                "usb": usb_id(board),
                "programmers": board.programmers.iter().map(|p| p.program).collect::<Vec<_>>(),
                "tried_on_hardware": board.tested_functions,
            })
        });
        return output::print(&format!("{}\n", json!({ "boards": all.collect::<Vec<_>>() })));
    }
    output::print_text(&boards_text())
}

fn usb_id(board: &Board) -> String {
    format!("{:04x}:{:04x}", board.usb.vendor, board.usb.product)
}

/// Formats one paragraph for each board.
fn boards_text() -> String {
    let mut text = String::new();
    for board in BOARDS {
        let programmers: Vec<&str> = board.programmers.iter().map(|p| p.program).collect();
        let rows = [
            ("board", board.title.to_owned()),
            ("chip", board.flow.chip()),
            ("clock", format!("{} MHz of the crystal's {}", board.clock_mhz, board.crystal_mhz)),
            ("on USB", format!("{}, host port at interface {}", usb_id(board), board.usb.serial)),
            ("written by", programmers.join(", ")),
            ("tried on hardware", board.tested_functions.unwrap_or("never").to_owned()),
        ];
        let _ = writeln!(text, "{}", board.name);
        for (what, value) in rows {
            let _ = writeln!(text, "  {what:<17}  {value}");
        }
        text += &indented(board.notes, 2, output::text_width());
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

// `phasecube build`: builds an image for a board.

/// Build the image of a design for a board, and report its cells and its maximum clock
///
/// Fails if the design does not fit the chip or misses its clock.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube build --design cube --dims 3\n  phasecube build --board ulx3s --design echo"
)]
pub struct BuildArgs {
    /// Board to build for, a name that `phasecube boards` lists
    #[arg(long, value_name = "NAME", default_value = BOARDS[0].name, value_parser = <&Board>::parser(), hide_possible_values = true)]
    board: &'static Board,

    #[arg(long, value_name = "NAME", value_parser = BoardDesignName::parser(), hide_possible_values = true, help = designs())]
    design: BoardDesignName,

    /// Dimensions of the cube of the design, if it has one
    #[arg(long = "dims", value_name = "N", value_parser = parse_cube)]
    cube: Option<Hypercube>,

    /// Seed of the placement. Another one gives another placement and another maximum clock
    #[arg(long, value_name = "N", default_value_t = board::DEFAULT_SEED, conflicts_with = "publish")]
    seed: u32,

    /// Output directory of the image and its manifest [default: target/phasecube]
    #[arg(long, value_name = "DIR")]
    out: Option<OutputDir>,

    /// Write the image and its manifest to bitstreams/. Uses only the pinned tools, so that others
    /// get the same bytes
    #[arg(long, conflicts_with = "out")]
    publish: bool,
}

/// Formats the help of `--design`: each design with its description.
fn designs() -> String {
    let all = BoardDesignName::ALL.iter();
    let all: Vec<String> =
        all.map(|(name, design)| format!("{name}, {}", design.description())).collect();
    format!("Design to build: {}", all.join("; "))
}

/// Directory of published images and their manifest.
const PUBLISHED_DIR: &str = "bitstreams";

/// Image that has been built and written.
pub struct WrittenImage {
    pub built: BuiltImage,
    pub path: PathBuf,
    entry: ManifestEntry,
}

impl WrittenImage {
    /// Formats the file with its size and its digest.
    pub fn file_line(&self) -> String {
        let ManifestEntry { bytes, sha256, .. } = &self.entry;
        format!("{}: {bytes} bytes, sha256 {sha256}", self.path.display())
    }
}

/// Builds the design, writes the image and prints a summary.
pub fn build(args: &BuildArgs) -> Result<(), CliError> {
    let image = build_image(args)?;
    output::print_report(&image.built)?;
    output::print_text(&format!("\n{}\n", image.file_line()))
}

/// Builds the design and writes the image.
pub fn build_image(args: &BuildArgs) -> Result<WrittenImage, CliError> {
    let dims = dims(args)?;
    let dir = match (&args.out, args.publish) {
        (Some(dir), _) => dir.to_path_buf(),
        (None, true) => PUBLISHED_DIR.into(),
        (None, false) => build_dir(),
    };
    files::check_files("--out", &dir, &[Manifest::FILE], &InputFiles::default())?;
    let tools = match args.publish {
        true => Toolchain::new(cache::cache_dir()?, Policy::Pinned),
        false => Toolchain::open()?,
    };
    let design = args.design.design(dims, &tools, &build_dir())?;
    let design = design.with_clock_mhz(args.board.clock_mhz);
    let work_dir = build_dir().join("board");
    let built = board::build(&tools, args.board, &design, args.seed, &work_dir)?;
    let entry =
        write(&built, &dir).context("the image cannot be written").map_err(CliError::Failed)?;
    Ok(WrittenImage { built, path: dir.join(&entry.file), entry })
}

/// Returns the dimensions, checked against those that the design accepts.
fn dims(args: &BuildArgs) -> Result<u32, CliError> {
    let (name, accepted) = (args.design.name(), args.design.dims());
    let requested = args.cube.map(Hypercube::dims);
    let wrong = |what: String| Err(CliError::BadInput(anyhow!(what)));
    match (requested, accepted) {
        (None, []) => Ok(0),
        (None, [first, ..]) => Ok(*first),
        (Some(dims), _) if accepted.contains(&dims) => Ok(dims),
        (Some(_), []) => wrong(format!("the design {name} has no cube; accepted: no --dims")),
        (Some(dims), _) => wrong(format!(
            "the design {name} is not built for {dims} dimensions; accepted: --dims {}",
            accepted.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        )),
    }
}

/// Writes the image and adds it to the manifest in the same directory.
fn write(built: &BuiltImage, dir: &Path) -> anyhow::Result<ManifestEntry> {
    let entry = ManifestEntry::new(built);
    files::write_all(dir, &[(entry.file.clone(), &built.image)])?;
    let mut manifest = Manifest::read(dir)?;
    manifest.insert(entry.clone());
    files::write_all(dir, &[(Manifest::FILE.into(), manifest.to_string())])?;
    Ok(entry)
}

// `phasecube flash`: writes an image to a board.

/// Write an image to the flash of the board on USB
///
/// Checks the image against the manifest beside it, finds the board, and starts a program that can
/// write its flash, such as iceprog or openFPGALoader. If there is none, the error names the
/// programs to install.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube flash bitstreams/alchitry-cu-cube3.bin")]
pub struct FlashArgs {
    /// Image to write, such as bitstreams/alchitry-cu-echo.bin
    #[arg(value_name = "IMAGE")]
    image: PathBuf,

    /// Board to write to, a name that `phasecube boards` lists
    #[arg(long, value_name = "NAME", default_value = BOARDS[0].name, value_parser = <&Board>::parser(), hide_possible_values = true)]
    board: &'static Board,
}

/// Writes the image.
pub fn flash(args: &FlashArgs) -> Result<(), CliError> {
    let checked = check(&args.image, args.board).map_err(|e| CliError::BadInput(e.into()))?;
    let entry = &checked.entry;
    output::print(&format!(
        "{}: {} for the {}, {} bytes, sha256 as in the manifest\n",
        checked.path.display(),
        entry.design,
        args.board.title,
        entry.bytes
    ))?;
    let (programmer, board) = prepare(args.board, &checked.path, &devices(), find_on_path)
        .map_err(|e| CliError::Failed(e.into()))?;
    output::print(&format!(
        "{} at USB {}, bus {}, device {}\n",
        args.board.title, board.bus_position, board.bus, board.device
    ))?;
    let mut command = programmer.command(&board, &checked.path);
    output::print(&format!("$ {}\n", command_text(&command)))?;
    let status = command
        .status()
        .with_context(|| format!("{} cannot be started", programmer.path.display()))
        .map_err(CliError::Failed)?;
    if !status.success() {
        return Err(CliError::Failed(anyhow!(
            "{} failed ({status}): the flash may hold a partial image; write it again",
            programmer.path.display()
        )));
    }
    let serial =
        board.serial.map_or_else(String::new, |port| format!(" --port {}", port.display()));
    output::print(&format!(
        "Written. The board runs {} now: phasecube monitor{serial} --baud {}\n",
        entry.design, entry.baud
    ))
}

/// Formats the command as a user would type it.
fn command_text(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

// `phasecube board`: a simulated board that hosts reach like a real one.

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
        value_parser = parse_cube,
        help = "Dimensions of the cube, 1 to 16"
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
        value_parser = within::<usize>(RuntimeReport::PAYLOAD as u64, PAYLOAD_MAX as u64),
        help = format!(
            "Maximum payload of a message between nodes, {} to {PAYLOAD_MAX} bytes",
            RuntimeReport::PAYLOAD
        )
    )]
    payload: usize,

    /// Bit-times of the service window, in which the programs run in each phase, 1 to 1,000,000
    /// [default: as with run --data]
    #[arg(long, value_name = "BIT-TIMES", value_parser = within::<u32>(1, 1_000_000))]
    service: Option<u32>,

    /// Memories of each node, program store and data memory: powers of two, 2K to 64K and 512 to 32K
    /// [default: 2K,512]
    #[arg(long, value_name = "PROGRAM,DATA", value_parser = NodeMemory::from_str)]
    memory: Option<NodeMemory>,

    /// Idle superframes after which the clock of the machine stops until a message comes, 1 to
    /// 1,000,000
    #[arg(long, value_name = "N", default_value_t = DEADLOCK_AFTER, value_parser = within::<u64>(1, 1_000_000))]
    rest: u64,

    #[command(flatten)]
    lockstep: LockstepFlags,

    /// Show the LEDs of the nodes on a web page of this computer, as phasecube panel does
    #[arg(long)]
    panel: bool,

    /// Port of the page of --panel, 0 for any free one
    #[arg(long, value_name = "N", default_value_t = super::panel::PORT, requires = "panel")]
    panel_port: u16,

    /// Image to simulate in place of the cube, as with monitor --virtual. Its own circuit answers
    /// the host
    #[arg(long = "virtual", value_name = "IMAGE", conflicts_with_all = ["cube", "payload", "service", "memory", "rest", "panel"])]
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
    let panel = args.panel.then(|| BoardPanel::start(args.cube, args.panel_port));
    let panel = panel.transpose()?;
    let plan = SimulatedBoardConfig {
        watcher: panel.map(|panel| Arc::new(panel) as Arc<dyn RunWatcher>),
        payload: args.payload,
        service: args.service,
        memory: args.memory.unwrap_or_default(),
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

/// Panel of a simulated board. Its page remains from one run to the next.
struct BoardPanel {
    state: PanelState,
    /// Ends with the board.
    _server: PanelServer,
}

impl BoardPanel {
    fn start(cube: Hypercube, port: u16) -> Result<Self, CliError> {
        let state = PanelState::new(None, false);
        let title = format!("simulated board, {}-cube", cube.dims());
        let size = (1 << cube.dims(), 2 * u64::from(cube.dims()));
        // The board gets a program without its symbols.
        let server = PanelServer::start(port, &title, size, false, &state);
        let server = server.map_err(|e| CliError::BadInput(e.into()))?;
        progress::note(&format!("panel: {}", server.url()));
        Ok(BoardPanel { state, _server: server })
    }
}

impl RunWatcher for BoardPanel {
    fn begin(
        &self,
        engine: &mut dyn NodeEngine,
        circuit: &CubeCircuit,
        flags: &RunFlags,
    ) -> Box<dyn WatchedRun> {
        self.state.begin(&flags.stop);
        let machine = ShownMachine {
            subject: circuit.subject(),
            symbols: Symbols::default(),
            dead: vec![],
            stop: flags.stop.clone(),
            pass: flags.pass.clone(),
        };
        let observer = PanelObserver::new(engine, machine, self.state.clone(), None);
        Box::new(PanelRun(observer.expect("the board has LEDs")))
    }

    fn rests(&self) {
        self.state.show_rest();
    }

    fn stopped(&self) {
        self.state.show_stop("The host has stopped the run.");
    }

    fn failed(&self, why: &str) {
        self.state.show_failure(&format!("The run has failed: {why}."));
    }
}

/// Run of a board that a panel shows.
struct PanelRun(PanelObserver);

impl WatchedRun for PanelRun {
    fn observer(&mut self) -> &mut dyn Observer {
        &mut self.0
    }

    fn end(&mut self, engine: &mut dyn NodeEngine) {
        self.0.after_end(engine, "The run has ended.");
    }
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
    Err(stop.clean_end())
}
