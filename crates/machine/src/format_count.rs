//! Formats counts with the noun that they count.

use std::fmt::Display;

/// Formats a count with a noun in the singular or plural: `1 hop`, but `0 hops` and `2 hops`.
pub fn format_count<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Formats a count with a phrase: `1 message lost`, but `2 messages lost`. The phrase `what` begins
/// with the plural of its noun, which ends with an s.
pub fn format_count_phrase(count: u64, what: &str) -> String {
    let (plural, rest) = what.split_at(what.find(' ').unwrap_or(what.len()));
    let singular = plural.strip_suffix('s').filter(|_| count == 1);
    format!("{count} {}{rest}", singular.unwrap_or(plural))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        let phases = [0u32, 1, 2].map(|count| format_count(count, "phase"));
        assert_eq!(phases, ["0 phases", "1 phase", "2 phases"]);
        assert_eq!(format_count(0.5, "message"), "0.5 messages");
    }

    #[test]
    fn one_makes_the_phrase_singular() {
        let lost = [0, 1, 2].map(|count| format_count_phrase(count, "messages lost"));
        assert_eq!(
            lost,
            ["0 messages lost", "1 message lost", "2 messages lost"]
        );
        assert_eq!(format_count_phrase(1, "slips"), "1 slip");
    }
}
