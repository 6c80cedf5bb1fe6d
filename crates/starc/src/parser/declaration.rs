//! Declarations: specifiers, declarators, functions, structures.

use super::scope::{Symbol, SymbolKind};
use super::{CurrentFunction, Parser};
use crate::diagnostic::Rule;
use crate::token::{Token, TokenKind};
use crate::types::{self, layout_of_members, Shape, Type, QUALIFIERS, TYPE_WORDS};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Specifiers of a declaration, such as `static const int`.
#[derive(Clone, Debug, Default)]
pub struct Specifiers {
    pub base: Type,
    pub tokens: Range<usize>,
    pub is_typedef: bool,
    pub is_static: bool,
    pub is_extern: bool,
    pub is_const: bool,
}

/// One declared name.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Token of the name.
    pub name: Option<usize>,
    pub shape: Shape,
    pub tokens: Range<usize>,
    parameters: Vec<(usize, Shape)>,
}

/// Words that a declaration may begin with, beside the names of types.
const DECLARING: [&str; 9] = [
    "struct",
    "union",
    "enum",
    "_Static_assert",
    "_Alignas",
    "__attribute__",
    "typeof",
    "__typeof__",
    "__typeof",
];

impl Parser {
    /// Whether a declaration, or the name of a type, begins `offset` tokens from here.
    pub fn declares(&self, offset: usize) -> bool {
        let token = self.peek_at(offset);
        if !token.is_word() {
            return false;
        }
        let name = token.text.as_str();
        if let Some(id) = self.scopes.find(name) {
            return self.scopes.symbol(id).kind == SymbolKind::Typedef;
        }
        let next = self.peek_at(offset + 1);
        TYPE_WORDS.contains(&name)
            || QUALIFIERS.contains(&name)
            || DECLARING.contains(&name)
            || name == "pvar" && next.is("<")
            || types::standard(name).is_some()
    }

    /// Whether a declaration begins here, perhaps with a type from an included file.
    pub fn is_declaration(&self) -> bool {
        if self.declares(0) {
            return true;
        }
        let unknown = |token: &Token| {
            let statement = super::statement::is_statement_word(&token.text);
            token.is_word() && !statement && self.scopes.find(&token.text).is_none()
        };
        if !unknown(self.peek()) {
            return false;
        }
        let mut stars = 0;
        while self.peek_at(1 + stars).is("*") {
            stars += 1;
        }
        let after = self.peek_at(2 + stars);
        let ends = ["=", ";", ",", "["].iter().any(|p| after.is(p)) || stars == 0;
        self.peek_at(1 + stars).is_word() && ends
    }

    /// Declaration or function at file scope.
    pub fn external_declaration(&mut self) {
        if self.accept(";") {
            return;
        }
        if !self.is_declaration() && !self.peek().is_word() {
            return;
        }
        self.declaration();
    }

    /// Declaration, and its semicolon. At file scope also a function.
    pub fn declaration(&mut self) {
        if self.is("_Static_assert") {
            self.skip_statement();
            return;
        }
        let specifiers = self.specifiers();
        if self.accept(";") {
            return;
        }
        let mut first = true;
        loop {
            let declarator = self.declarator(&specifiers);
            let Some(name) = declarator.name else {
                self.skip_statement();
                return;
            };
            self.skip_attributes();
            let is_definition = declarator.shape.is_function && self.is("{");
            if first && is_definition && self.scopes.is_file_scope() {
                self.function(&declarator, name);
                return;
            }
            if first {
                self.place_in_processor(&specifiers, &declarator);
            }
            first = false;
            self.declare(&specifiers, &declarator, name);
            if self.accept("=") {
                self.initialiser(&specifiers, &declarator, name);
            }
            if !self.accept(",") {
                break;
            }
        }
        // The C compiler reports a missing semicolon, at the place where it is missing.
        self.accept(";");
    }

    /// Marks a variable that exists once per processor, when a PC runs all of them.
    fn place_in_processor(&mut self, specifiers: &Specifiers, declarator: &Declarator) {
        let lives_on = specifiers.is_static || self.scopes.is_file_scope();
        let is_variable = !specifiers.is_typedef && !declarator.shape.is_function;
        let constant = specifiers.is_const && !declarator.shape.is_pointer();
        if lives_on && is_variable && !specifiers.is_extern && !constant {
            let first = &mut self.tokens[specifiers.tokens.start];
            let text = first.output.as_ref().unwrap_or(&first.text).trim();
            first.output = Some(format!("STAR_LOCAL {text}"));
        }
    }

    /// Adds a name to the scope.
    pub fn declare(&mut self, specifiers: &Specifiers, declarator: &Declarator, name: usize) {
        let shape = &declarator.shape;
        let kind = match (specifiers.is_typedef, shape.is_function) {
            (true, _) => SymbolKind::Typedef,
            (_, true) => SymbolKind::Function,
            _ => SymbolKind::Variable,
        };
        self.scopes.declare(Symbol {
            name: self.tokens[name].text.clone(),
            kind,
            shape: shape.clone(),
            constant: None,
            where_depth: self.where_depth,
            // A pointer or a structure is not followed.
            is_assigned: specifiers.is_extern || shape.is_pointer(),
            read: None,
        });
    }

    /// Initial value of a variable.
    fn initialiser(&mut self, specifiers: &Specifiers, declarator: &Declarator, name: usize) {
        let text = self.tokens[name].text.clone();
        let id = self.scopes.find(&text);
        let value = self.initial_value();
        self.finish_reads();
        let Some(id) = id else { return };
        self.scopes.symbol_mut(id).is_assigned = true;
        let scalar = !declarator.shape.is_parallel;
        if scalar && specifiers.is_const && !declarator.shape.is_pointer() {
            self.scopes.symbol_mut(id).constant = value.constant;
        }
        if scalar && value.is_parallel {
            self.report_scalar(name, &text, &value);
        }
    }

    /// Value or list in braces.
    pub fn initial_value(&mut self) -> super::Value {
        let begins = self.at;
        if !self.accept("{") {
            return self.assignment();
        }
        let mut all = super::Value::of(begins);
        while !self.at_end() && !self.is("}") {
            let before = self.at;
            // Designators.
            while self.is(".") || self.is("[") {
                match self.accept(".") {
                    true => self.skip_token(),
                    false => self.skip_brackets(),
                }
            }
            self.accept("=");
            all.is_parallel |= self.initial_value().is_parallel;
            self.accept(",");
            if self.at == before {
                self.skip_token();
            }
        }
        self.accept("}");
        all.tokens.end = self.at;
        all
    }

    /// Function with its body.
    fn function(&mut self, declarator: &Declarator, name: usize) {
        let text = self.tokens[name].text.clone();
        let is_main = text == "main";
        let specifiers = Specifiers::default();
        self.declare(&specifiers, declarator, name);
        if is_main {
            self.main_returns = declarator.shape.base.name != "void";
            let output = "star_main";
            let was_starc = self.is_starc;
            self.replace(name, output);
            // `int main` is C.
            self.is_starc = was_starc || !self.main_returns;
        }
        self.function =
            Some(CurrentFunction { is_main, returns_parallel: declarator.shape.is_parallel });
        self.scopes.push();
        for (token, shape) in &declarator.parameters {
            self.scopes.declare(Symbol {
                name: self.tokens[*token].text.clone(),
                kind: SymbolKind::Variable,
                shape: shape.clone(),
                constant: None,
                where_depth: 0,
                is_assigned: true,
                read: None,
            });
        }
        self.block();
        self.scopes.pop();
        if let Some((position, _)) = self.pending.take() {
            self.report_at(
                position,
                Rule::NotWaited,
                "no exchange_wait() ends this exchange_async",
                "add exchange_wait(); after the computation",
            );
        }
        self.function = None;
    }

    pub fn skip_attributes(&mut self) {
        while ["__attribute__", "__asm__", "asm", "_Alignas"].iter().any(|a| self.is(a)) {
            self.skip_token();
            self.skip_brackets();
        }
    }

    /// Specifiers of a declaration, a parameter, a member or a type name.
    pub fn specifiers(&mut self) -> Specifiers {
        let begins = self.at;
        let mut specifiers = Specifiers::default();
        let mut words: Vec<String> = vec![];
        let mut found: Option<Type> = None;
        loop {
            let text = self.peek().text.clone();
            if !self.peek().is_word() {
                break;
            }
            match text.as_str() {
                "typedef" => specifiers.is_typedef = true,
                "static" => specifiers.is_static = true,
                "extern" => specifiers.is_extern = true,
                "const" => specifiers.is_const = true,
                "struct" | "union" | "enum" => {
                    found = Some(self.tagged());
                    continue;
                }
                "__attribute__" | "_Alignas" | "typeof" | "__typeof__" | "__typeof" => {
                    if text.contains("typeof") {
                        found = Some(Type::default());
                    }
                    self.skip_token();
                    self.skip_brackets();
                    continue;
                }
                "pvar" if self.peek_at(1).is("<") && self.scopes.find("pvar").is_none() => {
                    found = Some(self.pvar());
                    continue;
                }
                word if TYPE_WORDS.contains(&word) => words.push(text),
                word if QUALIFIERS.contains(&word) => {}
                // A name. The first is the type, unless there is one.
                _ if found.is_none() && words.is_empty() => {
                    let known = self.scopes.find_kind(&text, SymbolKind::Typedef);
                    let known = known.map(|symbol| symbol.shape.clone());
                    found = Some(match known {
                        Some(shape) => Type {
                            layout: shape.layout(),
                            is_pointer: shape.is_pointer(),
                            is_parallel: shape.is_parallel,
                            ..shape.base
                        },
                        None => {
                            types::standard(&text).unwrap_or(Type { name: text, ..Type::default() })
                        }
                    });
                }
                _ => break,
            }
            self.at += 1;
        }
        if !words.is_empty() {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            found = Some(types::arithmetic(&words));
        }
        specifiers.base = found.unwrap_or_default();
        specifiers.tokens = begins..self.at;
        specifiers
    }

    /// `pvar<T>`. The output keeps T in its columns.
    fn pvar(&mut self) -> Type {
        let begins = self.at;
        self.replace(begins, "    ");
        self.replace(begins + 1, " ");
        self.at += 2;
        let mut inner = self.specifiers().base;
        let mut pointer = inner.is_pointer;
        while self.is("*") || self.is("[") || self.is("(") {
            pointer = true;
            match self.is("*") {
                true => self.skip_token(),
                false => self.skip_brackets(),
            }
        }
        if pointer {
            self.report(
                begins,
                Rule::PvarType,
                "a pvar cannot be a pointer: an address of one processor means nothing on another",
                "exchange the value itself, as pvar<T>; a pointer to a pvar is written pvar<T> *",
            );
        } else if inner.is_parallel {
            self.report(
                begins,
                Rule::PvarType,
                "a pvar cannot contain a pvar: every processor has one value already",
                "remove one pvar<...>",
            );
        }
        if self.is(">>") {
            let mut second = self.tokens[self.at].clone();
            second.text = ">".into();
            second.lead.clear();
            self.tokens[self.at].text = ">".into();
            self.tokens.insert(self.at + 1, second);
        }
        if self.is(">") {
            self.replace(self.at, " ");
            self.at += 1;
        } else {
            let message = "this pvar has no > after its type";
            self.report(begins, Rule::Syntax, message, "write pvar<TYPE>, such as pvar<int>");
        }
        inner.is_parallel = true;
        inner
    }

    /// Structure, union or enumeration, with its members if they are here.
    fn tagged(&mut self) -> Type {
        let kind = self.peek().text.clone();
        self.at += 1;
        let mut packed = false;
        while self.is("__attribute__") {
            let begins = self.at;
            self.skip_attributes();
            packed |= self.written(begins..self.at).contains("packed");
        }
        let tag = (self.peek().is_word()).then(|| self.peek().text.clone());
        if tag.is_some() {
            self.at += 1;
        }
        if !self.is("{") {
            let known = tag.as_ref().and_then(|tag| self.scopes.find_tag(tag));
            return known.cloned().unwrap_or(Type {
                name: format!("{kind} {}", tag.unwrap_or_default()),
                layout: (kind == "enum").then_some(types::Layout { size: 4, align: 4 }),
                ..Type::default()
            });
        }
        self.at += 1;
        // A nameless type is equal to itself only.
        let name = tag.clone().unwrap_or_else(|| format!("at {}", self.at));
        let mut definition = Type { name: format!("{kind} {name}"), ..Type::default() };
        if kind == "enum" {
            self.enumerators();
            definition.layout = Some(types::Layout { size: 4, align: 4 });
        } else {
            let (members, layouts) = self.members();
            let begins = self.at;
            self.skip_attributes();
            packed |= self.written(begins..self.at).contains("packed");
            definition.layout = layout_of_members(&layouts, kind == "union", packed);
            definition.members = Some(Rc::new(members));
        }
        if let Some(tag) = tag {
            self.scopes.declare_tag(&tag, definition.clone());
        }
        definition
    }

    fn enumerators(&mut self) {
        let mut next = Some(0);
        while !self.at_end() && !self.accept("}") {
            let name = self.peek().text.clone();
            self.skip_token();
            if self.accept("=") {
                next = self.conditional().constant;
            }
            self.scopes.declare_constant(&name, next);
            next = next.and_then(|n| n.checked_add(1));
            self.accept(",");
        }
        self.finish_reads();
    }

    /// Members of a structure, up to its closing brace.
    fn members(&mut self) -> (HashMap<String, Shape>, Vec<Option<types::Layout>>) {
        let (mut members, mut layouts) = (HashMap::new(), vec![]);
        while !self.at_end() && !self.accept("}") {
            let before = self.at;
            let specifiers = self.specifiers();
            if self.is(";") {
                // A nameless structure: its members are members of this one.
                let inner = specifiers.base.members.as_deref().cloned();
                members.extend(inner.unwrap_or_default());
                layouts.push(specifiers.base.layout);
            }
            while !self.at_end() && !self.accept(";") {
                let before = self.at;
                let declarator = self.declarator(&specifiers);
                let mut layout = declarator.shape.layout();
                if self.accept(":") {
                    self.conditional();
                    layout = None;
                }
                self.skip_attributes();
                layouts.push(layout);
                if let Some(name) = declarator.name {
                    members.insert(self.tokens[name].text.clone(), declarator.shape);
                }
                self.accept(",");
                if self.at == before {
                    self.skip_token();
                }
            }
            if self.at == before {
                self.skip_token();
            }
        }
        self.reads.clear();
        (members, layouts)
    }

    /// Declarator with its pointers, arrays and parameters.
    pub fn declarator(&mut self, specifiers: &Specifiers) -> Declarator {
        let begins = self.at;
        let mut shape = Shape {
            base: specifiers.base.clone(),
            is_parallel: specifiers.base.is_parallel,
            ..Shape::default()
        };
        loop {
            match self.peek().text.as_str() {
                "*" => shape.pointers += 1,
                "const" | "volatile" | "restrict" | "__restrict" | "_Atomic" => {}
                "__attribute__" => {
                    self.skip_attributes();
                    continue;
                }
                _ => break,
            }
            self.skip_token();
        }
        let mut name = None;
        let mut parameters = vec![];
        let nested = self.is("(") && (self.peek_at(1).is("*") || self.peek_at(1).is("("));
        if nested {
            self.at += 1;
            let inner = self.declarator(specifiers);
            name = inner.name;
            shape.pointers += inner.shape.pointers;
            shape.extents = inner.shape.extents;
            self.accept(")");
        } else if self.peek().kind == TokenKind::Word {
            name = Some(self.at);
            self.at += 1;
        }
        loop {
            if self.is("[") {
                self.at += 1;
                while self.is("static") || self.is("const") {
                    self.at += 1;
                }
                let extent = match self.is("]") {
                    true => None,
                    false => self.expression().constant,
                };
                self.accept("]");
                shape.extents.push(extent);
            } else if self.is("(") {
                let list = self.parameters();
                // A pointer to a function is a variable.
                if !nested {
                    shape.is_function = true;
                    parameters = list;
                }
            } else {
                break;
            }
        }
        Declarator { name, shape, tokens: begins..self.at, parameters }
    }

    /// Parameter list in parentheses. Returns the named parameters.
    fn parameters(&mut self) -> Vec<(usize, Shape)> {
        let mut list = vec![];
        self.accept("(");
        while !self.at_end() && !self.accept(")") {
            let before = self.at;
            if !self.accept("...") {
                let specifiers = self.specifiers();
                let declarator = self.declarator(&specifiers);
                let mut shape = declarator.shape;
                // An array parameter is a pointer of unknown length.
                if let Some(first) = shape.extents.first_mut() {
                    *first = None;
                }
                list.extend(declarator.name.map(|name| (name, shape)));
            }
            self.accept(",");
            if self.at == before {
                self.skip_token();
            }
        }
        list
    }
}
