//! Exchange blocks: their statements and their unrolled loops.
//!
//! * `call`: the communication in them, and its rules;
//! * `rules`: rules about a whole block;
//! * `calls_in_c`: the calls of the runtime that replace a block.

mod call;
mod calls_in_c;
mod rules;

use crate::diagnostic::Rule;
use crate::parser::{Parser, Place, SymbolId, Value};
pub use call::{Call, CallKind};
use std::collections::HashMap;

/// Features of the runtime that the exchanges of a program use.
#[derive(Clone, Debug)]
pub struct Usage {
    /// Most calls in one exchange.
    pub calls: usize,
    pub neighbours: bool,
    pub news: bool,
    pub reductions: bool,
    pub scans: bool,
    pub broadcasts: bool,
    /// An `exchange_async` with neighbours only. Its frames travel while the program computes.
    pub overlaps: bool,
    /// Most bytes across a dimension. `None` if a size is unknown.
    pub payload: Option<u64>,
}

impl Default for Usage {
    fn default() -> Self {
        Usage {
            calls: 0,
            neighbours: false,
            news: false,
            reductions: false,
            scans: false,
            broadcasts: false,
            overlaps: false,
            payload: Some(0),
        }
    }
}

/// Exchange whose statements are parsed.
#[derive(Debug, Default)]
pub struct Exchange {
    is_async: bool,
    /// Calls of the current statement, and of all statements with their lines.
    calls: Vec<Call>,
    all: Vec<Call>,
    /// Variables of unrolled loops.
    variables: HashMap<SymbolId, i64>,
    results: Vec<(Place, usize, usize)>,
    /// Declarations, which outlive the block.
    hoisted: String,
    /// C text before, in and after the communication.
    values: String,
    declared: String,
    after: String,
}

impl Exchange {
    /// Value of the variable of an unrolled loop.
    pub fn constant(&self, id: SymbolId) -> Option<i64> {
        self.variables.get(&id).copied()
    }
}

/// Most rounds of an unrolled loop, and most calls of a block.
const MOST_ROUNDS: usize = 256;

impl Parser {
    /// Returns true if an exchange takes place while the program computes. No value that it sends
    /// depends on a received one.
    fn overlaps(&self, exchange: &Exchange) -> bool {
        let is_neighbour = |call: &Call| matches!(call.kind, CallKind::Neighbour | CallKind::News);
        let can_overlap = exchange.is_async && exchange.all.iter().all(is_neighbour);
        can_overlap && self.options.has_background && self.options.has_answers
    }

    /// Reports communication that some processors do not reach.
    pub fn check_convergent(&mut self, token: usize, what: &str) {
        if self.where_depth > 0 {
            self.report(
                token,
                Rule::DivergentExchange,
                format!("{what} inside a condition that differs between processors: some would not take part"),
                format!("move {what} out of it, and make the data conditional, such as (c) ? x : 0"),
            );
        }
    }

    /// Reports communication before the `exchange_wait()` of an `exchange_async`.
    pub fn check_waited(&mut self, token: usize, what: &str) {
        if self.pending.is_some() {
            self.report(
                token,
                Rule::NotWaited,
                format!("{what} before the exchange_wait() of the previous exchange_async"),
                "call exchange_wait() first",
            );
        }
    }

    /// `exchange { ... }` or `exchange_async { ... }`.
    pub fn exchange_block(&mut self, is_async: bool) {
        let begins = self.at;
        let word = self.peek().text.clone();
        self.check_convergent(begins, &word);
        if self.function.is_some_and(|f| !f.is_main) {
            self.report(
                begins,
                Rule::ExchangeInFunction,
                format!("{word} inside a function: communication belongs to main"),
                "move it to main, and pass the result to the function",
            );
        }
        if self.exchange.is_none() {
            self.check_waited(begins, &word);
        }
        self.at += 1;
        let outer = self.exchange.replace(Exchange { is_async, ..Exchange::default() });
        self.exchange_statements();
        let Some(exchange) = std::mem::replace(&mut self.exchange, outer) else {
            return;
        };
        self.check_exchange(begins, &exchange);
        if is_async {
            let results = exchange.results.iter().map(|(place, ..)| place.clone());
            self.pending = Some((self.position(begins), results.collect()));
        }
        self.replace_block(begins, &exchange);
    }

    /// Statements in braces, each of which communicates.
    fn exchange_statements(&mut self) {
        let begins = self.at;
        self.accept("{");
        while !self.at_end() && !self.is("}") {
            let before = self.at;
            self.exchange_statement();
            if self.at == before {
                self.skip_token();
            }
        }
        if !self.accept("}") {
            self.report(begins, Rule::Syntax, "this { has no }", "add the }");
        }
    }

    fn exchange_statement(&mut self) {
        for word in ["exchange", "exchange_async"] {
            if self.is_star_word(word, "{") {
                self.report(
                    self.at,
                    Rule::NestedExchange,
                    format!("{word} inside another exchange"),
                    "write its statements in the outer block, or end that block first",
                );
                self.at += 1;
                return self.exchange_statements();
            }
        }
        if self.is_star_word("where", "(") {
            self.report(
                self.at,
                Rule::DivergentExchange,
                "where inside an exchange: some processors would not take part",
                "make the data conditional, such as (c) ? x : 0",
            );
            return self.skip_statement_or_block();
        }
        match self.peek().text.as_str() {
            "{" => self.exchange_statements(),
            "for" => self.unrolled_for(),
            "if" => self.constant_if(),
            "while" | "do" => self.cannot_unroll(self.at),
            ";" => self.at += 1,
            _ if self.is_declaration() => self.exchange_declaration(),
            _ => self.communication_statement(),
        }
    }

    /// Skips a statement with a condition and a body.
    fn skip_statement_or_block(&mut self) {
        self.skip_token();
        self.skip_brackets();
        match self.is("{") {
            true => self.skip_brackets(),
            false => self.skip_statement(),
        }
    }

    fn cannot_unroll(&mut self, token: usize) {
        let word = self.tokens[token].text.clone();
        let correction = match word.as_str() {
            "if" => "use a constant condition, or make the data conditional, such as (c) ? x : 0",
            _ => "write for (int d = 0; d < 12; d++) with constants, or put the exchange into the loop",
        };
        self.report(
            token,
            Rule::NotUnrolled,
            format!(
                "this {word} inside an exchange cannot be unrolled when the program is compiled"
            ),
            correction,
        );
        self.at = token;
        self.skip_statement_or_block();
    }

    /// `if` with a constant condition.
    fn constant_if(&mut self) {
        let keyword = self.at;
        self.at += 1;
        self.accept("(");
        let condition = self.expression();
        self.finish_reads();
        self.accept(")");
        let Some(constant) = condition.constant else {
            self.cannot_unroll(keyword);
            if self.accept("else") {
                self.exchange_statement();
            }
            return;
        };
        self.taken_or_skipped(constant != 0);
        if self.accept("else") {
            self.taken_or_skipped(constant == 0);
        }
    }

    fn taken_or_skipped(&mut self, taken: bool) {
        match taken {
            true => self.exchange_statement(),
            false if self.is("{") => self.skip_brackets(),
            false => self.skip_statement(),
        }
    }

    /// `for` whose variable has constant values.
    fn unrolled_for(&mut self) {
        let keyword = self.at;
        self.at += 1;
        self.scopes.push();
        self.accept("(");
        let Some((variable, first)) = self.loop_start() else {
            self.scopes.pop();
            return self.cannot_unroll(keyword);
        };
        let before = self.exchange.as_ref().map_or((0, 0), |e| (e.all.len(), e.results.len()));
        let end = self.loop_rounds(variable, first);
        self.set_variable(variable, None);
        self.constants.clear();
        self.scopes.pop();
        match end {
            Some(end) => self.at = end,
            None => {
                if let Some(exchange) = &mut self.exchange {
                    exchange.all.truncate(before.0);
                    exchange.results.truncate(before.1);
                }
                self.cannot_unroll(keyword);
            }
        }
    }

    /// Reads the body once for each value of the variable. Returns the end of the loop, or `None`
    /// if it cannot be unrolled. The condition begins here.
    fn loop_rounds(&mut self, variable: SymbolId, first: i64) -> Option<usize> {
        let condition = self.at;
        let mut value = first;
        let mut end = None;
        for _ in 0..=MOST_ROUNDS {
            self.set_variable(variable, Some(value));
            self.at = condition;
            let holds = self.expression().constant?;
            self.reads.clear();
            self.accept(";");
            let next = self.loop_step(variable, value)?;
            self.accept(")");
            if holds == 0 {
                if end.is_none() {
                    self.taken_or_skipped(false);
                    end = Some(self.at);
                }
                return end;
            }
            self.exchange_statement();
            end = Some(self.at);
            value = next;
        }
        None
    }

    fn set_variable(&mut self, variable: SymbolId, value: Option<i64>) {
        if let Some(exchange) = &mut self.exchange {
            match value {
                Some(value) => exchange.variables.insert(variable, value),
                None => exchange.variables.remove(&variable),
            };
        }
    }

    /// `int d = 0;` or `d = 0;`.
    fn loop_start(&mut self) -> Option<(SymbolId, i64)> {
        if self.is_declaration() {
            let specifiers = self.specifiers();
            let declarator = self.declarator(&specifiers);
            self.declare(&specifiers, &declarator, declarator.name?);
        } else {
            // The name is in front of the `=`.
            self.at += 1;
        }
        let name = self.tokens[self.at - 1].text.clone();
        let variable = self.scopes.find(&name)?;
        if !self.accept("=") {
            return None;
        }
        let first = self.conditional().constant?;
        self.reads.clear();
        self.accept(";").then_some((variable, first))
    }

    /// Value of the variable in the next round.
    fn loop_step(&mut self, variable: SymbolId, value: i64) -> Option<i64> {
        let name = self.scopes.symbol(variable).name.clone();
        let before = self.is("++") || self.is("--");
        let operator = self.peek_at(usize::from(!before)).text.clone();
        if !self.peek_at(usize::from(before)).is(&name) {
            return None;
        }
        self.at += 2;
        let next = match operator.as_str() {
            "++" => value.checked_add(1),
            "--" => value.checked_sub(1),
            _ => {
                let by = self.conditional().constant?;
                match operator.as_str() {
                    "+=" => value.checked_add(by),
                    "-=" => value.checked_sub(by),
                    "*=" => value.checked_mul(by),
                    "/=" => value.checked_div(by),
                    "<<=" => value.checked_mul(1 << u32::try_from(by).ok().filter(|b| *b < 32)?),
                    ">>=" => Some(value >> u32::try_from(by).ok().filter(|b| *b < 32)?),
                    "=" => Some(by),
                    _ => None,
                }
            }
        };
        self.reads.clear();
        next
    }

    /// Declaration of results. The variables outlive the block.
    fn exchange_declaration(&mut self) {
        let specifiers = self.specifiers();
        loop {
            let begins = self.at;
            let declarator = self.declarator(&specifiers);
            let Some(name) = declarator.name else {
                return self.skip_statement();
            };
            self.declare(&specifiers, &declarator, name);
            let base = self.render(specifiers.tokens.clone());
            let text = format!("{} {};", base.trim(), self.render(declarator.tokens.clone()));
            if let Some(exchange) = &mut self.exchange {
                exchange.hoisted += &text;
            }
            if self.accept("=") {
                // The variable itself is on the left side.
                let id = self.scopes.find(&self.tokens[name].text);
                let place = id.map(|symbol| Place { symbol, indices: vec![] });
                let left = Value {
                    tokens: name..name + 1,
                    is_parallel: declarator.shape.is_parallel,
                    place,
                    shape: Some(declarator.shape.clone()),
                    ..Value::of(name)
                };
                let right = self.assignment();
                if right.is_parallel && !declarator.shape.is_parallel {
                    let text = self.tokens[name].text.clone();
                    self.report_scalar(name, &text, &right);
                }
                if let Some(id) = id {
                    self.scopes.symbol_mut(id).is_assigned = true;
                }
                self.assignment = Some((left.tokens.clone(), right.tokens.clone()));
                self.writes.extend(left.place.clone().map(|place| (place, name)));
                self.finish_statement(name, Some(left.shape.unwrap_or_default()));
            }
            if !self.accept(",") || self.at == begins {
                break;
            }
        }
        self.accept(";");
    }

    /// Statement `RESULT = COMMUNICATION;`.
    fn communication_statement(&mut self) {
        let begins = self.at;
        self.assignment = None;
        // The shape of the left side.
        let left = self.conditional();
        self.reads.clear();
        if let Some(exchange) = &mut self.exchange {
            exchange.calls.clear();
        }
        self.at = begins;
        self.expression();
        self.finish_statement(begins, left.shape);
        self.accept(";");
    }
}
