//! Expressions of type `Bits<..>`.

use crate::random_kernels::code::{BindingStrength, ExpressionText};
use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::types::{WordType, WordWidth, WIDTHS};

/// Maximum width, in bits, of a word that shifts a word of up to 32 bits to the left. `rust-hdl`
/// first creates a number of the full shifted length in memory, and then cuts it.
const WIDEST_DISTANCE: usize = 10;

impl KernelGenerator<'_> {
    pub fn word(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        if depth == 0 {
            return self.word_leaf(width);
        }
        match self.widest(width) {
            0..=32 => {}
            33..=64 => self.hit("word over 32"),
            _ => self.hit("word over 64"),
        }
        let depth = depth - 1;
        if self.dice.one_in(12) {
            if let Some(call) = self.function_call(WordType::Bits(width), depth) {
                return call;
            }
        }
        let code = match self.dice.below(19) {
            16 => self.product(width, depth),
            17 | 18 => self.signed(width, depth),
            0..=6 => self.arithmetic(width, depth),
            7 => {
                self.hit("!a");
                self.word(width, depth).not()
            }
            8 | 9 => self.shift(width, depth),
            10 => self.cast(width, depth),
            11 => self.get_bits(width, depth),
            12 => self.replace_bit(width, depth),
            13 => self.choice(width, depth),
            14 => {
                self.hit("word + bool");
                let (word, carry) = (self.word(width, depth), self.bool(depth));
                ExpressionText::binary(word, "+", carry)
            }
            _ => self.word_leaf(width),
        };
        match self.dice.one_in(24) && code.bind != BindingStrength::Tight {
            true => code.parenthesised(),
            false => code,
        }
    }

    fn word_leaf(&mut self, width: WordWidth) -> ExpressionText {
        if !self.dice.one_in(6) {
            if let Some(source) = self.source(|s| s.ty == WordType::Bits(width)) {
                return ExpressionText::tight(source.text);
            }
        }
        let mut source = self.source(|s| s.ty != WordType::Bits(width));
        // Prefers wide sources, because most bits of a widened narrow word are always zero.
        for _ in 0..self.dice.below(4) {
            let other = self.source(|s| s.ty != WordType::Bits(width));
            source = source.into_iter().chain(other).max_by_key(|s| match s.ty {
                WordType::Bits(other) => self.widest(other),
                _ => 1,
            });
        }
        let Some(source) = source else {
            // A function may have only words of this type.
            return ExpressionText::tight(match self.source(|s| s.ty == WordType::Bits(width)) {
                Some(source) => source.text,
                None => self.known_word(width),
            });
        };
        match source.ty {
            WordType::Bits(from) => self.cast_of(width, from, ExpressionText::tight(source.text)),
            ty => {
                self.hit_into(ty);
                let from = WordWidth::Bits(self.world.width(ty));
                self.cast_of(width, from, ExpressionText::tight(source.text).call("into", ""))
            }
        }
    }

    fn cast(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        let from = self.any_width();
        let word = self.word(from, depth);
        self.cast_of(width, from, word)
    }

    fn cast_of(&mut self, to: WordWidth, from: WordWidth, word: ExpressionText) -> ExpressionText {
        match (to, from) {
            (WordWidth::Bits(to), WordWidth::Bits(from)) => {
                self.hit(match to.cmp(&from) {
                    std::cmp::Ordering::Greater => "bit_cast wider",
                    std::cmp::Ordering::Less => "bit_cast narrower",
                    std::cmp::Ordering::Equal => "bit_cast same",
                });
                match (from > 32, to > 32) {
                    (false, true) => self.hit("bit_cast from 32 or less to more"),
                    (true, false) => self.hit("bit_cast from more than 32 to 32 or less"),
                    (true, true) => self.hit("bit_cast between words over 32"),
                    (false, false) => {}
                }
            }
            _ => self.hit("bit_cast with N"),
        }
        let (to, from) = (to.text(), from.text());
        // The type of the argument of `resized` must be known independently.
        if !word.text.contains(".into()") && self.dice.one_in(3) {
            self.hit("resized");
            return word.call(&format!("resized::<{to}>"), "");
        }
        ExpressionText::tight(format!("bit_cast::<{to}, {from}>({})", word.text))
    }

    fn product(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        let (a, b) = (self.any_width(), self.any_width());
        let (a, b) = (self.word(a, depth.min(2)), self.word(b, depth.min(2)));
        // The type of a factor must be known independently.
        if [&a, &b].iter().any(|factor| factor.text.contains(".into()")) {
            return self.word_leaf(width);
        }
        self.hit("a.times(b)");
        a.call(&format!("times::<{}>", width.text()), &b.text)
    }

    /// Returns a signed value as an unsigned word.
    fn signed(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        let form = self.dice.below(7);
        // Products and resized words have factors of any width.
        let from = match form {
            0 | 1 => self.any_width(),
            _ => width,
        };
        let a = self.word(from, depth);
        let other = if form == 1 { self.any_width() } else { width };
        let b = self.word(other, depth.min(2));
        if [&a, &b].iter().any(|word| word.text.contains(".into()")) {
            return self.word_leaf(width);
        }
        let [a, b] = [a, b].map(|word| word.call("to_signed", ""));
        let signed = match form {
            0 => {
                self.hit("signed resized");
                a.call(&format!("resized::<{}>", width.text()), "")
            }
            1 => {
                self.hit("signed times");
                a.call(&format!("times::<{}>", width.text()), &b.text)
            }
            2 => {
                self.hit("-signed");
                ExpressionText { text: format!("-{}", a.text), bind: BindingStrength::Not }
            }
            3 => {
                self.hit("signed op number");
                let (op, number) = (self.dice.pick(&["+", "-"]), self.signed_number(width));
                ExpressionText::binary(a, op, number)
            }
            4 => {
                let (op, name) =
                    self.dice.pick(&[("+", "signed + signed"), ("-", "signed - signed")]);
                self.hit(name);
                ExpressionText::binary(a, op, b)
            }
            5 => {
                self.hit("signed >> number");
                let distance = self.dice.below(self.widest(width) + 3);
                ExpressionText::binary(a, ">>", ExpressionText::tight(distance.to_string()))
            }
            _ => {
                let (op, name) =
                    self.dice.pick(&[("<<", "signed << word"), (">>", "signed >> word")]);
                self.hit(name);
                let by = WordWidth::Bits(self.dice.between(1, 8));
                let by = self.word(by, depth.min(2));
                ExpressionText::binary(a, op, by)
            }
        };
        signed.call("to_unsigned", "")
    }

    /// Returns a number that fits a signed word of every value of the width.
    pub fn signed_number(&mut self, width: WordWidth) -> ExpressionText {
        let number = match self.narrowest(width).min(63) {
            1 => 0,
            bits => self.dice.number(bits - 1),
        };
        ExpressionText::tight(match self.dice.one_in(2) {
            true => format!("({})", -(number as i128) - 1),
            false => number.to_string(),
        })
    }

    fn arithmetic(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        let (op, name) = self.dice.pick(&[
            ("+", "a + b"),
            ("-", "a - b"),
            ("-", "a - b"),
            ("&", "a & b"),
            ("|", "a | b"),
            ("^", "a ^ b"),
        ]);
        self.hit(name);
        let word = self.word(width, depth);
        let (left, right) = match self.dice.below(10) {
            0 | 1 => {
                self.hit("word op number");
                (word, self.number_code(width))
            }
            2 => {
                self.hit("number op word");
                (self.number_code(width), word)
            }
            3 => {
                self.hit("word op bits::<N>(..)");
                (word, ExpressionText::tight(self.known_word(width)))
            }
            4 => {
                self.hit("bits::<N>(..) op word");
                (ExpressionText::tight(self.known_word(width)), word)
            }
            _ => {
                let mut other = self.word(width, depth);
                if other.text == word.text {
                    other = self.word(width, depth);
                }
                (word, other)
            }
        };
        self.binary(left, op, right)
    }

    /// Returns `left op right`. An `if` on the right sometimes has no parentheses.
    pub fn binary(
        &mut self,
        left: ExpressionText,
        op: &str,
        mut right: ExpressionText,
    ) -> ExpressionText {
        if left.bind != BindingStrength::Tight || right.bind != BindingStrength::Tight {
            self.hit("mixed without parentheses");
        }
        if right.bind == BindingStrength::If && self.dice.one_in(3) {
            self.hit("if as operand");
            right.bind = BindingStrength::Tight;
        }
        ExpressionText::binary(left, op, right)
    }

    fn shift(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        let left = self.dice.one_in(2);
        let op = if left { "<<" } else { ">>" };
        let word = self.word(width, depth);
        if self.dice.one_in(2) {
            self.hit(if left { "a << number" } else { "a >> number" });
            let bits = self.widest(width);
            let distance = match self.dice.below(4) {
                0 if self.dice.one_in(2) => self.dice.between(bits, bits + 80),
                _ => self.dice.below(bits / 2 + 1),
            };
            if distance >= bits {
                self.hit("shift by number beyond the width");
            }
            return ExpressionText::binary(word, op, ExpressionText::tight(distance.to_string()));
        }
        self.hit(if left { "a << word" } else { "a >> word" });
        let widest = match left && self.narrowest(width) <= 32 {
            true => WIDEST_DISTANCE,
            false => 64,
        };
        // Mostly shifts by less than the width, so that some bits remain.
        let mut by = match self.dice.one_in(4) {
            true => self.any_width(),
            false => WordWidth::Bits(self.dice.between(1, self.widest(width).ilog2() as usize + 1)),
        };
        while self.widest(by) > widest {
            by = WordWidth::Bits(self.dice.pick(&WIDTHS[..8]));
        }
        let by = self.word(by, depth.min(2));
        ExpressionText::binary(word, op, by)
    }

    fn get_bits(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        let from = self.any_width();
        let (word, position) = (self.word(from, depth), self.position(from, 0, depth));
        let (bits, narrowest) = (self.narrowest(width), self.narrowest(from));
        if position.max + bits > narrowest {
            self.hit("get_bits beyond the word");
        }
        self.hit(match position.dynamic {
            true => "get_bits dynamic",
            false => "get_bits constant",
        });
        word.call(&format!("get_bits::<{}>", width.text()), &position.text)
    }

    fn replace_bit(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        let word = match self.dice.one_in(8) {
            true => {
                self.hit("replace_bit of a known word");
                ExpressionText::tight(self.known_word(width))
            }
            false => self.word(width, depth),
        };
        let position = self.position(width, 1, depth);
        self.hit(match position.dynamic {
            true => "replace_bit dynamic",
            false => "replace_bit constant",
        });
        let bit = match self.dice.below(8) {
            0 => ExpressionText::tight("true"),
            1 => ExpressionText::tight("false"),
            2 => self.one_bit_into(depth),
            _ => self.bool(depth),
        };
        word.call("replace_bit", &format!("{}, {}", position.text, bit.text))
    }

    /// Returns an `if` as a value.
    fn choice(&mut self, width: WordWidth, depth: u32) -> ExpressionText {
        self.hit("if as a value");
        let branch = |g: &mut Self| match g.dice.below(5) {
            0 => g.known_word(width),
            _ => g.word(width, depth).text,
        };
        let mut text = format!("if {} {{ {} }}", self.condition(depth), branch(self));
        if self.dice.one_in(3) {
            self.hit("else if as a value");
            let cond = self.condition(depth.min(1));
            text += &format!(" else if {cond} {{ {} }}", branch(self));
        }
        text += &format!(" else {{ {} }}", self.word(width, depth).text);
        ExpressionText { text, bind: BindingStrength::If }
    }

    /// Returns a number that fits every value of the width. Above 32 bits, `rust-hdl` cuts one that
    /// does not fit.
    pub fn number(&mut self, width: WordWidth) -> String {
        let narrowest = self.narrowest(width);
        let widest = self.widest(width);
        if width == WordWidth::N && narrowest > 2 && self.dice.one_in(4) {
            return "((N - 1) as u64)".into();
        }
        let fits = |max: usize| narrowest >= 64 || max as u64 >> narrowest == 0;
        let counts = self.scope.counts.iter().filter(|c| fits(c.max));
        let counts: Vec<String> = counts.map(|c| c.text.clone()).collect();
        if !counts.is_empty() && self.dice.one_in(2) {
            let count = self.dice.pick(&crate::random_kernels::generator::as_strs(&counts));
            return format!("({count} as u64)");
        }
        if self.dice.one_in(16) {
            self.hit("constant function");
            return format!("parity_of({})", self.dice.below(64));
        }
        let cut = (33..64).contains(&narrowest) && narrowest == widest && self.dice.one_in(4);
        if cut {
            self.hit("number cut to its word");
        }
        let number = self.dice.number(if cut { 64 } else { narrowest.min(64) });
        match self.dice.below(4) {
            0 => format!("{number:#x}"),
            1 => format!("{number:#b}"),
            2 => format!("{number}_u64"),
            _ => format!("{number}"),
        }
    }

    fn number_code(&mut self, width: WordWidth) -> ExpressionText {
        ExpressionText::tight(self.number(width))
    }

    /// Returns a word known at generation.
    pub fn known_word(&mut self, width: WordWidth) -> String {
        let known = self.scope.known.iter();
        let known = known.filter(|(_, ty)| *ty == WordType::Bits(width));
        let known: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
        if !known.is_empty() && self.dice.one_in(2) {
            let name = self.dice.pick(&known).to_string();
            self.hit("known let");
            return name;
        }
        if self.dice.one_in(3) {
            self.hit("to_bits");
            let number = self.dice.number(self.narrowest(width).min(128));
            let suffix = match number {
                0..=0xff if self.dice.one_in(2) => "u8",
                0..=0xffff if self.dice.one_in(2) => "u16",
                0..=0xffff_ffff if self.dice.one_in(2) => "u32",
                0..=0xffff_ffff_ffff_ffff => "u64",
                _ => "u128",
            };
            return format!("{number:#x}_{suffix}.to_bits::<{}>()", width.text());
        }
        format!("bits::<{}>({})", width.text(), self.number(width))
    }
}
