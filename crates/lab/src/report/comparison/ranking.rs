//! Order of the networks by the time that their best machines take for the same messages.

use super::{Comparison, ComparisonRun};

/// Order of the networks for one list of messages, fastest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    pub pattern: String,
    /// Unit of the times: microseconds if all circuits were synthesised, otherwise bit-times.
    pub unit: &'static str,
    /// Best machine of each network, with its time until the last arrival.
    pub places: Vec<(&'static str, f64)>,
}

impl Comparison {
    /// Ranks the best machine of each network for each pattern. Machines that lost messages do not
    /// take part.
    pub fn rankings(&self) -> Vec<Ranking> {
        let by_pattern = self.runs.chunk_by(|a, b| a.pattern == b.pattern);
        by_pattern.map(|runs| self.ranking(runs)).collect()
    }

    fn ranking(&self, runs: &[ComparisonRun]) -> Ranking {
        let whole = || runs.iter().filter(|run| run.lost == 0 && run.wrong == 0);
        let timed = whole().all(|run| run.microseconds.is_some());
        let mut best: Vec<(&str, (&'static str, f64))> = vec![];
        for run in whole() {
            let time = run.microseconds.filter(|_| timed);
            let time = time.unwrap_or(run.bit_times as f64);
            best.push((self.machine(run.machine).network, (run.machine, time)));
        }
        best.sort_by(|a, b| a.1 .1.total_cmp(&b.1 .1));
        let mut seen = vec![];
        best.retain(|(network, _)| {
            let first = !seen.contains(network);
            seen.push(network);
            first
        });
        Ranking {
            pattern: runs[0].pattern.clone(),
            unit: if timed { "us" } else { "bit-times" },
            places: best.into_iter().map(|(_, place)| place).collect(),
        }
    }
}

impl Ranking {
    /// Formats the winner with its time, and the others with the factor by which they are slower.
    pub fn text(&self) -> String {
        let [(first, time), others @ ..] = &self.places[..] else {
            return format!("{}: no machine delivered all messages", self.pattern);
        };
        let decimals = if self.unit == "us" { 2 } else { 0 };
        let mut text =
            format!("{}: {first} is fastest, {time:.decimals$} {}", self.pattern, self.unit);
        let slower = others.iter().map(|(machine, slower)| {
            let factor = slower / time.max(f64::MIN_POSITIVE);
            let decimals = usize::from(factor < 9.95);
            format!("{machine} {factor:.decimals$}")
        });
        if !others.is_empty() {
            text += &format!("; times slower: {}", slower.collect::<Vec<_>>().join(", "));
        }
        text
    }
}
