//! `phasecube boards`: lists the supported boards.

use super::{output, CliError};
use board::{Board, BOARDS};
use clap::Args;
use lab::report::{wrapped, WIDTH};
use machine::flags::OutputFlags;
use serde_json::json;
use std::fmt::Write;

/// List the boards that designs can be built for, and the functions tried on each
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  phasecube boards")]
pub struct BoardsArgs {
    #[command(flatten)]
    output: OutputFlags,
}

/// Prints the list.
pub fn boards(args: &BoardsArgs) -> Result<(), CliError> {
    if args.output.json {
        let all = BOARDS.map(|board| {
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
        return output::print(&format!("{}\n", json!({ "boards": all })));
    }
    output::print(&boards_text())
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
            (
                "clock",
                format!(
                    "{} MHz of the crystal's {}",
                    board.clock_mhz, board.crystal_mhz
                ),
            ),
            (
                "on USB",
                format!(
                    "{}, host port at interface {}",
                    usb_id(board),
                    board.usb.serial
                ),
            ),
            ("written by", programmers.join(", ")),
            (
                "tried on hardware",
                board.tested_functions.unwrap_or("never").to_owned(),
            ),
        ];
        let _ = writeln!(text, "{}", board.name);
        for (what, value) in rows {
            let _ = writeln!(text, "  {what:<17}  {value}");
        }
        for line in wrapped(board.notes, WIDTH - 2)
            .lines()
            .filter(|line| !line.is_empty())
        {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}
