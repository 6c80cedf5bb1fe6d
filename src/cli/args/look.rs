//! Arguments to look inside a machine: waveforms, logic analysers, pictures.

use clap::Args;
use interconnect::topology::number;
use interconnect::traffic::MESSAGES_MAX;
use machine::flags::{within, OutputFile};
use std::error::Error;

/// Constant rather than a doc comment, because rustdoc would read the brackets as links.
const WATCH_HELP: &str = "Signals in the waveform: node[0x2A3].uart.*, link[3-7].wire, shared.*, .. An \
     address can be *. A TDMA link has the signals wire, driver, byte, field and frame. A channel of the torus has data, \
     request, acknowledge, byte, vc, field and packet. All other names are those of the emitted \
     Verilog, and the file uses the same names. Default: link[*].* up to 6 dimensions, link[0-*].* \
     beyond, and node[0].* of the CM-1";

/// How to look inside a machine while it runs.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Looking inside")]
pub struct LookArgs {
    /// Write a waveform to FILE.vcd or FILE.fst, or as VCD to standard output with -. One
    /// nanosecond in the file is one clock cycle. A FST is far smaller than a VCD. Viewers show the
    /// texts of a VCD directly; show the texts of a FST as ASCII (GTKWave: Data Format)
    #[arg(long, value_name = "FILE")]
    pub wave: Option<OutputFile>,

    /// Signals in the waveform
    #[arg(long, value_name = "GLOB", num_args = 1.., requires = "wave", help = WATCH_HELP)]
    pub watch: Vec<String>,

    /// First observed phase (12) or superframe (3s); of the CM-1, petit cycle. This flag and all
    /// output count from 0
    #[arg(long, value_name = "PHASE", value_parser = parse_time)]
    pub from: Option<LookTime>,

    /// Phase (24) or superframe (4s) before which the observation ends
    #[arg(long, value_name = "PHASE", value_parser = parse_time)]
    pub to: Option<LookTime>,

    /// Print a link, such as 3-7, as a logic analyser with a UART decoder does; can be repeated
    #[arg(long, value_name = "A-B", conflicts_with = "json")]
    pub logic_analyzer: Vec<String>,

    /// Draw superframe 0, or the superframe of --from, and the route of one message through the
    /// cube. Of a network without superframes, draw the time that each message takes. - for
    /// standard output
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<OutputFile>,

    /// Message whose route is drawn, by its index in the list of messages, counted from 0 [default:
    /// the first message with the longest route]
    #[arg(long, value_name = "N", requires = "picture",
          value_parser = within::<usize>(0, MESSAGES_MAX - 1))]
    pub message: Option<usize>,
}

/// A point in the time of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookTime {
    /// Phase number from the start of the run.
    Phase(u64),
    /// Superframe number from the start of the run.
    Superframe(u64),
}

fn parse_time(text: &str) -> Result<LookTime, Box<dyn Error + Send + Sync>> {
    Ok(match text.strip_suffix('s') {
        Some(superframe) => LookTime::Superframe(number::parse(superframe)?),
        None => LookTime::Phase(number::parse(text)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_phases_or_superframes() {
        assert_eq!(parse_time("12").unwrap(), LookTime::Phase(12));
        assert_eq!(parse_time("3s").unwrap(), LookTime::Superframe(3));
        assert!(parse_time("s").is_err());
        assert!(parse_time("3x")
            .unwrap_err()
            .to_string()
            .contains("accepted"));
    }
}
