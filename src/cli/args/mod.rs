//! Arguments that several subcommands share: network, traffic, data of programs, and observation.

use crate::cli::files::OutputTarget;
use crate::cli::CliError;
use anyhow::anyhow;
use clap::Args;
use interconnect::topology::{number, AddressSpace};
use interconnect::traffic::{
    file, ExchangeOrder, MessageList, Recipe, TrafficPattern, MESSAGES_MAX, PAYLOAD_MAX,
};
use machine::flags::{pattern, within, FlagChoice, OutputFile};
use machine::networks::Flags;
use std::error::Error;
use std::path::PathBuf;

// `--network`.

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct NetworkArgs {
    /// Network of the machine [default: the first network of the list]
    #[arg(long, value_name = "NAME")]
    network: Option<String>,

    #[command(flatten)]
    pub flags: Flags,
}

impl NetworkArgs {
    /// Value of `--network`; `None` if the flag is absent.
    pub fn name(&self) -> Option<&str> {
        self.network.as_deref()
    }
}

// Traffic arguments: the pattern and the parameters that it is drawn from.

/// Messages of a run.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArgs {
    #[arg(
        long,
        value_name = "PATTERN",
        default_value = "permutation",
        value_parser = pattern(),
        hide_possible_values = true,
        help = format!(
            "Traffic pattern: {}. A file is CSV with lines source,destination[,payload hex], up to \
             16,777,216 messages",
            TrafficPattern::ACCEPTED
        )
    )]
    pub pattern: TrafficPattern,

    /// Seed of all random choices
    #[arg(long, value_name = "S", default_value = "1", value_parser = number::parse)]
    pub seed: u64,

    #[arg(
        long,
        value_name = "BYTES",
        default_value = "4",
        value_parser = parse_payload,
        help = format!("Random payload of a message that has none of its own, 0 to {PAYLOAD_MAX} bytes")
    )]
    pub payload: usize,

    /// Order of a total exchange: xor or pairs [default: pairs]
    #[arg(long, value_name = "NAME", value_parser = ExchangeOrder::parser(), hide_possible_values = true)]
    pub schedule: Option<ExchangeOrder>,

    /// Write the messages to a CSV file, which --pattern file:PATH reads back; - for standard
    /// output
    #[arg(long, value_name = "FILE")]
    pub dump_traffic: Option<OutputFile>,
}

impl TrafficArgs {
    /// Returns the traffic that the flags request.
    ///
    /// # Errors
    /// Bad input, if `--schedule` comes with a pattern that has no schedule.
    pub fn recipe(&self) -> Result<Recipe, CliError> {
        if self.schedule.is_some() && self.pattern != TrafficPattern::TotalExchange {
            return Err(CliError::BadInput(anyhow!(
                "--schedule orders a total exchange, but the pattern is {}; \
                 accepted: --pattern total-exchange, or no --schedule",
                self.pattern
            )));
        }
        let recipe = Recipe {
            pattern: self.pattern.clone(),
            seed: self.seed,
            payload: self.payload,
            order: self.schedule.unwrap_or_default(),
        };
        Ok(recipe)
    }

    /// Target of `--dump-traffic`; `None` if the flag is absent.
    pub fn dump_target(&self) -> Result<Option<OutputTarget>, CliError> {
        OutputTarget::from_flag("--dump-traffic", self.dump_traffic.as_ref())
    }
}

/// Writes messages in the format of `--dump-traffic`.
pub fn write_messages(
    target: &OutputTarget,
    messages: &MessageList,
    nodes: impl Into<AddressSpace>,
) -> Result<(), CliError> {
    let nodes = nodes.into();
    let written = target.write(|out| Ok(file::write(out, messages, nodes)?));
    written.map_err(CliError::Failed)
}

/// Reads the value of `--payload`.
pub fn parse_payload(text: &str) -> Result<usize, Box<dyn Error + Send + Sync>> {
    let bytes = number::parse(text)?;
    match usize::try_from(bytes) {
        Ok(bytes) if bytes <= PAYLOAD_MAX => Ok(bytes),
        _ => {
            Err(format!("a message cannot carry {bytes} bytes; accepted: 0 to {PAYLOAD_MAX}")
                .into())
        }
    }
}

// Input data of programs, and the results expected of them.

/// These flags conflict with `--data`, because such a run has no traffic.
pub const TRAFFIC_FLAGS: [&str; 3] = ["pattern", "schedule", "dump_traffic"];

/// Value of `--data` for no data.
pub const NO_DATA: &str = "none";

/// Input data of programs, and their expected results.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Nodes that run a program")]
pub struct DataArgs {
    /// Input data of the programs: a CSV file with lines node,value,value,.. of 32-bit values, or
    /// none. The run has no traffic and ends when all programs have ended
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = TRAFFIC_FLAGS)]
    pub data: Option<PathBuf>,

    /// Expected results of the programs, in the form of --data. The run fails if a program returns
    /// other values
    #[arg(long, value_name = "FILE.csv", requires = "data")]
    pub check: Option<PathBuf>,

    /// Maximum difference between a returned and an expected value
    #[arg(long, value_name = "N", requires = "check", default_value = "0")]
    pub tolerance: u32,

    /// Write the results of the programs to this file, in the form of --data; - for standard output
    #[arg(long, value_name = "FILE.csv", requires = "data")]
    pub results: Option<OutputFile>,

    /// End the run when a program has returned this number of values, or dropped this number of
    /// messages
    #[arg(long, value_name = "N", requires = "data", default_value = "65536", value_parser = within::<usize>(1, u32::MAX.into()))]
    pub max_values: usize,

    /// Print only the texts (ctrl_print) of this node, decimal or hexadecimal after 0x; can be
    /// repeated
    #[arg(long, value_name = "NODE", requires = "data", value_parser = number::parse)]
    pub node: Vec<u64>,
}

// Arguments to look inside a machine: waveforms, logic analysers, pictures.

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
    /// cube. Of a network without superframes, draw the network with the load of each channel, and
    /// the time of each of up to 600 messages. - for standard output
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
    use clap::Parser;
    use interconnect::topology::Hypercube;
    use interconnect::traffic::Message;

    #[derive(Debug, Parser)]
    struct TrafficLine {
        #[command(flatten)]
        traffic: TrafficArgs,
    }

    fn traffic(args: &[&str]) -> TrafficArgs {
        TrafficLine::try_parse_from([&["test"], args].concat()).unwrap().traffic
    }

    fn parse_error(args: &[&str]) -> String {
        TrafficLine::try_parse_from([&["test"], args].concat()).unwrap_err().to_string()
    }

    fn drawn_messages(args: &[&str]) -> Result<Vec<Message>, CliError> {
        Ok(traffic(args).recipe()?.messages(cube())?)
    }

    fn cube() -> Hypercube {
        Hypercube::new(3).unwrap()
    }

    #[test]
    fn default_traffic_is_a_permutation_with_four_bytes_each() {
        let messages = drawn_messages(&[]).unwrap();
        assert_eq!(messages.len(), 8);
        assert!(messages.iter().all(|message| message.payload.len() == 4));
        assert_eq!(drawn_messages(&["--seed", "0x1"]).unwrap(), messages);
        assert_ne!(drawn_messages(&["--seed", "2"]).unwrap(), messages);
    }

    #[test]
    fn total_exchange_uses_pairs_by_default() {
        let messages = |args: &[&str]| {
            let args = [&["--pattern", "total-exchange"], args].concat();
            drawn_messages(&args).unwrap()
        };
        assert_eq!(messages(&[]), messages(&["--schedule", "pairs"]));
        assert_ne!(messages(&[]), messages(&["--schedule", "xor"]));
    }

    #[test]
    fn a_schedule_for_another_pattern_is_bad_input() {
        let error = drawn_messages(&["--pattern", "bitrev", "--schedule", "xor"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert_eq!(
            error.to_string(),
            "--schedule orders a total exchange, but the pattern is bitrev; \
             accepted: --pattern total-exchange, or no --schedule"
        );
    }

    #[test]
    fn errors_of_bad_values_list_what_is_accepted() {
        for (args, message) in [
            (["--pattern", "nope"], "there is no pattern \"nope\"; accepted: xor:C, "),
            (["--seed", "one"], "\"one\" is not a number; accepted: decimal, "),
            (["--payload", "79"], "a message cannot carry 79 bytes; accepted: 0 to 78"),
            (["--schedule", "greedy"], "not implemented; accepted: xor, pairs"),
        ] {
            let error = parse_error(&args);
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_bad_file_is_bad_input() {
        let error = drawn_messages(&["--pattern", "file:/nowhere/list.csv"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().starts_with("/nowhere/list.csv: cannot be read: "));
    }

    /// A payload that a file leaves out is drawn. An empty payload stays empty.
    #[test]
    fn a_missing_payload_is_drawn() {
        let path = std::env::temp_dir().join(format!("phasecube-draw-{}", std::process::id()));
        std::fs::write(&path, "1,2,\n3,4\n5,6,AB\n").unwrap();
        let pattern = format!("file:{}", path.display());
        let messages = drawn_messages(&["--pattern", &pattern, "--payload", "2"]);
        std::fs::remove_file(&path).unwrap();
        let payloads: Vec<Vec<u8>> =
            messages.unwrap().into_iter().map(|message| message.payload).collect();
        assert_eq!(payloads, [vec![], vec![0x21, 0xA8], vec![0xAB]]);
    }
}

#[cfg(test)]
mod look_tests {
    use super::*;

    #[test]
    fn times_are_phases_or_superframes() {
        assert_eq!(parse_time("12").unwrap(), LookTime::Phase(12));
        assert_eq!(parse_time("3s").unwrap(), LookTime::Superframe(3));
        assert!(parse_time("s").is_err());
        assert!(parse_time("3x").unwrap_err().to_string().contains("accepted"));
    }
}
