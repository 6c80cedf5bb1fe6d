//! `phasecube monitor`: shows the output of a board.

use super::files::{self, OutputTarget, PendingFile};
use super::output::{self, Report};
use super::{build_dir, interrupt, CliError};
use anyhow::{anyhow, Context};
use board::lines::BoardTextLine;
use board::port::{self, BoardPort, PortError, PortName, VirtualPort};
use board::usb::Devices;
use board::virtual_board::{VirtualBoard, VirtualBoardError};
use board::{expected, Board, RunCounters, Session, Timeouts, Transcript, BOARDS};
use clap::Args;
use machine::bounded;
use machine::flags::{within, FlagChoice, OutputFile};
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolchain::{progress, Toolchain};

/// Send commands to a board, or to an image on the virtual board
///
/// Sends the commands, prints each line when it comes, and prints a summary. Without commands it
/// listens until Ctrl-C, or on the virtual board until the board is silent.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube monitor --run complement --check\n  phasecube monitor --virtual bitstreams/alchitry-cu-cube3.bin --run complement"
)]
pub struct MonitorArgs {
    /// Board to talk to, a name that `phasecube boards` lists
    #[arg(long, value_name = "NAME", default_value = BOARDS[0].name, value_parser = <&Board>::parser(), hide_possible_values = true)]
    board: &'static Board,

    /// Serial port of the board, or TCP address of a simulated board [default: the port of the
    /// board on USB]
    #[arg(long, value_name = "DEVICE", conflicts_with = "image", value_parser = super::on_board::port())]
    port: Option<PortName>,

    /// Image to simulate instead: its bits as they would be in the flash or, without icebox_vlog,
    /// the netlist that it was made from
    #[arg(long = "virtual", value_name = "IMAGE")]
    image: Option<PathBuf>,

    /// Baud rate of the port, 300 to 12,000,000 bit-times per second
    #[arg(long, value_name = "RATE", default_value = "1000000", value_parser = within::<u32>(300, 12_000_000))]
    baud: u32,

    /// Command for the board, such as "complement 7"; can be repeated
    #[arg(long = "run", value_name = "COMMAND")]
    commands: Vec<String>,

    /// Also simulate each run, and compare it with the board message by message
    #[arg(long)]
    check: bool,

    /// Also write each received line to this file, unchanged; - for standard output
    #[arg(long, value_name = "FILE")]
    log: Option<OutputFile>,

    /// Print one JSON object at the end and nothing else
    #[arg(long)]
    json: bool,
}

/// Sends commands to the board and prints its output.
pub fn monitor(args: &MonitorArgs) -> Result<(), CliError> {
    if let Some(command) = args.commands.iter().find(|c| c.contains(['\n', '\r'])) {
        return Err(CliError::BadInput(anyhow!(
            "the command {command:?} has more than one line; accepted: one --run for each line"
        )));
    }
    let log = OutputTarget::from_flag("--log", args.log.as_ref())?;
    let report = Report::avoiding([&log]);
    let (mut port, timeouts) = open(args, report)?;
    let mut log = log.as_ref().map(Log::new).transpose()?;
    let stop = interrupt::listen();

    let mut printed = Ok(());
    let mut on_line = |text: &str, line: &BoardTextLine| {
        if let Some(log) = &mut log {
            printed = log.line(text);
        }
        if !args.json && printed.is_ok() {
            printed = report.print_text(&format!("{line}\n"));
        }
        printed.is_ok() && !stop.is_requested()
    };
    let mut session = Session::new(port.as_mut());
    for command in &args.commands {
        if !stop.is_requested() {
            session.command(command, timeouts, &mut on_line)?;
        }
    }
    // At an interactive terminal the user may listen without limit.
    let forever = args.commands.is_empty() && args.image.is_none();
    while args.commands.is_empty() && !stop.is_requested() {
        let look = if forever { POLL_INTERVAL } else { timeouts.idle };
        session.listen(look, &mut on_line, |_| false)?;
        if !forever {
            break;
        }
    }
    printed?;
    let transcript = session.transcript();
    match args.json {
        true => {
            let json = serde_json::to_string(transcript).expect("text and numbers are JSON");
            report.print(&(json + "\n"))?;
        }
        false => report.print_text(&format!("\n{transcript}"))?,
    }
    if stop.is_requested() {
        return Err(match forever {
            true => stop.clean_end(),
            false => stop.error("while listening"),
        });
    }
    if let Some(fault) = transcript.fault() {
        return Err(CliError::Failed(anyhow!(fault)));
    }
    match args.check {
        true => check_runs(transcript, args.json),
        false => Ok(()),
    }
}

/// Compares the results that the board reported for its runs with results of the simulator.
fn check_runs(transcript: &Transcript, quiet: bool) -> Result<(), CliError> {
    if transcript.runs.is_empty() {
        return Err(CliError::Failed(anyhow!(
            "--check has no run to check; accepted: a command with --run that starts a run"
        )));
    }
    for run in &transcript.runs {
        let simulated = expected::expected_run(run)
            .context("the run cannot be checked")
            .map_err(CliError::Failed)?;
        if let Some(difference) = expected::difference(run, &simulated) {
            let fault = anyhow!("the board and the simulator differ: {difference}");
            return Err(CliError::Failed(fault));
        }
        if !quiet {
            let (name, seed) = (&run.traffic.pattern, run.traffic.seed);
            let how = match (&run.counters, &run.cm1) {
                (Some(RunCounters::Bytes(_)), _) => "with as many bytes over channels",
                (_, None) => "in the same phases",
                (_, Some(_)) => "in the same phases, and through the CM-1 in the same petit cycles",
            };
            output::print_text(&format!(
                "{name} {seed:#x}: the simulator delivers the same messages {how}\n"
            ))?;
        }
    }
    Ok(())
}

/// Interval between checks for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Opens the port that the arguments name. Returns it with its timeouts.
fn open(args: &MonitorArgs, report: Report) -> Result<(Box<dyn BoardPort>, Timeouts), CliError> {
    if let Some(path) = &args.image {
        let (board, source) = open_virtual_board(args.board, path)?;
        let what = format!("simulating {source}");
        match args.json {
            true => progress::note(&what),
            false => report.print_text(&format!("{what}\n"))?,
        }
        let port = VirtualPort::new(board, args.baud);
        return Ok((Box::new(port), Timeouts::SIMULATION));
    }
    let name = match &args.port {
        Some(name) => name.clone(),
        None => {
            let found = devices().find_serial(args.board);
            PortName::Device(found.map_err(|e| CliError::Failed(e.into()))?)
        }
    };
    let port = port::open(&name, args.baud)?;
    if !args.json {
        report.print(&format!("listening to {name} at {} baud\n", args.baud))?;
    }
    Ok((port, Timeouts::HARDWARE))
}

/// Creates a board with the image of this file in its flash. Returns it with the part of the image
/// that is simulated.
pub fn open_virtual_board(
    board: &'static Board,
    path: &Path,
) -> Result<(VirtualBoard, String), CliError> {
    let image = files::read(path, bounded::IMAGE_MAX)?;
    let work_dir = build_dir().join("board");
    let board = VirtualBoard::new(&Toolchain::open()?, board, &image, &work_dir)
        .map_err(|error| CliError::virtual_board(path, error))?;
    let source = board.source().to_string();
    Ok((board, source))
}

/// File of `--log`. The file gets its name when the first line is written.
struct Log(PendingFile);

impl Log {
    fn new(target: &OutputTarget) -> Result<Self, CliError> {
        let draft = target.create().with_context(|| target.write_error());
        Ok(Log(draft.map_err(CliError::Failed)?))
    }

    fn line(&mut self, line: &str) -> Result<(), CliError> {
        let written = self.0.commit();
        let written = written.and_then(|()| Ok(writeln!(self.0.file, "{line}")?));
        written.context("the log cannot be written").map_err(CliError::Failed)
    }
}

// Code shared by the commands that use boards on USB.

/// Returns the devices of the system. For tests, `PHASECUBE_SYS` and `PHASECUBE_DEV` replace `/sys`
/// and `/dev`.
pub fn devices() -> Devices {
    let mut devices = Devices::default();
    if let Some(sys) = env::var_os("PHASECUBE_SYS") {
        devices.sys = sys.into();
    }
    if let Some(dev) = env::var_os("PHASECUBE_DEV") {
        devices.dev = dev.into();
    }
    devices
}

impl CliError {
    /// Errors of the image are the user's fault, errors of the tools are not.
    pub fn virtual_board(image: &Path, error: VirtualBoardError) -> Self {
        match error {
            VirtualBoardError::Tool(error) => error.into(),
            VirtualBoardError::Design(error) => error.into(),
            VirtualBoardError::Build(error) => error.into(),
            error @ VirtualBoardError::Unknown { .. } => {
                let what = format!("{} cannot be simulated", image.display());
                CliError::Failed(anyhow::Error::new(error).context(what))
            }
            error => {
                let what = format!("{} is not an image for this board", image.display());
                CliError::BadInput(anyhow::Error::new(error).context(what))
            }
        }
    }
}

impl From<PortError> for CliError {
    fn from(error: PortError) -> Self {
        match error {
            PortError::Simulation(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}
