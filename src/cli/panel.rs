//! `phasecube panel`: runs programs and shows the LEDs of their nodes.

use super::args::NO_DATA;
use super::files::OutputTarget;
use super::run::{self, PanelPlan, RunArgs};
use super::CliError;
use ::panel::PictureFormat;
use anyhow::anyhow;
use clap::Args;
use machine::flags::{within, OutputFile};
use machine::networks::Networks;
use machine::Outcome;

/// Port of the page if no other is requested.
pub const PORT: u16 = 8064;

/// Run programs and show the LEDs of their nodes on a web page
///
/// The page is served on this computer only. It shows the LEDs while the machine runs, pauses the
/// machine and steps it, and shows the state of a selected node. It remains after the end of the
/// programs, until Ctrl-C. All flags of `run` work here. Without --data and without traffic the
/// programs get no values.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Examples:\n  phasecube panel --firmware examples/starc/plasma.starc --dims 12 --memory 16K,4K\n  phasecube panel --firmware life.starc --dims 8 --data cells.csv --record life.gif"
)]
pub struct PanelArgs {
    #[command(flatten)]
    run: RunArgs,

    /// Port of the page on the loopback interface, 0 for any free one [default: 8064; no page with
    /// --record]
    #[arg(long, value_name = "N", help_heading = "Panel")]
    port: Option<u16>,

    /// Write the LEDs to a file: all changes to a GIF, the last picture to a PNG or SVG. Without
    /// --port there is no page, and the command ends with the programs
    #[arg(long, value_name = "FILE.gif|.png|.svg", help_heading = "Panel")]
    record: Option<OutputFile>,

    /// Limit the speed to this number of superframes per second
    #[arg(long, value_name = "N", help_heading = "Panel", value_parser = within::<u32>(1, 1_000_000))]
    speed: Option<u32>,

    /// Pause at the start of the first phase
    #[arg(long, help_heading = "Panel")]
    paused: bool,
}

/// Runs the programs, shows the LEDs, and prints and returns the outcome.
pub fn panel(args: &PanelArgs, networks: &Networks) -> Result<Outcome, CliError> {
    let mut arguments = args.run.clone();
    arguments.data_or(NO_DATA);
    let record = match &args.record {
        None => None,
        Some(path) => {
            let format = PictureFormat::of(path).ok_or_else(|| {
                let accepted = PictureFormat::ACCEPTED;
                CliError::BadInput(anyhow!(
                    "--record {} has no known format; accepted: {accepted}",
                    path.display()
                ))
            })?;
            let target = OutputTarget::from_flag("--record", Some(path))?;
            target.map(|target| (target, format))
        }
    };
    let port = match (&args.record, args.port) {
        (Some(_), port) => port,
        (None, port) => Some(port.unwrap_or(PORT)),
    };
    if args.paused && port.is_none() {
        return Err(CliError::BadInput(anyhow!(
            "--paused needs the page, which continues the run; accepted with --record: --port N"
        )));
    }
    let plan = PanelPlan { port, record, speed: args.speed.map(f64::from), is_paused: args.paused };
    run::run_on_panel(&arguments, &plan, networks)
}
