//! Numbers with what they count.

use std::fmt::Display;

/// `1 hop`, but `0 hops` and `2 hops`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_alone() {
        let phases = [0u32, 1, 2].map(|count| counted(count, "phase"));
        assert_eq!(phases, ["0 phases", "1 phase", "2 phases"]);
        assert_eq!(counted(0.5, "message"), "0.5 messages");
    }
}
