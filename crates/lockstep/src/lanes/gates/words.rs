//! Words as lists of single bits, the least significant first.

use super::{GateGraph, Lit};

pub type LitWord = Vec<Lit>;

impl GateGraph {
    /// Adds two words of equal width and a carry. The sum wraps.
    pub(super) fn add_words(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> LitWord {
        let mut sum = vec![];
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            sum.push(self.xor(differ, carry));
            carry = self.mux(differ, carry, a);
        }
        sum
    }

    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = Lit::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            less = self.mux(differ, b, less);
        }
        less
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: LitWord = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(&same)
    }

    pub(super) fn all(&mut self, bits: &[Lit]) -> Lit {
        self.reduce(bits, Lit::TRUE, GateGraph::and)
    }

    pub(super) fn any(&mut self, bits: &[Lit]) -> Lit {
        self.reduce(bits, Lit::FALSE, GateGraph::or)
    }

    pub(super) fn parity(&mut self, bits: &[Lit]) -> Lit {
        self.reduce(bits, Lit::FALSE, GateGraph::xor)
    }

    fn reduce(&mut self, bits: &[Lit], none: Lit, op: fn(&mut Self, Lit, Lit) -> Lit) -> Lit {
        let bits = bits.iter();
        bits.copied().reduce(|a, b| op(self, a, b)).unwrap_or(none)
    }

    pub(super) fn mux_words(&mut self, cond: Lit, then: &[Lit], otherwise: &[Lit]) -> LitWord {
        let arms = then.iter().zip(otherwise);
        arms.map(|(&t, &o)| self.mux(cond, t, o)).collect()
    }

    /// Shifts `a` by a variable number of bits, to the left if `up` is true. Zeros are shifted in.
    pub(super) fn shift(&mut self, a: &[Lit], by: &[Lit], up: bool) -> LitWord {
        let width = a.len();
        let mut word = a.to_vec();
        // Each higher bit of the amount alone shifts out every bit.
        let stages = by
            .len()
            .min((usize::BITS - (width - 1).leading_zeros()) as usize);
        for (stage, &bit) in by[..stages].iter().enumerate() {
            let distance = 1 << stage;
            let moved: LitWord = (0..width)
                .map(|i| {
                    let from = match up {
                        true => i.checked_sub(distance),
                        false => Some(i + distance).filter(|i| *i < width),
                    };
                    from.map_or(Lit::FALSE, |from| word[from])
                })
                .collect();
            word = self.mux_words(bit, &moved, &word);
        }
        let out = self.any(&by[stages..]);
        word.iter().map(|&bit| self.and(bit, !out)).collect()
    }

    /// Returns the bit at `index`. Every index must be within the word.
    pub(super) fn bit_at(&mut self, value: &[Lit], index: &[Lit]) -> Lit {
        let mut candidates = value[..1 << index.len()].to_vec();
        for &bit in index {
            let pairs = candidates.chunks(2);
            candidates = pairs.map(|pair| self.mux(bit, pair[1], pair[0])).collect();
        }
        candidates[0]
    }

    /// Returns the word with the bit at `index` replaced.
    pub(super) fn replace_bit(&mut self, value: &[Lit], index: &[Lit], new: Lit) -> LitWord {
        let mut here = vec![Lit::TRUE];
        for &bit in index.iter().rev() {
            here = here
                .iter()
                .flat_map(|&prefix| [self.and(prefix, !bit), self.and(prefix, bit)])
                .collect();
        }
        let bits = value.iter().enumerate();
        bits.map(|(i, &old)| match here.get(i) {
            Some(&here) => self.mux(here, new, old),
            None => old,
        })
        .collect()
    }
}
