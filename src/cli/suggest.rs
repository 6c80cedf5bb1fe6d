//! Suggestions for misspelt commands, flags and values. The parser suggests some itself; this file
//! adds the values of open lists, words in the wrong case, and short words with exchanged letters.

use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};
use std::ffi::OsString;
use strsim::{jaro_winkler, osa_distance};

/// Least similarity of a suggested word.
const SIMILAR: f64 = 0.8;

/// Similarity of words that differ by one letter or by two exchanged letters.
const ONE_TYPO: f64 = 0.9;

/// Letters of the shortest word that is suggested for such a difference.
const SHORTEST: usize = 3;

/// Returns the word that is most similar to a misspelt one. Case does not matter. The arguments of
/// words such as `xor:3` are not compared.
pub fn nearest<S: AsRef<str>>(misspelt: &str, words: impl IntoIterator<Item = S>) -> Option<S> {
    let name = |word: &str| word.split(':').next().unwrap_or(word).to_lowercase();
    let wanted = name(misspelt);
    let similarity = |word: &S| {
        let word = name(word.as_ref());
        let one_typo = word.len() >= SHORTEST && osa_distance(&wanted, &word) == 1;
        let at_least = if one_typo { ONE_TYPO } else { 0.0 };
        jaro_winkler(&wanted, &word).max(at_least)
    };
    let words = words.into_iter().map(|word| (similarity(&word), word));
    let nearest = words.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|(similarity, _)| *similarity >= SIMILAR).map(|(_, word)| word)
}

/// Returns the command that a command line selects. Ends at the first word that is neither a
/// subcommand nor a flag or a value of one, because the parser reads no subcommand after it.
fn selected<'a>(mut command: &'a Command, words: &[OsString]) -> &'a Command {
    let mut values = 0;
    for word in words.iter().skip(1).filter(|word| *word != "help") {
        let text = word.to_string_lossy();
        if text.starts_with('-') {
            values = values_of_flag(command, &text);
        } else if values > 0 {
            values -= 1;
        } else if let Some(subcommand) = command.find_subcommand(word) {
            command = subcommand;
        } else {
            break;
        }
    }
    command
}

/// Returns the maximum number of words that follow a flag as its values.
fn values_of_flag(command: &Command, word: &str) -> usize {
    let mut flags = command.get_arguments();
    let flag = flags.find(|flag| match word.strip_prefix("--") {
        Some(long) => flag.get_long() == Some(long),
        None => flag.get_short().is_some_and(|short| word == format!("-{short}")),
    });
    let flag = flag.filter(|flag| flag.get_action().takes_values());
    let number = |flag: &Arg| flag.get_num_args().map_or(1, |number| number.max_values());
    flag.map_or(0, number)
}

/// Adds a suggestion to an error of the parser, unless it has one. `words` is the command line.
pub fn with_suggestion(mut error: Error, command: &Command, words: &[OsString]) -> Error {
    let command = selected(command, words);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let unknown =
        [ContextKind::InvalidSubcommand, ContextKind::InvalidValue, ContextKind::InvalidArg];
    let unknown = unknown.into_iter().find_map(|kind| Some((kind, text(kind)?)));
    let added = match unknown {
        Some((ContextKind::InvalidSubcommand, name)) => {
            let names = command.get_subcommands().map(Command::get_name);
            let name = nearest(name, names).map(|name| ContextValue::Strings(vec![name.into()]));
            name.map(|name| (ContextKind::SuggestedSubcommand, name))
        }
        Some((ContextKind::InvalidValue, value)) => {
            let argument = text(ContextKind::InvalidArg);
            let mut arguments = command.get_arguments();
            let argument = arguments.find(|a| Some(a.to_string().as_str()) == argument);
            let words = argument.map_or(vec![], Arg::get_possible_values);
            let word = nearest(value, words.iter().map(PossibleValue::get_name));
            word.map(|word| (ContextKind::SuggestedValue, ContextValue::String(word.into())))
        }
        Some((_, flag)) if error.kind() == ErrorKind::UnknownArgument => {
            flag.strip_prefix("--").and_then(|flag| {
                let flags = command.get_arguments().filter(|a| !a.is_hide_set());
                let flag = nearest(flag, flags.filter_map(Arg::get_long))?;
                let flag = ContextValue::String(format!("--{flag}"));
                Some((ContextKind::SuggestedArg, flag))
            })
        }
        _ => None,
    };
    if let Some((kind, word)) = added.filter(|(kind, _)| error.get(*kind).is_none()) {
        error.insert(kind, word);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::{nearest, selected};
    use crate::cli::{command, parse_matches};
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    use clap::{Arg, Command};
    use machine::networks;
    use std::ffi::OsString;

    /// Exchanges the second and the third letter.
    fn misspelt(word: &str) -> Option<String> {
        let mut letters: Vec<char> = word.chars().collect();
        let fits = letters.len() >= 4 && letters[1..3].iter().all(char::is_ascii_alphanumeric);
        if !fits || letters[1] == letters[2] {
            return None;
        }
        letters.swap(1, 2);
        Some(letters.into_iter().collect())
    }

    /// Checks that the error about a command line suggests a word.
    fn assert_suggests(line: &[&str], kind: ContextKind, word: &str) {
        let error = parse_matches(&networks::standard(), line).unwrap_err();
        let suggested = match error.get(kind) {
            Some(ContextValue::String(suggested)) => suggested == word,
            Some(ContextValue::Strings(suggested)) => suggested.iter().any(|s| s == word),
            _ => false,
        };
        assert!(suggested, "{line:?}: {error}");
    }

    /// Checks the commands, the flags and the values of one command. Returns their number.
    fn check(within: &Command, line: &[&str]) -> usize {
        let mut checked = 0;
        let names = |argument: &Arg| {
            let values = argument.get_possible_values().into_iter();
            values.map(|value| value.get_name().to_owned()).collect()
        };
        for sub in within.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            if let Some(wrong) = misspelt(name) {
                let line = [line, &[&*wrong]].concat();
                assert_suggests(&line, ContextKind::SuggestedSubcommand, name);
                checked += 1;
            }
            checked += check(sub, &[line, &[name]].concat());
        }
        for argument in within.get_arguments().filter(|a| !a.is_hide_set()) {
            let flag = argument.get_long().map(|long| format!("--{long}"));
            if let Some(wrong) = argument.get_long().and_then(misspelt) {
                let wrong = format!("--{wrong}");
                let line = [line, &[&*wrong]].concat();
                assert_suggests(&line, ContextKind::SuggestedArg, flag.as_ref().unwrap());
                checked += 1;
            }
            let takes_value = argument.get_action().takes_values();
            let values: Vec<String> = if takes_value { names(argument) } else { vec![] };
            let wrong = |value: &String| {
                let wrong = misspelt(value).filter(|wrong| !values.contains(wrong));
                wrong.map(|wrong| (value.clone(), wrong))
            };
            if let Some((value, wrong)) = values.iter().find_map(wrong) {
                let flag: Vec<&str> = flag.iter().map(|flag| &**flag).collect();
                let line = [line, &flag, &[&*wrong]].concat();
                assert_suggests(&line, ContextKind::SuggestedValue, &value);
                checked += 1;
            }
        }
        checked
    }

    /// Every command, every flag and every closed list of values has suggestions.
    #[test]
    fn every_misspelt_word_gets_a_suggestion() {
        let mut root = command(&networks::standard()).disable_help_subcommand(true);
        root.build();
        assert!(check(&root, &["phasecube"]) > 200);
    }

    /// Commands among the later words do not matter: `route` is also a program.
    #[test]
    fn a_later_word_does_not_select_the_command() {
        for line in [
            "phasecube rnu --dims 4 --firmware route",
            "phasecube --quiet rnu route",
            "phasecube help rnu route",
        ] {
            let line: Vec<&str> = line.split(' ').collect();
            assert_suggests(&line, ContextKind::SuggestedSubcommand, "run");
        }
        let line = ["phasecube", "run", "--firmware", "route", "--dmis", "4"];
        assert_suggests(&line, ContextKind::SuggestedArg, "--dims");
        let mut root = Command::new("a").arg(Arg::new("file").short('f').long("file"));
        root = root.subcommand(Command::new("b"));
        root.build();
        for (line, name) in [
            ("a b", "b"),
            ("a -f b", "a"),
            ("a --file b", "a"),
            ("a --file=b b", "b"),
            ("a -f b b", "b"),
            ("a c b", "a"),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(selected(&root, &words).get_name(), name, "{line}");
        }
    }

    /// An error about a flag that exists suggests no other one.
    #[test]
    fn a_conflict_has_no_suggestion() {
        let line = ["phasecube", "bench", "--sizes", "--monolith", "4"];
        let error = parse_matches(&networks::standard(), line).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
        assert_eq!(error.get(ContextKind::SuggestedArg), None);
    }

    #[test]
    fn suggestions_are_similar_words() {
        for (misspelt, words, word) in [
            ("rnu", &["run", "route"][..], Some("run")),
            ("cr16", &["Crc16", "Uart<8>"], Some("Crc16")),
            ("relaton:3", &["xor:C", "relation:H"], Some("relation:H")),
            ("xr:3", &["xor:C", "relation:H"], Some("xor:C")),
            ("ciubes", &["torus", "tdma"], None),
            ("x", &["up"], None),
        ] {
            assert_eq!(nearest(misspelt, words), word.as_ref(), "{misspelt}");
        }
    }
}
