//! Source lines in which the cores of a machine spend their time.

use crate::program::Symbols;
use crate::programs::{CONTEXT_WORDS, CORE_CONTEXT, CORE_REGISTERS};
use crate::{format_percent, ratio};
use engine::{NodeEngine, NodePortId};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Clock cycles between two samples. The number is prime, so that samples do not follow a loop of the
/// program.
const INTERVAL: u64 = 61;

/// Most lines in the table.
const LISTED: usize = 12;

/// Samples of the awake cores, by address of the instruction.
#[derive(Default)]
pub(super) struct LineProfile {
    context: Option<NodePortId>,
    samples: BTreeMap<u32, u64>,
}

impl LineProfile {
    pub fn new(engine: &mut dyn NodeEngine) -> Self {
        LineProfile { context: engine.signal(CORE_CONTEXT), samples: BTreeMap::new() }
    }

    /// Samples these nodes, if it is time. An engine that cannot read memories has no samples.
    pub fn sample(
        &mut self,
        engine: &mut dyn NodeEngine,
        clock: u64,
        awake: impl Iterator<Item = usize>,
    ) {
        let Some(context) = self.context.filter(|_| clock.is_multiple_of(INTERVAL)) else {
            return;
        };
        for node in awake {
            let word = engine.get(context, node) as usize * CONTEXT_WORDS;
            if let Some(word) = engine.memory_word(CORE_REGISTERS, node, word) {
                *self.samples.entry(word as u32 & !3).or_default() += 1;
            }
        }
    }

    /// Function, source line and samples of each line, the most frequent first.
    fn lines(&self, symbols: &Symbols) -> Vec<(String, Option<String>, u64)> {
        let mut lines = BTreeMap::<_, u64>::new();
        for (address, count) in &self.samples {
            let function = symbols.at(*address).map(|at| at.function.to_owned());
            let function = function.unwrap_or_else(|| "?".into());
            let line = symbols.line(*address).map(|line| line.to_string());
            *lines.entry((function, line)).or_default() += count;
        }
        let lines = lines.into_iter();
        let mut lines: Vec<_> =
            lines.map(|((function, line), count)| (function, line, count)).collect();
        lines.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
        lines
    }

    /// Lines for `--json`.
    pub fn json(&self, symbols: &Symbols) -> Vec<Value> {
        let lines = self.lines(symbols).into_iter();
        lines
            .map(|(function, line, samples)| {
                json!({"function": function, "line": line, "samples": samples})
            })
            .collect()
    }

    /// Table of the lines with the most samples. Empty without samples.
    pub fn text(&self, symbols: &Symbols) -> String {
        let all: u64 = self.samples.values().sum();
        let lines = self.lines(symbols);
        if lines.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "awake time by source line, of {all} samples, one in {INTERVAL} clock cycles\n"
        );
        for (function, line, count) in lines.iter().take(LISTED) {
            let share = format_percent(ratio(*count, all));
            let line = line.as_deref().unwrap_or_default();
            let row = format!("{share:>7}  {function:<24}  {line}");
            text += row.trim_end();
            text.push('\n');
        }
        if lines.len() > LISTED {
            let _ = writeln!(text, "  and {} more lines", lines.len() - LISTED);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_function_are_added() {
        let mut symbols = Symbols::default();
        symbols.insert(0x10, "main");
        symbols.insert(0x40, "serve");
        let samples = BTreeMap::from([(0x14, 1), (0x20, 2), (0x44, 7)]);
        let profile = LineProfile { samples, context: None };
        let text = profile.text(&symbols);
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(rows, [" 70.0 %  serve", " 30.0 %  main"]);
        let json = profile.json(&symbols);
        assert_eq!(json[0], json!({"function": "serve", "line": null, "samples": 7}));
        assert_eq!(LineProfile::default().text(&symbols), "");
    }
}
