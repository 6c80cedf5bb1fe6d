//! Traffic arguments: the pattern and the parameters that it is drawn from.

use crate::cli::files::OutputTarget;
use crate::cli::CliError;
use anyhow::anyhow;
use clap::Args;
use interconnect::topology::{number, AddressSpace};
use interconnect::traffic::{
    file, ExchangeOrder, MessageList, Recipe, TrafficPattern, PAYLOAD_MAX,
};
use machine::flags::{pattern, FlagChoice, OutputFile};
use std::error::Error;

/// What is sent.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArgs {
    #[arg(
        long,
        value_name = "PATTERN",
        default_value = "permutation",
        value_parser = pattern(),
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
        _ => Err(
            format!("a message cannot carry {bytes} bytes; accepted: 0 to {PAYLOAD_MAX}").into(),
        ),
    }
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
        TrafficLine::try_parse_from([&["test"], args].concat())
            .unwrap()
            .traffic
    }

    fn parse_error(args: &[&str]) -> String {
        TrafficLine::try_parse_from([&["test"], args].concat())
            .unwrap_err()
            .to_string()
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
        let failure = drawn_messages(&["--pattern", "bitrev", "--schedule", "xor"]).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
        assert_eq!(
            failure.to_string(),
            "--schedule orders a total exchange, but the pattern is bitrev; \
             accepted: --pattern total-exchange, or no --schedule"
        );
    }

    #[test]
    fn errors_of_bad_values_list_what_is_accepted() {
        for (args, message) in [
            (
                ["--pattern", "nope"],
                "there is no pattern \"nope\"; accepted: xor:C, ",
            ),
            (
                ["--seed", "one"],
                "\"one\" is not a number; accepted: decimal, ",
            ),
            (
                ["--payload", "79"],
                "a message cannot carry 79 bytes; accepted: 0 to 78",
            ),
            (
                ["--schedule", "greedy"],
                "not implemented; accepted: xor, pairs",
            ),
        ] {
            let error = parse_error(&args);
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_bad_file_is_bad_input() {
        let failure = drawn_messages(&["--pattern", "file:/nowhere/list.csv"]).unwrap_err();
        assert_eq!(failure.exit_code(), 2);
        assert!(failure
            .to_string()
            .starts_with("/nowhere/list.csv: cannot be read: "));
    }

    /// A payload that a file leaves out is drawn. An empty payload stays empty.
    #[test]
    fn a_missing_payload_is_drawn() {
        let path = std::env::temp_dir().join(format!("phasecube-draw-{}", std::process::id()));
        std::fs::write(&path, "1,2,\n3,4\n5,6,AB\n").unwrap();
        let pattern = format!("file:{}", path.display());
        let messages = drawn_messages(&["--pattern", &pattern, "--payload", "2"]);
        std::fs::remove_file(&path).unwrap();
        let payloads: Vec<Vec<u8>> = messages
            .unwrap()
            .into_iter()
            .map(|message| message.payload)
            .collect();
        assert_eq!(payloads, [vec![], vec![0x21, 0xA8], vec![0xAB]]);
    }
}
