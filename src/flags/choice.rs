//! Options whose value is one word of a fixed list.

use thiserror::Error;

/// Option whose value is one word of a list.
pub trait Choice: Copy + PartialEq + 'static {
    /// Name of the option in error messages, for example `mode of the ejector`.
    const WHAT: &'static str;
    /// Accepted words, each with its value.
    const READY: &'static [(&'static str, Self)];
    /// Words that the design reserves and this version rejects.
    const PLANNED: &'static [&'static str];

    /// Parses a word.
    fn parse(word: &str) -> Result<Self, ChoiceError> {
        if let Some((_, choice)) = Self::READY.iter().find(|(ready, _)| *ready == word) {
            return Ok(*choice);
        }
        let words: Vec<&str> = Self::READY.iter().map(|(ready, _)| *ready).collect();
        let (what, word, accepted) = (Self::WHAT, word.to_owned(), words.join(", "));
        Err(if Self::PLANNED.contains(&word.as_str()) {
            ChoiceError::NotYet {
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

    /// Returns the word for this choice.
    fn name(self) -> &'static str {
        let word = Self::READY.iter().find(|(_, choice)| *choice == self);
        word.expect("every choice has a word").0
    }
}

/// Reason why a word is rejected. The message lists the accepted words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    #[error("the {what} {word} is not there yet; accepted: {accepted}")]
    NotYet {
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
    use crate::machine::EngineKind;
    use crate::networks::tdma::Link;
    use crate::traffic::ExchangeOrder;

    fn reads_back<C: Choice + std::fmt::Debug>(choices: &[(&str, C)]) {
        assert_eq!(choices, C::READY);
        for &(word, choice) in choices {
            assert_eq!(C::parse(word), Ok(choice));
            assert_eq!(choice.name(), word);
        }
    }

    #[test]
    fn words_are_those_of_the_design() {
        reads_back(&[
            ("reference", EngineKind::Reference),
            ("evaluator", EngineKind::Evaluator),
            ("lockstep", EngineKind::Lockstep),
            ("verilator", EngineKind::Verilator),
        ]);
        reads_back(&[("acked", Link::Acked), ("raw", Link::Raw)]);
        reads_back(&[("xor", ExchangeOrder::Xor), ("pairs", ExchangeOrder::Pairs)]);
    }

    #[test]
    fn a_planned_word_is_told_from_an_unknown_one() {
        assert_eq!(
            Link::parse("Raw").unwrap_err().to_string(),
            "there is no link \"Raw\"; accepted: acked, raw"
        );
        assert_eq!(
            ExchangeOrder::parse("greedy").unwrap_err().to_string(),
            "the schedule greedy is not there yet; accepted: xor, pairs"
        );
    }
}
