//! The generator of one block, as far as expressions need it.

use crate::random_kernels::code::ExpressionText;
use crate::random_kernels::cover::ConstructCover;
use crate::random_kernels::dice::Dice;
use crate::random_kernels::scope::{KernelScope, ReadableWord};
use crate::random_kernels::types::{WordType, WordWidth, World};

pub struct KernelGenerator<'a> {
    pub dice: &'a mut Dice,
    pub cover: &'a mut ConstructCover,
    pub world: &'a World,
    /// The possible values of the const generic `N`.
    pub n: Option<&'static [usize]>,
    pub scope: KernelScope,
}

impl KernelGenerator<'_> {
    pub fn hit(&mut self, construct: &'static str) {
        self.cover.hit(construct);
    }

    /// Returns the smallest number of bits of a word. `widest` returns the largest.
    pub fn narrowest(&self, width: WordWidth) -> usize {
        match width {
            WordWidth::Bits(width) => width,
            WordWidth::N => self.n.expect("N exists")[0],
        }
    }

    pub fn widest(&self, width: WordWidth) -> usize {
        match width {
            WordWidth::Bits(width) => width,
            WordWidth::N => *self.n.expect("N exists").last().expect("not empty"),
        }
    }

    pub fn source(&mut self, wanted: impl Fn(&ReadableWord) -> bool) -> Option<ReadableWord> {
        let mut fitting: Vec<&ReadableWord> =
            self.scope.sources.iter().filter(|s| wanted(s)).collect();
        if fitting.is_empty() {
            return None;
        }
        // Constants test little, so they are rare.
        let constant = |s: &&ReadableWord| s.text.starts_with("self.fixed");
        if !fitting.iter().all(constant) && !self.dice.one_in(12) {
            fitting.retain(|s| !constant(s));
        }
        // Prefers recently created sources.
        let last = fitting.len() - 1;
        let i = match self.dice.one_in(3) {
            true => last - self.dice.below(fitting.len().min(3)),
            false => self.dice.below(fitting.len()),
        };
        let source = fitting[i].clone();
        match source.depth {
            0 => {}
            1 => self.hit("field"),
            _ => self.hit("field of field"),
        }
        Some(source)
    }

    /// Returns the width of a readable word, of any width.
    pub fn any_width(&mut self) -> WordWidth {
        let source = match self.dice.one_in(4) {
            true => None,
            false => self.source(|s| matches!(s.ty, WordType::Bits(_))),
        };
        match source.map(|s| s.ty) {
            Some(WordType::Bits(width)) => width,
            _ => {
                let ty = self.world.word(self.dice, self.n.is_some());
                let WordType::Bits(width) = ty else { unreachable!("`word` gives words") };
                width
            }
        }
    }

    /// Returns an expression that depends on signals.
    pub fn value(&mut self, ty: WordType, depth: u32) -> ExpressionText {
        if depth > 0 && self.dice.one_in(10) {
            if let Some(call) = self.function_call(ty, depth - 1) {
                return call;
            }
        }
        match ty {
            WordType::Bits(width) => self.word(width, depth),
            WordType::Bool => self.bool(depth),
            WordType::Enum(e) => self.enum_value(e, depth),
            WordType::Struct(_) => self.struct_value(ty, depth),
        }
    }

    /// Returns an expression for the right side of an assignment. It may be a number, a variant or
    /// a conversion whose type comes from the left side.
    pub fn assignable(&mut self, ty: WordType, depth: u32) -> ExpressionText {
        // A constant value tests most where the target is not always assigned.
        if self.scope.in_branch || self.dice.one_in(6) {
            if let Some(code) = self.assignable_fixed(ty) {
                return code;
            }
        }
        match ty {
            WordType::Bits(width) => match self.dice.below(12) {
                0 | 1 => match self.word_by_into(width, depth) {
                    Some(code) => code,
                    None => self.word(width, depth),
                },
                _ => self.word(width, depth),
            },
            WordType::Bool if self.dice.one_in(12) => self.one_bit_into(depth),
            _ => self.value(ty, depth),
        }
    }

    /// Returns a number, `true`, `false` or a variant in some cases.
    fn assignable_fixed(&mut self, ty: WordType) -> Option<ExpressionText> {
        Some(match (ty, self.dice.below(12)) {
            (WordType::Bits(width), 0) => {
                self.hit("number.into()");
                ExpressionText::tight(self.number(width)).call("into", "")
            }
            (WordType::Bits(width), 1) => ExpressionText::tight(self.known_word(width)),
            (WordType::Bool, 0) => ExpressionText::tight(self.dice.one_in(2).to_string()),
            (WordType::Enum(e), 0 | 1) => ExpressionText::tight(self.variant(e)),
            _ => return None,
        })
    }

    /// Returns `.into()` of an expression with exactly this many bits.
    fn word_by_into(&mut self, width: WordWidth, depth: u32) -> Option<ExpressionText> {
        let WordWidth::Bits(bits) = width else {
            return None;
        };
        if bits == 1 && self.dice.one_in(2) {
            self.hit("bool.into()");
            return Some(self.bool(depth.saturating_sub(1)).call("into", ""));
        }
        let world = self.world;
        let fits = |s: &ReadableWord| {
            matches!(s.ty, WordType::Enum(_) | WordType::Struct(_)) && world.width(s.ty) == bits
        };
        let source = self.source(fits)?;
        self.hit_into(source.ty);
        Some(ExpressionText::tight(source.text).call("into", ""))
    }

    pub fn hit_into(&mut self, ty: WordType) {
        self.hit(match ty {
            WordType::Enum(_) => "enum.into()",
            WordType::Struct(_) => "struct.into()",
            _ => "bool.into()",
        });
    }

    /// Returns a `bool` from a `Bits<1>`, where the type is known.
    pub fn one_bit_into(&mut self, depth: u32) -> ExpressionText {
        self.hit("Bits<1>.into()");
        let word = self.word(WordWidth::Bits(1), depth.saturating_sub(1));
        word.call("into", "")
    }

    fn enum_value(&mut self, e: usize, depth: u32) -> ExpressionText {
        let source = self.source(|s| s.ty == WordType::Enum(e));
        if depth > 0 && self.dice.one_in(3) || source.is_none() {
            let cond = self.condition(depth.saturating_sub(1));
            let (a, mut b) = (self.variant(e), self.variant(e));
            if b == a {
                b = self.variant(e);
            }
            if let (true, Some(source)) = (self.dice.one_in(2), source) {
                b = source.text;
            }
            self.hit("if as a value");
            return ExpressionText {
                text: format!("if {cond} {{ {a} }} else {{ {b} }}"),
                bind: crate::random_kernels::code::BindingStrength::If,
            };
        }
        ExpressionText::tight(source.expect("looked for above").text)
    }

    pub fn variant(&mut self, e: usize) -> String {
        let e = &self.world.enums[e];
        let (constant, _) = &e.constant;
        match self.dice.one_in(8) {
            true => constant.clone(),
            false => format!("{}::{}", e.name, self.dice.pick(&as_strs(&e.variants))),
        }
    }

    /// Returns a readable value of this struct, or a choice of two.
    fn struct_value(&mut self, ty: WordType, depth: u32) -> ExpressionText {
        let read = |g: &mut Self| g.source(|s| s.ty == ty).map(|s| s.text);
        let Some(a) = read(self) else {
            return ExpressionText::tight(format!("{}::default()", self.world.text(ty)));
        };
        if depth > 0 && self.dice.one_in(3) {
            let cond = self.condition(depth - 1);
            let b = read(self).expect("there is one");
            self.hit("if as a value");
            return ExpressionText {
                text: format!("if {cond} {{ {a} }} else {{ {b} }}"),
                bind: crate::random_kernels::code::BindingStrength::If,
            };
        }
        ExpressionText::tight(a)
    }
}

pub fn as_strs(strings: &[String]) -> Vec<&str> {
    strings.iter().map(String::as_str).collect()
}
