//! `if`, `match` and `for`.

use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::scope::{KernelScope, KnownNumber};
use crate::random_kernels::statements::{indented, CodeLines};
use crate::random_kernels::types::{WordType, WordWidth};

impl KernelGenerator<'_> {
    /// Returns an `if` statement. `first` is a target that all branches must assign.
    pub fn if_statement(&mut self, nesting: u32, first: Option<usize>) -> CodeLines {
        self.hit("if");
        let mut lines = vec![];
        let mut ends: Vec<KernelScope> = vec![];
        let mut head = "if".to_string();
        for i in 0..self.dice.pick(&[1, 1, 1, 2, 2, 3]) {
            if i > 0 {
                self.hit("else if");
            }
            let cond = self.statement_condition();
            let (inner, end) = self.branch(nesting, first);
            lines.push(format!("{head} {cond} {{"));
            lines.extend(indented(inner));
            ends.push(end);
            head = "} else if".into();
        }
        if first.is_some() || self.dice.one_in(2) {
            let (inner, end) = self.branch(nesting, first);
            lines.push("} else {".into());
            lines.extend(indented(inner));
            ends.push(end);
            self.scope.join(self.world, &ends);
        } else {
            self.hit("if without else");
        }
        lines.push("}".into());
        lines
    }

    fn statement_condition(&mut self) -> String {
        if self.dice.one_in(2) {
            if let Some(known) = self.known_condition() {
                self.hit("if known");
                return known;
            }
        }
        let depth = self.depth();
        match self.dice.one_in(16) {
            true => self.one_bit_into(depth).head(),
            false => self.condition(depth),
        }
    }

    /// Returns a `match` statement. `first` is a target that all arms must assign.
    pub fn match_statement(&mut self, nesting: u32, first: Option<usize>) -> CodeLines {
        let enums = self.source(|s| matches!(s.ty, WordType::Enum(_)));
        match (self.dice.below(6), enums) {
            (0..=3, Some(source)) => {
                self.hit("match enum");
                let WordType::Enum(e) = source.ty else { unreachable!("one was requested") };
                let subject = match self.dice.one_in(4) {
                    true => self.value(source.ty, 1).head(),
                    false => source.text,
                };
                let this = &self.world.enums[e];
                let (constant, value) = this.constant.clone();
                let path = |v: &String| format!("{}::{v}", this.name);
                let mut patterns: Vec<String> = this.variants.iter().map(path).collect();
                if self.dice.one_in(2) {
                    self.hit("constant pattern");
                    patterns[value] = constant;
                }
                self.arms(&subject, patterns, true, nesting, first)
            }
            (4, _) => {
                let max = self.dice.pick(&[1, 3, 7]);
                let (subject, bits) = self.index(max, 1).expect("more than a bit");
                self.hit("match index");
                let patterns = (0..1usize << bits).map(|v| v.to_string()).collect();
                self.arms(&subject, patterns, false, nesting, first)
            }
            (5, _) if !self.scope.counts.is_empty() => {
                self.hit("match loop index");
                let count = self.scope.counts[self.dice.below(self.scope.counts.len())].clone();
                let patterns = (0..=count.max.min(4)).map(|v| v.to_string()).collect();
                self.arms(&count.text, patterns, false, nesting, first)
            }
            _ => {
                self.hit("match bool");
                let depth = self.depth();
                let subject = self.bool(depth).head();
                let patterns = vec!["false".into(), "true".into()];
                self.arms(&subject, patterns, true, nesting, first)
            }
        }
    }

    /// Returns `match subject { .. }`. `patterns` are the possible values of the subject. `all` is
    /// true if the compiler knows that they are all.
    fn arms(
        &mut self,
        subject: &str,
        mut patterns: Vec<String>,
        all: bool,
        nesting: u32,
        first: Option<usize>,
    ) -> CodeLines {
        let mut lines = vec![format!("match {subject} {{")];
        let mut ends = vec![];
        let every = patterns.clone();
        self.dice.shuffle(&mut patterns);
        let wild = !all || self.dice.one_in(2);
        let named = match wild {
            true => self.dice.below(patterns.len()),
            false => patterns.len(),
        };
        patterns.truncate(named);
        let guards = self.dice.one_in(3);
        while !patterns.is_empty() {
            let take = self.dice.pick(&[1, 1, 1, 2, 3]).min(patterns.len());
            let mut values: Vec<String> = patterns.drain(..take).collect();
            if self.dice.one_in(8) {
                // An earlier arm may have the same pattern. The first one wins.
                self.hit("arm repeated");
                let i = self.dice.below(every.len());
                values.push(every[i].clone());
            }
            if values.len() > 1 {
                self.hit("or-pattern");
            }
            let pattern = values.join(" | ");
            if guards && self.dice.one_in(2) {
                self.hit("guard");
                let guard = self.condition(2);
                let pattern = match self.dice.one_in(6) {
                    true => "_",
                    false => &pattern,
                };
                self.arm(&format!("{pattern} if {guard}"), nesting, first, &mut lines, &mut ends);
            }
            self.arm(&pattern, nesting, first, &mut lines, &mut ends);
        }
        if wild {
            self.hit("_");
            self.arm("_", nesting, first, &mut lines, &mut ends);
        } else {
            self.hit("no _");
            if guards {
                self.hit("guard, last arm");
            }
        }
        lines.push("}".into());
        self.scope.join(self.world, &ends);
        lines
    }

    fn arm(
        &mut self,
        pattern: &str,
        nesting: u32,
        first: Option<usize>,
        lines: &mut CodeLines,
        ends: &mut Vec<KernelScope>,
    ) {
        if first.is_none() && self.dice.one_in(8) {
            self.hit("empty arm");
            lines.push(format!("    {pattern} => {},", self.dice.pick(&["()", "{}"])));
            ends.push(self.scope.clone());
            return;
        }
        let (inner, end) = self.branch(nesting, first);
        ends.push(end);
        if let ([line], true) = (inner.as_slice(), self.dice.one_in(2)) {
            if let Some(assignment) = line.strip_suffix(';').filter(|l| !l.starts_with("let ")) {
                self.hit("arm without braces");
                lines.push(format!("    {pattern} => {assignment},"));
                return;
            }
        }
        lines.push(format!("    {pattern} => {{"));
        lines.extend(indented(indented(inner).collect()));
        lines.push("    }".into());
    }

    /// Returns a `for` statement over a few numbers. They are marked as `usize`, because Rust would
    /// default to `i32`, which kernels do not support.
    pub fn for_statement(&mut self, nesting: u32) -> CodeLines {
        let (range, max) = match self.dice.below(4) {
            0 => {
                let (from, to) = (self.dice.below(3), self.dice.between(3, 4));
                self.hit("for a..=b");
                (format!("{from}..={to}_usize"), to)
            }
            1 if self.n.is_some() && self.widest(WordWidth::N) <= 8 => {
                self.hit("for to N");
                ("0..N".into(), self.widest(WordWidth::N) - 1)
            }
            _ => {
                let (from, to) = (self.dice.below(3), self.dice.between(3, 5));
                self.hit("for a..b");
                (format!("{from}..{to}_usize"), to - 1)
            }
        };
        // Nested loops would make the body long.
        let nesting = nesting.min(1);
        self.loop_over(&range, max, |g| {
            let count = g.dice.between(1, 2);
            g.statements(count, nesting)
        })
    }

    /// Returns `for i in range { .. }`, where `i` is at most `max`.
    pub fn loop_over(
        &mut self,
        range: &str,
        max: usize,
        body: impl FnOnce(&mut Self) -> CodeLines,
    ) -> CodeLines {
        if self.scope.in_loop {
            self.hit("for nested");
        }
        let name = self.dice.pick(&["i", "j", "k"]);
        let before = self.scope.clone();
        self.scope.in_loop = true;
        self.shadow(name);
        self.scope.counts.push(KnownNumber { text: name.into(), max });
        for (array, after, ty, length) in self.scope.arrays.clone() {
            for offset in 0..2 {
                if max + offset < length {
                    let index = match offset {
                        0 => name.to_string(),
                        _ => format!("{name} + {offset}"),
                    };
                    let text = format!("{array}[{index}]{after}.val()");
                    self.scope.add_source(self.world, &text, ty, None);
                }
            }
        }
        let inner = body(self);
        let end = std::mem::replace(&mut self.scope, before);
        self.scope.join(self.world, &[end]);
        let mut lines = vec![format!("for {name} in {range} {{")];
        lines.extend(indented(inner));
        lines.push("}".into());
        lines
    }
}
