//! Parser of StarC, which checks the rules of the language while it reads.
//!
//! It is a recursive descent over expanded tokens. It accepts more than C, because the C compiler
//! checks the translation. A token that it cannot use is skipped.

mod declaration;
mod expression;
mod print;
mod scope;
mod statement;

use crate::diagnostic::{Diagnostic, Position, Rule};
use crate::exchange::{Exchange, Usage};
use crate::macros::Expanded;
use crate::token::{Token, TokenKind};
use crate::Options;
pub use expression::{Place, Value};
use scope::Scopes;
pub use scope::SymbolId;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Result of parsing.
pub struct Parsed {
    pub tokens: Vec<Token>,
    pub invocations: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    pub usage: Usage,
    /// Whether the source has anything that is not C.
    pub is_starc: bool,
    /// Whether `main` returns an exit code.
    pub main_returns: bool,
}

/// Function whose body is parsed.
#[derive(Clone, Copy, Debug)]
pub struct CurrentFunction {
    pub is_main: bool,
    pub returns_parallel: bool,
}

pub struct Parser {
    pub tokens: Vec<Token>,
    pub invocations: Vec<String>,
    pub at: usize,
    pub file: String,
    pub options: Options,
    pub scopes: Scopes,
    pub diagnostics: Vec<Diagnostic>,
    reported: HashSet<(Position, Rule)>,
    pub function: Option<CurrentFunction>,
    /// Number of enclosing regions that only some processors execute.
    pub where_depth: usize,
    /// `where_depth` of each enclosing loop.
    loops: Vec<usize>,
    /// Exchange whose statements are parsed.
    pub exchange: Option<Exchange>,
    /// Results of an `exchange_async` until `exchange_wait`, and its place.
    pub pending: Option<(Position, Vec<Place>)>,
    /// Variables that the current expression reads and writes, with their tokens.
    pub reads: Vec<(Place, usize)>,
    pub writes: Vec<(Place, usize)>,
    /// Left and right side of the last simple assignment.
    pub assignment: Option<(Range<usize>, Range<usize>)>,
    /// Tokens that stand for a constant in the current round of an unrolled loop.
    pub constants: HashMap<usize, i64>,
    pub usage: Usage,
    pub is_starc: bool,
    pub main_returns: bool,
}

impl Parser {
    pub fn new(source: Expanded, file: &str, options: Options) -> Self {
        Parser {
            tokens: source.tokens,
            invocations: source.invocations,
            at: 0,
            file: file.to_owned(),
            options,
            scopes: Scopes::new(&options),
            diagnostics: vec![],
            reported: HashSet::new(),
            function: None,
            where_depth: 0,
            loops: vec![],
            exchange: None,
            pending: None,
            reads: vec![],
            writes: vec![],
            assignment: None,
            constants: HashMap::new(),
            usage: Usage::default(),
            is_starc: false,
            main_returns: false,
        }
    }

    pub fn parse(mut self) -> Parsed {
        while !self.at_end() {
            let before = self.at;
            self.external_declaration();
            if self.at == before {
                if self.peek().is("}") {
                    let message = "this } closes nothing";
                    self.report(self.at, Rule::Syntax, message, "remove it, or add a {");
                }
                self.at += 1;
            }
        }
        let never = self.scopes.never_assigned();
        for (position, name) in never {
            self.report_at(
                position,
                Rule::NeverAssigned,
                format!("the pvar {name} is read and never assigned; its value is undefined"),
                format!("assign {name} first, for instance {name} = 0"),
            );
        }
        Parsed {
            tokens: self.tokens,
            invocations: self.invocations,
            diagnostics: self.diagnostics,
            usage: self.usage,
            is_starc: self.is_starc,
            main_returns: self.main_returns,
        }
    }

    pub fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// Token at an offset from the current one. After the last token, the last one.
    pub fn peek_at(&self, offset: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + offset).min(last)]
    }

    pub fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    pub fn is(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    /// Skips a token, if it is this one.
    pub fn accept(&mut self, text: &str) -> bool {
        let accepted = self.is(text);
        if accepted {
            self.at += 1;
        }
        accepted
    }

    /// Skips one token, but not the end of the file.
    pub fn skip_token(&mut self) {
        if !self.at_end() {
            self.at += 1;
        }
    }

    /// Skips brackets and everything in them, if there are any.
    pub fn skip_brackets(&mut self) {
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            match token.text.as_str() {
                _ if token.kind != TokenKind::Punctuator => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                _ => {}
            }
            if depth == 0 && token.kind != TokenKind::Punctuator || self.at_end() {
                return;
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips the rest of a statement and its semicolon. Stops before a closing brace.
    pub fn skip_statement(&mut self) {
        while !self.at_end() && !self.is("}") {
            if self.accept(";") {
                return;
            }
            match self.is("(") || self.is("[") || self.is("{") {
                true => self.skip_brackets(),
                false => self.skip_token(),
            }
        }
    }

    pub fn position(&self, token: usize) -> Position {
        self.tokens[token.min(self.tokens.len() - 1)].position
    }

    pub fn report(
        &mut self,
        token: usize,
        rule: Rule,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) {
        self.report_at(self.position(token), rule, message, correction);
    }

    /// Adds a diagnostic. An unrolled loop is read several times, so the second one of a rule at
    /// the same place is dropped.
    pub fn report_at(
        &mut self,
        position: Position,
        rule: Rule,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) {
        if self.reported.insert((position, rule)) {
            self.diagnostics.push(Diagnostic {
                position,
                rule,
                message: message.into(),
                correction: correction.into(),
            });
        }
    }

    /// Replaces a token in the output.
    pub fn replace(&mut self, token: usize, output: impl Into<String>) {
        self.tokens[token].output = Some(output.into());
        self.is_starc = true;
    }

    /// Text of tokens as C, with the constants of the current round of a loop.
    pub fn render(&self, range: Range<usize>) -> String {
        let mut text = String::new();
        for at in range.clone() {
            let token = &self.tokens[at];
            if at > range.start && !token.lead.is_empty() {
                text.push(' ');
            }
            match self.constants.get(&at) {
                Some(constant) => text += &constant.to_string(),
                None => text += token.output.as_ref().unwrap_or(&token.text).trim(),
            }
        }
        text
    }

    /// Text of tokens in the source.
    pub fn written(&self, range: Range<usize>) -> String {
        let mut text = String::new();
        for at in range.clone() {
            let token = &self.tokens[at];
            if at > range.start && !token.lead.is_empty() {
                text.push(' ');
            }
            text += &token.text;
        }
        text
    }
}
