//! Parsers of flag values: one word of a list, or a number within limits. Also holds the flags that
//! commands of several layers share.

use crate::networks::Machine;
use crate::EngineKind;
use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};
use engine::EngineError;
use interconnect::routing::compiled::SweepDirection;
use interconnect::topology::{number, Hypercube, Metacube, Topology};
use interconnect::traffic::{ExchangeOrder, TrafficPattern};
use lockstep::lanes::{Keep, LaneOptions};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::thread;
use thiserror::Error;

// Numbers within limits.

/// Returns a clap parser for a number from `least` to `most`.
pub fn within<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let value = number::parse(text).map_err(|error| error.to_string())?;
        let inside = (least..=most).contains(&value).then_some(value);
        let inside = inside.and_then(|value| T::try_from(value).ok());
        inside.ok_or_else(|| format!("accepted: {least} to {most}"))
    }
}

// Options whose value is one word of a fixed list.

/// Option whose value is one word of a list.
pub trait FlagChoice: Copy + PartialEq + 'static {
    /// Name of the option in error messages, for example `mode of the ejector`.
    const OPTION_NAME: &'static str;
    /// Accepted words, each with its value.
    const ACCEPTED: &'static [(&'static str, Self)];
    /// Words that the design reserves and this version rejects.
    const RESERVED: &'static [&'static str];

    /// Parses a word.
    fn parse(word: &str) -> Result<Self, ChoiceError> {
        if let Some((_, choice)) = Self::ACCEPTED.iter().find(|(ready, _)| *ready == word) {
            return Ok(*choice);
        }
        let words: Vec<&str> = Self::ACCEPTED.iter().map(|(ready, _)| *ready).collect();
        let (what, word, accepted) = (Self::OPTION_NAME, word.to_owned(), words.join(", "));
        Err(if Self::RESERVED.contains(&word.as_str()) {
            ChoiceError::Reserved { what, word, accepted }
        } else {
            ChoiceError::Unknown { what, word, accepted }
        })
    }

    /// Returns the parser for clap, with the errors of [`parse`](Self::parse).
    fn parser() -> impl TypedValueParser<Value = Self>
    where
        Self: Send + Sync,
    {
        let words = Self::ACCEPTED.iter().map(|(word, _)| *word);
        listed(|word: &str| Self::parse(word), words)
    }

    /// Returns the word for this choice.
    fn name(self) -> &'static str {
        let word = Self::ACCEPTED.iter().find(|(_, choice)| *choice == self);
        word.expect("every choice has a word").0
    }
}

/// Parser with words that shells complete and errors suggest. It may accept other values, too. Words
/// with an argument, such as `xor:C`, are only suggested.
#[derive(Clone)]
pub struct ListedParser<P> {
    parser: P,
    words: Vec<&'static str>,
}

/// Adds a list of words to a parser.
pub fn listed<P: TypedValueParser>(
    parser: P,
    words: impl IntoIterator<Item = &'static str>,
) -> ListedParser<P> {
    ListedParser { parser, words: words.into_iter().collect() }
}

impl<P: TypedValueParser> TypedValueParser for ListedParser<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        flag: Option<&Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, flag, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let words = self.words.iter().copied();
        let value = |word: &'static str| PossibleValue::new(word).hide(word.contains(':'));
        Some(Box::new(words.map(value)))
    }
}

impl FlagChoice for ExchangeOrder {
    const OPTION_NAME: &'static str = "schedule";
    const ACCEPTED: &'static [(&'static str, Self)] = &[("xor", Self::Xor), ("pairs", Self::Pairs)];
    const RESERVED: &'static [&'static str] = &["greedy"];
}

impl FlagChoice for SweepDirection {
    const OPTION_NAME: &'static str = "sweep";
    const ACCEPTED: &'static [(&'static str, Self)] = &[("up", Self::Up), ("updown", Self::UpDown)];
    const RESERVED: &'static [&'static str] = &[];
}

/// Reason why a word is rejected. The message lists the accepted words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    #[error("the {what} {word} is reserved and not implemented; accepted: {accepted}")]
    Reserved { what: &'static str, word: String, accepted: String },
    #[error("there is no {what} {word:?}; accepted: {accepted}")]
    Unknown { what: &'static str, word: String, accepted: String },
}

// Selection of the engine: `--engine` and `--threads`.

impl FlagChoice for EngineKind {
    const OPTION_NAME: &'static str = "engine";
    const ACCEPTED: &'static [(&'static str, Self)] = &[
        ("reference", Self::Reference),
        ("evaluator", Self::Evaluator),
        ("lockstep", Self::Lockstep),
        ("verilator", Self::Verilator),
        ("functional", Self::Functional),
    ];
    const RESERVED: &'static [&'static str] = &[];
}

/// Flags that select the engine.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Simulation")]
pub struct EngineFlags {
    /// Engine that runs the circuits: reference (rust-hdl's simulator), evaluator (the netlist),
    /// lockstep (the netlist of one node for all nodes at once, as machine code) or verilator (the
    /// emitted Verilog). functional runs only the programs of a cube, without its circuit, and is
    /// the fastest if most of them wait
    #[arg(long, value_name = "NAME", default_value = "lockstep", value_parser = EngineKind::parser(), hide_possible_values = true)]
    pub engine: EngineKind,

    #[command(flatten)]
    pub lockstep: LockstepFlags,
}

/// Flags of the lockstep engine.
#[derive(Clone, Debug, Args)]
pub struct LockstepFlags {
    /// Threads of the lockstep engine, 1 to 256 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = within::<usize>(1, 256))]
    threads: Option<usize>,
}

impl LockstepFlags {
    pub fn options(&self) -> LaneOptions {
        let all = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        LaneOptions { threads: self.threads.unwrap_or_else(all), ..LaneOptions::default() }
    }
}

impl EngineFlags {
    /// Checks that the engine takes these flags and runs a machine of this size.
    ///
    /// # Errors
    /// If `--threads` is given and the engine has one thread, or as [`EngineKind::check`].
    pub fn check(&self, topology: &dyn Topology) -> Result<(), EngineError> {
        self.check_threads()?;
        Ok(self.engine.check(topology)?)
    }

    /// Checks that the engine takes these flags and runs this machine.
    ///
    /// # Errors
    /// If `--threads` is given and the engine has one thread, or as [`EngineKind::check_machine`].
    pub fn check_machine(&self, machine: &dyn Machine) -> Result<(), EngineError> {
        self.check_threads()?;
        self.engine.check_machine(machine)
    }

    fn check_threads(&self) -> Result<(), EngineError> {
        match self.lockstep.threads {
            Some(_) if self.engine != EngineKind::Lockstep => Err(EngineError::NoModel(
                "--threads: only the lockstep engine has threads; accepted: --engine lockstep, or \
                 no --threads",
            )),
            _ => Ok(()),
        }
    }

    /// Returns the options for an engine that also exposes the internal signals in `keep`.
    pub fn options(&self, keep: Keep) -> LaneOptions {
        LaneOptions { keep, ..self.lockstep.options() }
    }
}

// `--dims`. Each subcommand declares the flag itself because the defaults differ.

/// Parses the dimensions of a cube.
pub fn parse_cube(dims: &str) -> Result<Hypercube, Box<dyn std::error::Error + Send + Sync>> {
    Ok(Hypercube::new(number::parse(dims)?)?)
}

// `--metacube`.

/// Parses the `K,M` of a metacube.
pub fn parse_metacube(text: &str) -> Result<Metacube, String> {
    let numbers = text.split_once(',').and_then(|(k, m)| {
        let number = |text: &str| text.trim().parse().ok();
        Some((number(k)?, number(m)?))
    });
    let (k, m) = numbers.ok_or_else(|| {
        format!("{text:?} is not two numbers; accepted: K,M, such as 2,1 for MC(2,1)")
    })?;
    Metacube::new(k, m).map_err(|e| e.to_string())
}

// Traffic patterns on a command line.

/// Returns a parser of patterns. The path of `file:PATH` may contain bytes that are not UTF-8.
pub fn pattern() -> impl TypedValueParser<Value = TrafficPattern> {
    let parser = OsStringValueParser::new().try_map(|word| TrafficPattern::from_word(&word));
    listed(parser, TrafficPattern::ACCEPTED.split(", "))
}

// Values of flags that name what a command writes.
//
// The type tells outputs from inputs: any other path on the command line is an input.

/// File that a command writes, or `-` for standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile(PathBuf);

/// Directory that a command writes files into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputDir(PathBuf);

impl From<OsString> for OutputFile {
    fn from(name: OsString) -> Self {
        OutputFile(name.into())
    }
}

impl From<OsString> for OutputDir {
    fn from(name: OsString) -> Self {
        OutputDir(name.into())
    }
}

impl Deref for OutputFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Deref for OutputDir {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

// Core of the user: `--core` and `--core-top`.

/// Flags that select a core of the user.
#[derive(Clone, Debug, Default, Args)]
pub struct CoreFlags {
    /// Verilog files of a core with the bus of a node, which replaces the core of the nodes; can be
    /// repeated
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Your own core")]
    pub core: Vec<PathBuf>,

    /// Name of the module of --core [default: the module that no other one contains]
    #[arg(long, value_name = "NAME", requires = "core", help_heading = "Your own core")]
    pub core_top: Option<String>,
}

// `--json`.

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_state_the_limits() {
        let rows = within::<usize>(2, 16);
        assert_eq!((rows("2"), rows("0x10")), (Ok(2), Ok(16)));
        for wrong in ["1", "17", "18446744073709551615"] {
            assert_eq!(rows(wrong), Err("accepted: 2 to 16".to_owned()));
        }
        assert!(rows("-1").unwrap_err().contains("is not a number; accepted: "));
        assert_eq!(within::<u8>(0, 1000)("256"), Err("accepted: 0 to 1000".to_owned()));
    }
}

#[cfg(test)]
mod choice_tests {
    use super::*;
    use crate::networks::tdma::LinkKind;
    use crate::EngineKind;

    fn reads_back<C: FlagChoice + std::fmt::Debug>(choices: &[(&str, C)]) {
        assert_eq!(choices, C::ACCEPTED);
        for &(word, choice) in choices {
            assert_eq!(C::parse(word), Ok(choice));
            assert_eq!(choice.name(), word);
        }
    }

    #[test]
    fn accepted_words_match_the_design() {
        reads_back(&[
            ("reference", EngineKind::Reference),
            ("evaluator", EngineKind::Evaluator),
            ("lockstep", EngineKind::Lockstep),
            ("verilator", EngineKind::Verilator),
            ("functional", EngineKind::Functional),
        ]);
        reads_back(&[("acked", LinkKind::Acked), ("raw", LinkKind::Raw)]);
        reads_back(&[("xor", ExchangeOrder::Xor), ("pairs", ExchangeOrder::Pairs)]);
    }

    #[test]
    fn reserved_and_unknown_words_have_different_errors() {
        assert_eq!(
            LinkKind::parse("Raw").unwrap_err().to_string(),
            "there is no link \"Raw\"; accepted: acked, raw"
        );
        assert_eq!(
            ExchangeOrder::parse("greedy").unwrap_err().to_string(),
            "the schedule greedy is reserved and not implemented; accepted: xor, pairs"
        );
    }
}
