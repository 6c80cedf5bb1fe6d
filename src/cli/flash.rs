//! `phasecube flash`: writes an image to a board.

use super::on_usb::devices;
use super::{output, CliError};
use anyhow::{anyhow, Context};
use board::flash::{check, prepare};
use board::{Board, BOARDS};
use clap::Args;
use machine::flags::FlagChoice;
use std::path::PathBuf;
use std::process::Command;
use toolchain::find_on_path;

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
    let serial = board
        .serial
        .map_or_else(String::new, |port| format!(" --port {}", port.display()));
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
