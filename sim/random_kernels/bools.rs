//! Expressions of type `bool`.

use crate::random_kernels::code::{BindingStrength, ExpressionText};
use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::types::{WordType, WordWidth};

impl KernelGenerator<'_> {
    /// Returns a condition to be written after `if`.
    pub fn condition(&mut self, depth: u32) -> String {
        if self.dice.one_in(8) {
            if let Some(known) = self.known_condition() {
                self.hit("if known as a value");
                return match self.dice.one_in(3) {
                    true => format!(
                        "{known} && {}",
                        self.bool(0).at_least(BindingStrength::Compare).text
                    ),
                    false => known,
                };
            }
        }
        self.bool(depth).head()
    }

    /// Returns a comparison of a loop index.
    pub fn known_condition(&mut self) -> Option<String> {
        if self.scope.counts.is_empty() {
            return None;
        }
        let i = self.dice.below(self.scope.counts.len());
        let count = self.scope.counts[i].clone();
        let op = self.dice.pick(&["==", "!=", "<", ">", "<=", ">="]);
        let number = self.dice.between(0, count.max + 1);
        Some(match self.dice.below(4) {
            0 => format!("{number} {op} {}", count.text),
            1 => format!("{} + 1 {op} {number}", count.text),
            _ => format!("{} {op} {number}", count.text),
        })
    }

    pub fn bool(&mut self, depth: u32) -> ExpressionText {
        if depth == 0 {
            return self.bool_leaf();
        }
        let depth = depth - 1;
        if self.dice.one_in(12) {
            if let Some(call) = self.function_call(WordType::Bool, depth) {
                return call;
            }
        }
        match self.dice.below(17) {
            16 => self.compare_signed(depth),
            0..=3 => self.compare_words(depth),
            4 => self.compare_indices(depth),
            5 => self.compare_others(depth),
            6 | 7 => self.get_bit(depth),
            8 => {
                let name = self.dice.pick(&["all", "any", "xor", "xor"]);
                self.hit(name);
                let width = match name != "xor" && !self.dice.one_in(4) {
                    true => WordWidth::Bits(self.dice.between(1, 4)),
                    false => self.any_width(),
                };
                self.word(width, depth).call(name, "")
            }
            9 => {
                self.hit("!bool");
                self.bool(depth).not()
            }
            10..=12 => {
                let (op, name) = self.dice.pick(&[
                    ("&", "bool & bool"),
                    ("|", "bool | bool"),
                    ("^", "bool ^ bool"),
                    ("&&", "a && b"),
                    ("||", "a || b"),
                    ("==", "bool compared with bool"),
                    ("!=", "bool compared with bool"),
                ]);
                self.hit(name);
                let (a, mut b) = (self.bool(depth), self.bool(depth));
                if a.text == b.text {
                    b = self.bool(depth);
                }
                self.binary(a, op, b)
            }
            13 => {
                self.hit("if as a value");
                let cond = self.condition(depth);
                let (a, b) = (self.bool(depth).text, self.bool(depth).text);
                ExpressionText {
                    text: format!("if {cond} {{ {a} }} else {{ {b} }}"),
                    bind: BindingStrength::If,
                }
            }
            _ => self.bool_leaf(),
        }
    }

    fn bool_leaf(&mut self) -> ExpressionText {
        if let Some(source) = self.source(|s| s.ty == WordType::Bool) {
            if !self.dice.one_in(3) {
                return ExpressionText::tight(source.text);
            }
        }
        self.get_bit(0)
    }

    fn get_bit(&mut self, depth: u32) -> ExpressionText {
        let width = self.any_width();
        let word = self.word(width, depth);
        let position = self.position(width, 1, depth);
        self.hit(match (position.dynamic, position.counted) {
            (true, _) => "get_bit dynamic",
            (false, true) => "get_bit of loop index",
            (false, false) => "get_bit constant",
        });
        word.call("get_bit", &position.text)
    }

    fn compare_signed(&mut self, depth: u32) -> ExpressionText {
        let width = match self.dice.one_in(2) {
            true => WordWidth::Bits(self.dice.between(1, 8)),
            false => self.any_width(),
        };
        let (a, b) = (self.word(width, depth), self.word(width, depth));
        if [&a, &b].iter().any(|word| word.text.contains(".into()")) {
            return self.bool_leaf();
        }
        let op = self.dice.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let [a, b] = [a, b].map(|word| word.call("to_signed", ""));
        let b = match self.dice.one_in(3) {
            true => {
                self.hit("signed compared with number");
                self.signed_number(width)
            }
            false => {
                self.hit("signed compared with signed");
                b
            }
        };
        self.binary(a, op, b)
    }

    fn compare_words(&mut self, depth: u32) -> ExpressionText {
        let (op, name) = self.dice.pick(&[
            ("==", "a == b"),
            ("!=", "a != b"),
            ("<", "a < b"),
            ("<=", "a <= b"),
            (">", "a > b"),
            (">=", "a >= b"),
        ]);
        self.hit(name);
        // Wide words are rarely equal.
        let equality = matches!(op, "==" | "!=");
        let width = match equality && !self.dice.one_in(4) {
            true => WordWidth::Bits(self.dice.between(1, 4)),
            false => self.any_width(),
        };
        let word = self.word(width, depth);
        let (left, right) = match self.dice.below(8) {
            0 | 1 => {
                self.hit("word compared with number");
                (word, ExpressionText::tight(self.number(width)))
            }
            2 => {
                self.hit("number compared with word");
                (ExpressionText::tight(self.number(width)), word)
            }
            3 => {
                self.hit("word compared with bits::<N>(..)");
                (word, ExpressionText::tight(self.known_word(width)))
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

    fn compare_indices(&mut self, depth: u32) -> ExpressionText {
        let op = self.dice.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let max = self.dice.pick(&[1, 3, 7, 7, 15, 255, 0xffff_ffff]);
        let (index, bits) = self.index(max, depth).expect("more than a bit");
        let index = ExpressionText::tight(index);
        let counts: Vec<String> = self.scope.counts.iter().map(|c| c.text.clone()).collect();
        let number = match counts.is_empty() {
            true => (self.dice.number(bits + 1) as u64).to_string(),
            false => self.dice.pick(&crate::random_kernels::generator::as_strs(&counts)).into(),
        };
        let (left, right) = match self.dice.below(3) {
            0 => {
                self.hit("index compared with number");
                (index, ExpressionText::tight(number))
            }
            1 => {
                self.hit("number compared with index");
                (ExpressionText::tight(number), index)
            }
            _ => {
                self.hit("index compared with index");
                let max = self.dice.pick(&[1, 7, 100]);
                let other = self.index(max, depth).expect("more than a bit");
                (index, ExpressionText::tight(other.0))
            }
        };
        ExpressionText::binary(left, op, right)
    }

    fn compare_others(&mut self, depth: u32) -> ExpressionText {
        let op = self.dice.pick(&["==", "!="]);
        let source = self.source(|s| matches!(s.ty, WordType::Enum(_) | WordType::Struct(_)));
        let Some(source) = source else {
            return self.compare_words(depth);
        };
        let left = ExpressionText::tight(source.text);
        match source.ty {
            WordType::Enum(e) if !self.dice.one_in(4) => {
                let variant = ExpressionText::tight(self.variant(e));
                if self.dice.one_in(3) {
                    self.hit("variant compared with enum");
                    return ExpressionText::binary(variant, op, left);
                }
                self.hit("enum compared with variant");
                ExpressionText::binary(left, op, variant)
            }
            ty => {
                self.hit(match ty {
                    WordType::Enum(_) => "enum compared with enum",
                    _ => "struct compared",
                });
                let other = self.source(|s| s.ty == ty).expect("there is one");
                ExpressionText::binary(left, op, ExpressionText::tight(other.text))
            }
        }
    }
}
