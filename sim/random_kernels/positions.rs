//! Positions in a word: numbers known at generation, or `.index()` of a word.

use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::types::WordWidth;

pub struct WordPosition {
    pub text: String,
    /// Its value depends on signals.
    pub dynamic: bool,
    /// Its value is a loop index.
    pub counted: bool,
    /// Its largest possible value.
    pub max: usize,
}

impl KernelGenerator<'_> {
    /// Returns a position in a word. With `before_end` 0, it may be one more than the last.
    pub fn position(&mut self, width: WordWidth, before_end: usize, depth: u32) -> WordPosition {
        let max = self.narrowest(width) - before_end;
        if self.dice.one_in(2) {
            if let Some((text, bits)) = self.index(max, depth) {
                return WordPosition { text, dynamic: true, counted: false, max: (1 << bits) - 1 };
            }
        }
        let counts = self.scope.counts.iter().filter(|c| c.max <= max);
        let counts: Vec<_> = counts.cloned().collect();
        if !counts.is_empty() && !self.dice.one_in(4) {
            let count = &counts[self.dice.below(counts.len())];
            let rest = max - count.max;
            let text = match rest > 0 && self.dice.one_in(3) {
                true => format!("{} + {}", count.text, self.dice.between(1, rest)),
                false => count.text.clone(),
            };
            return WordPosition { text, dynamic: false, counted: true, max };
        }
        if width == WordWidth::N && self.dice.one_in(2) {
            self.hit("position N - 1");
            return WordPosition { text: "N - 1".into(), dynamic: false, counted: false, max };
        }
        let position = match self.dice.below(8) {
            0 => max,
            1 => 0,
            _ => self.dice.between(0, max * 3 / 4),
        };
        WordPosition { text: position.to_string(), dynamic: false, counted: false, max: position }
    }

    /// Returns `.index()` of a word that is at most `max`, and its number of bits.
    pub fn index(&mut self, max: usize, depth: u32) -> Option<(String, usize)> {
        // The largest number of bits whose values are all at most `max`.
        let most = (max + 1).ilog2() as usize;
        if most == 0 {
            return None;
        }
        let indices = self.scope.indices.iter().filter(|(_, bits)| *bits <= most);
        let indices: Vec<_> = indices.cloned().collect();
        if !indices.is_empty() && self.dice.one_in(2) {
            self.hit("index of let");
            return Some(indices[self.dice.below(indices.len())].clone());
        }
        let most = most.min(32);
        let bits = match self.dice.one_in(3) {
            true => self.dice.between(1, most),
            false => most,
        };
        let word = self.word(WordWidth::Bits(bits), depth.min(2));
        Some((word.call("index", "").text, bits))
    }
}
