//! Options whose value is one word of a fixed list.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use interconnect::routing::compiled::SweepDirection;
use interconnect::traffic::ExchangeOrder;
use std::ffi::OsStr;
use std::marker::PhantomData;
use thiserror::Error;

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
            ChoiceError::Reserved {
                what,
                word,
                accepted,
            }
        } else {
            ChoiceError::Unknown {
                what,
                word,
                accepted,
            }
        })
    }

    /// Returns the parser for clap. Shells complete the words from it.
    fn parser() -> ChoiceParser<Self> {
        ChoiceParser(PhantomData)
    }

    /// Returns the word for this choice.
    fn name(self) -> &'static str {
        let word = Self::ACCEPTED.iter().find(|(_, choice)| *choice == self);
        word.expect("every choice has a word").0
    }
}

/// Parser of an option for clap, with the errors of [`FlagChoice::parse`].
pub struct ChoiceParser<C>(PhantomData<fn() -> C>);

impl<C> Clone for ChoiceParser<C> {
    fn clone(&self) -> Self {
        ChoiceParser(PhantomData)
    }
}

impl<C: FlagChoice + Send + Sync> TypedValueParser for ChoiceParser<C> {
    type Value = C;

    fn parse_ref(
        &self,
        command: &Command,
        flag: Option<&Arg>,
        value: &OsStr,
    ) -> Result<C, clap::Error> {
        (|word: &str| C::parse(word)).parse_ref(command, flag, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let words = C::ACCEPTED.iter().map(|(word, _)| *word);
        Some(Box::new(words.map(PossibleValue::new)))
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
    Reserved {
        what: &'static str,
        word: String,
        accepted: String,
    },
    #[error("there is no {what} {word:?}; accepted: {accepted}")]
    Unknown {
        what: &'static str,
        word: String,
        accepted: String,
    },
}

#[cfg(test)]
mod tests {
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
