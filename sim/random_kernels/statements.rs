//! Statements: assignments, `let`, and lists of statements.

use crate::random_kernels::generator::KernelGenerator;
use crate::random_kernels::types::{WordType, WordWidth};

/// Lines of text, indented by nesting.
pub type CodeLines = Vec<String>;

pub fn indented(lines: CodeLines) -> impl Iterator<Item = String> {
    lines.into_iter().map(|line| format!("    {line}"))
}

impl KernelGenerator<'_> {
    /// Returns the depth of an expression. Most are shallow, to limit compile time.
    pub fn depth(&mut self) -> u32 {
        match self.dice.below(24) {
            0..=2 => 0,
            3..=9 => 1,
            10..=17 => 2,
            18..=21 => 3,
            22 => 4,
            _ => 5,
        }
    }

    /// Returns a few statements that assign targets assigned before.
    pub fn statements(&mut self, count: usize, nesting: u32) -> CodeLines {
        (0..count).flat_map(|_| self.statement(nesting)).collect()
    }

    fn statement(&mut self, nesting: u32) -> CodeLines {
        match (self.dice.below(16), nesting) {
            (0..=2, _) => self.binding(),
            (3, _) => self.variable(),
            (4 | 5, _) if !self.scope.variables.is_empty() => self.assign_variable(),
            (8 | 9, 1..) => self.if_statement(nesting - 1, None),
            (10 | 11, 1..) => self.match_statement(nesting - 1, None),
            (12 | 13, 1..) => self.for_statement(nesting - 1),
            (14, 1..) => {
                self.hit("block");
                let inner = self.branch(nesting - 1, None).0;
                let mut lines = vec!["{".to_string()];
                lines.extend(indented(inner));
                lines.push("}".into());
                lines
            }
            _ => self.assign_again().into_iter().collect(),
        }
    }

    /// Returns statements in braces, and the scope at their end. The current scope is unchanged.
    /// `first` is a target that they must assign.
    pub fn branch(
        &mut self,
        nesting: u32,
        first: Option<usize>,
    ) -> (CodeLines, crate::random_kernels::scope::KernelScope) {
        let before = self.scope.clone();
        self.scope.in_branch = true;
        let mut lines = vec![];
        let count = self.dice.pick(&[0, 1, 1, 2]);
        if let Some(target) = first {
            if self.dice.one_in(3) {
                lines.extend(self.binding());
            }
            lines.extend(self.assign_first(target, nesting));
        }
        let at_least = usize::from(first.is_none());
        lines.extend(self.statements(count.max(at_least), nesting));
        (lines, std::mem::replace(&mut self.scope, before))
    }

    /// Assigns an already assigned target, as a whole or one field.
    fn assign_again(&mut self) -> Option<String> {
        let open: Vec<usize> = (0..self.scope.targets.len())
            .filter(|i| self.scope.targets[*i].open && self.scope.targets[*i].assigned)
            .collect();
        if open.is_empty() {
            return None;
        }
        let target = open[self.dice.below(open.len())];
        let t = self.scope.targets[target].clone();
        if let (WordType::Struct(_), true) = (t.ty, self.dice.one_in(2)) {
            let (path, ty) = self.field_of(t.ty);
            let depth = self.depth();
            let value = self.assignable(ty, depth).text;
            return Some(format!("{}.next{path} = {value};", t.text));
        }
        self.hit("assign again");
        let depth = self.depth();
        let value = self.assignable(t.ty, depth).text;
        if t.readable && value.contains(&format!("{}.val()", t.text)) {
            self.hit("assign after read");
            if t.out {
                self.hit("read of own Out");
            }
        }
        Some(format!("{}.next = {value};", t.text))
    }

    /// Returns a field of a struct, `.a` or `.a.b`.
    fn field_of(&mut self, ty: WordType) -> (String, WordType) {
        let WordType::Struct(s) = ty else { unreachable!("only structs have fields") };
        let fields = &self.world.structs[s].fields;
        let (name, ty) = &fields[self.dice.below(fields.len())];
        if let WordType::Struct(_) = ty {
            let (rest, inner) = self.field_of(*ty);
            self.hit("assign field of field");
            return (format!(".{name}{rest}"), inner);
        }
        self.hit("assign field");
        (format!(".{name}"), *ty)
    }

    /// Returns the first assignment of a target, in a form that covers every path.
    pub fn assign_first(&mut self, target: usize, nesting: u32) -> CodeLines {
        let t = self.scope.targets[target].clone();
        let form = match nesting {
            0 => 9,
            _ => self.dice.below(10),
        };
        match (form, t.ty) {
            (0, _) => {
                self.hit("first assigned in if");
                self.if_statement(nesting - 1, Some(target))
            }
            (1, _) => {
                self.hit("first assigned in match");
                self.match_statement(nesting - 1, Some(target))
            }
            (2..=4, WordType::Struct(s)) => {
                self.hit("first assigned by fields");
                self.assign_fields(target, s)
            }
            _ => {
                self.hit("assign");
                let depth = self.depth();
                let value = self.assignable(t.ty, depth).text;
                self.scope.assigned(self.world, target);
                vec![format!("{}.next = {value};", t.text)]
            }
        }
    }

    /// Assigns one field after the other. Each may read the earlier ones.
    fn assign_fields(&mut self, target: usize, s: usize) -> CodeLines {
        let t = self.scope.targets[target].clone();
        let mut fields: Vec<(String, WordType)> = self.world.structs[s].fields.clone();
        self.dice.shuffle(&mut fields);
        let mut lines = vec![];
        let before = self.scope.sources.len();
        for (name, ty) in fields {
            let depth = self.depth();
            let value = self.assignable(ty, depth).text;
            if value.contains(&format!("{}.val()", t.text)) {
                self.hit("field read between field assignments");
            }
            lines.push(format!("{}.next.{name} = {value};", t.text));
            if t.readable {
                let text = format!("{}.val().{name}", t.text);
                self.scope.add_source(self.world, &text, ty, Some(target));
            }
        }
        self.scope.sources.truncate(before);
        self.scope.assigned(self.world, target);
        lines
    }

    /// Returns `let name = ..`, sometimes with a name that is already used.
    pub fn binding(&mut self) -> CodeLines {
        let name = self.dice.pick(&["x", "y", "z", "t", "u", "w"]);
        let depth = self.depth();
        let mut lines = vec![];
        match self.dice.below(11) {
            10 => lines.extend(self.array(name, depth)),
            0 => {
                let max = self.dice.pick(&[1, 7, 31, 63]);
                let (text, bits) = self.index(max, depth).expect("more than a bit");
                self.hit("let of index");
                self.shadow(name);
                self.scope.indices.push((name.into(), bits));
                lines.push(format!("let {name} = {text};"));
            }
            1 => {
                let width = self.any_width();
                let text = self.known_word(width);
                self.hit("let of known word");
                self.shadow(name);
                self.scope.known.push((name.into(), WordType::Bits(width)));
                lines.push(format!("let {name} = {text};"));
            }
            2 => {
                let counts = self.scope.counts.clone();
                let (text, max) = match counts.is_empty() {
                    true => {
                        let number = self.dice.below(12);
                        (format!("{number}_usize"), number)
                    }
                    false => {
                        let count = &counts[self.dice.below(counts.len())];
                        (format!("{} * 2 + 1", count.text), count.max * 2 + 1)
                    }
                };
                self.hit("let of number");
                self.shadow(name);
                let text = format!("let {name} = {text};");
                let name = name.into();
                self.scope
                    .counts
                    .push(crate::random_kernels::scope::KnownNumber { text: name, max });
                lines.push(text);
            }
            _ => {
                let ty = match self.source(|_| true).map(|s| s.ty) {
                    Some(ty) => ty,
                    None => WordType::Bits(WordWidth::Bits(8)),
                };
                let text = self.value(ty, depth).text;
                self.hit("let");
                self.shadow(name);
                self.scope.add_source(self.world, name, ty, None);
                lines.push(format!("let {name} = {text};"));
            }
        }
        if self.scope.in_loop {
            self.hit("let in loop");
        } else if self.scope.in_branch {
            self.hit("let in branch");
        }
        lines
    }

    /// Returns `let mut name = ..`.
    fn variable(&mut self) -> CodeLines {
        let name = self.dice.pick(&["m", "n", "v"]);
        let ty = self.world.any(self.dice, self.n.is_some());
        let depth = self.depth();
        let text = self.value(ty, depth).text;
        self.hit(match self.scope.in_branch {
            true => "let mut in branch",
            false => "let mut",
        });
        self.shadow(name);
        self.scope.add_source(self.world, name, ty, None);
        self.scope.variables.push((name.into(), ty));
        vec![format!("let mut {name} = {text};")]
    }

    fn assign_variable(&mut self) -> CodeLines {
        let at = self.dice.below(self.scope.variables.len());
        let (name, ty) = self.scope.variables[at].clone();
        let depth = self.depth();
        let value = self.assignable(ty, depth).text;
        self.hit(match (self.scope.in_loop, self.scope.in_branch) {
            (true, _) => "variable assigned in loop",
            (_, true) => "variable assigned in branch",
            _ => "variable assigned",
        });
        vec![format!("{name} = {value};")]
    }

    /// Returns `let name = [..];`, and an element of it selected by a word or a number.
    fn array(&mut self, name: &str, depth: u32) -> CodeLines {
        let ty = match self.source(|_| true).map(|s| s.ty) {
            Some(ty) => ty,
            None => WordType::Bits(WordWidth::Bits(8)),
        };
        let length = self.dice.pick(&[1, 2, 3, 4, 5, 8]);
        let elements: Vec<String> = (0..length)
            .map(|_| match (ty, self.dice.below(4)) {
                (WordType::Bits(width), 0) => self.known_word(width),
                _ => self.value(ty, depth.min(2)).text,
            })
            .collect();
        self.hit("let of an array");
        self.shadow(name);
        let mut lines = vec![match self.dice.one_in(8) {
            true => format!("let {name} = [{}; {length}];", elements[0]),
            false => format!("let {name} = [{}];", elements.join(", ")),
        }];
        let at = match self.index(length - 1, depth.min(2)) {
            Some((text, _)) if self.dice.one_in(2) => {
                self.hit("element at a word");
                text
            }
            _ => {
                self.hit("element at a number");
                self.dice.below(length).to_string()
            }
        };
        let element = self.dice.pick(&["e", "g", "h"]);
        self.shadow(element);
        self.scope.add_source(self.world, element, ty, None);
        lines.push(format!("let {element} = {name}[{at}];"));
        for at in 0..length {
            let text = format!("{name}[{at}]");
            self.scope.add_source(self.world, &text, ty, None);
        }
        lines
    }

    /// Hides sources that a new name shadows.
    pub fn shadow(&mut self, name: &str) {
        let before = self.scope.sources.len() + self.scope.indices.len();
        self.scope.shadow(name);
        if self.scope.sources.len() + self.scope.indices.len() < before {
            self.hit("let shadows");
        }
    }
}
