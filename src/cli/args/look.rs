//! Arguments to look inside a machine: waveforms, logic analysers, pictures.

use clap::Args;
use interconnect::topology::number;
use interconnect::traffic::MESSAGES_MAX;
use machine::flags::{within, OutputFile};
use std::error::Error;

/// Constant rather than a doc comment, because rustdoc would read the brackets as links.
const WATCH_HELP: &str = "What the waveform shows: node[0x2A3].uart.*, link[3-7].wire, shared.*, .. An \
     address can be *. Of a link there are wire, driver, byte, field and frame, of a channel of the torus data, request, \
     acknowledge, byte, vc, field and packet; other names are \
     those of the emitted Verilog. In the file they are called so, too. Default: link[*].* up to 6 dimensions, link[0-*].* beyond, and \
     node[0].* of the CM-1";

/// How to look inside a machine while it runs.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Looking inside")]
pub struct LookArgs {
    /// Write a waveform: FILE.vcd, FILE.fst, or - for a VCD on standard output. One nanosecond in it is one clock cycle. Viewers
    /// show the texts of a VCD as they are; a FST is far smaller, and its texts are words to be
    /// shown as ASCII (GTKWave: Data Format)
    #[arg(long, value_name = "FILE")]
    pub wave: Option<OutputFile>,

    /// What the waveform shows
    #[arg(long, value_name = "GLOB", num_args = 1.., requires = "wave", help = WATCH_HELP)]
    pub watch: Vec<String>,

    /// Look from the beginning of this phase on (12) or superframe (3s); of the CM-1, petit
    /// cycle. All are counted from 0, here and in all that is printed
    #[arg(long, value_name = "PHASE", value_parser = parse_time)]
    pub from: Option<LookTime>,

    /// Look until the beginning of this phase (24) or superframe (4s)
    #[arg(long, value_name = "PHASE", value_parser = parse_time)]
    pub to: Option<LookTime>,

    /// Print a link, such as 3-7, as a logic analyser with a UART decoder would; can be repeated
    #[arg(long, value_name = "A-B", conflicts_with = "json")]
    pub logic_analyzer: Vec<String>,

    /// Draw superframe 0, or that of --from, and the way of a message through the cube; of a
    /// network without superframes, how long each message was under way; - for standard output
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<OutputFile>,

    /// The message whose way is drawn, by its place in the list of messages, counted from 0; by
    /// default the first that has the longest way
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
