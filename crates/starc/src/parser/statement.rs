//! Statements.

use super::{Parser, Value};
use crate::diagnostic::Rule;
use std::ops::Range;

/// Whether a word begins a statement of C or StarC.
pub fn is_statement_word(word: &str) -> bool {
    const WORDS: [&str; 17] = [
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "return",
        "break",
        "continue",
        "goto",
        "sizeof",
        "where",
        "exchange",
        "exchange_async",
        "asm",
    ];
    WORDS.contains(&word)
}

impl Parser {
    /// Returns true if the next tokens are this word of StarC and `next`, and no variable has the
    /// name of the word.
    pub fn is_star_word(&self, word: &str, next: &str) -> bool {
        self.is(word) && self.peek_at(1).is(next) && self.scopes.find(word).is_none()
    }

    /// Statements in braces.
    pub fn block(&mut self) {
        let begins = self.at;
        if !self.accept("{") {
            return;
        }
        self.scopes.push();
        while !self.at_end() && !self.is("}") {
            let before = self.at;
            self.statement();
            if self.at == before {
                self.skip_token();
            }
        }
        self.scopes.pop();
        if !self.accept("}") {
            self.report(begins, Rule::Syntax, "this { has no }", "add the }");
        }
    }

    pub fn statement(&mut self) {
        if self.is_star_word("where", "(") {
            return self.where_statement();
        }
        for (word, is_async) in [("exchange", false), ("exchange_async", true)] {
            if self.is_star_word(word, "{") {
                return self.exchange_block(is_async);
            }
        }
        match self.peek().text.as_str() {
            "{" => self.block(),
            "if" => self.if_statement(),
            "while" | "switch" => {
                let keyword = self.at;
                self.at += 1;
                let condition = self.condition();
                self.loop_body(keyword, &condition);
            }
            "do" => self.do_statement(),
            "for" => self.for_statement(),
            "case" => {
                self.at += 1;
                self.conditional();
                self.reads.clear();
                self.accept(":");
            }
            "default" if self.peek_at(1).is(":") => self.at += 2,
            "return" => self.return_statement(),
            "break" | "continue" | "goto" => {
                self.leaves_loop();
                self.skip_statement();
            }
            "asm" | "__asm__" | "_Static_assert" => self.skip_statement(),
            _ if self.peek().is_word() && self.peek_at(1).is(":") => self.at += 2,
            _ if self.is_declaration() => self.declaration(),
            _ => {
                if !self.is(";") {
                    self.expression();
                    self.finish_reads();
                }
                self.accept(";");
            }
        }
    }

    /// Condition in parentheses.
    fn condition(&mut self) -> Value {
        self.accept("(");
        let value = self.expression();
        self.finish_reads();
        self.accept(")");
        value
    }

    /// Statement that only some processors execute, if `divergent`.
    fn guarded(&mut self, divergent: bool) {
        self.where_depth += usize::from(divergent);
        self.statement();
        self.where_depth -= usize::from(divergent);
    }

    fn where_statement(&mut self) {
        self.replace(self.at, "if   ");
        self.at += 1;
        self.condition();
        self.guarded(true);
        if self.accept("else") {
            self.guarded(true);
        }
    }

    fn if_statement(&mut self) {
        let keyword = self.at;
        self.at += 1;
        let condition = self.condition();
        let differs = condition.is_parallel;
        if differs {
            self.report_condition(keyword, &condition.tokens, "if");
        }
        self.guarded(differs);
        if self.accept("else") {
            self.guarded(differs);
        }
    }

    fn report_condition(&mut self, keyword: usize, condition: &Range<usize>, word: &str) {
        let text = self.written(condition.clone());
        let correction = match word {
            "if" => format!("write where ({text})"),
            "switch" => format!("write where ({text} == ...) for each case"),
            _ => format!(
                "loop as often as every processor needs, and use where ({text}) in the loop"
            ),
        };
        self.report(
            keyword,
            Rule::DivergentCondition,
            format!("the condition {text} of this {word} differs between processors"),
            correction,
        );
    }

    fn loop_body(&mut self, keyword: usize, condition: &Value) {
        let differs = condition.is_parallel;
        if differs {
            let word = self.tokens[keyword].text.clone();
            self.report_condition(keyword, &condition.tokens, &word);
        }
        self.loops.push(self.where_depth + usize::from(differs));
        self.guarded(differs);
        self.loops.pop();
    }

    fn do_statement(&mut self) {
        let keyword = self.at;
        self.at += 1;
        // The condition follows the body, so it is read first.
        let body = self.at;
        self.diagnose_nothing(|parser| {
            parser.statement();
        });
        self.accept("while");
        let condition = self.condition();
        let end = self.at;
        self.at = body;
        self.loop_body(keyword, &condition);
        self.at = end;
        self.accept(";");
    }

    /// Reads ahead, without diagnostics and other effects.
    fn diagnose_nothing(&mut self, read: impl FnOnce(&mut Self)) {
        let (diagnostics, reported) = (self.diagnostics.clone(), self.reported.clone());
        let (tokens, usage) = (self.tokens.clone(), self.usage.clone());
        let pending = self.pending.clone();
        read(self);
        (self.diagnostics, self.reported) = (diagnostics, reported);
        // Splitting a token does not happen twice, so numbers of tokens stay.
        let outputs = tokens.iter().map(|t| t.output.clone());
        if tokens.len() == self.tokens.len() {
            let outputs: Vec<_> = outputs.collect();
            for (token, output) in self.tokens.iter_mut().zip(outputs) {
                token.output = output;
            }
        }
        (self.usage, self.pending) = (usage, pending);
    }

    fn for_statement(&mut self) {
        let keyword = self.at;
        self.at += 1;
        self.scopes.push();
        self.accept("(");
        if self.is_declaration() {
            self.declaration();
        } else {
            self.optional_expression();
            self.accept(";");
        }
        let condition = self.optional_expression();
        self.accept(";");
        self.optional_expression();
        self.accept(")");
        self.loop_body(keyword, &condition);
        self.scopes.pop();
    }

    fn optional_expression(&mut self) -> Value {
        if self.is(";") || self.is(")") {
            return Value::of(self.at);
        }
        let value = self.expression();
        self.finish_reads();
        value
    }

    /// `break` or `continue`, which some processors execute and others do not.
    fn leaves_loop(&mut self) {
        let Some(depth) = self.loops.last() else {
            return;
        };
        if self.where_depth > *depth {
            let word = self.peek().text.clone();
            self.report(
                self.at,
                Rule::DivergentCondition,
                format!("only some processors execute this {word}, so they loop differently often"),
                "let all processors loop equally often, and use where for the work in the loop",
            );
        }
    }

    fn return_statement(&mut self) {
        let keyword = self.at;
        self.at += 1;
        if !self.is(";") {
            let value = self.expression();
            self.finish_reads();
            let function = self.function.filter(|f| !f.is_main && !f.returns_parallel);
            if value.is_parallel && function.is_some() {
                let text = self.written(value.tokens.clone());
                self.report(
                    keyword,
                    Rule::PvarToScalar,
                    format!("{text} differs between processors, and the function returns a scalar"),
                    "declare the function with the result pvar<T>",
                );
            }
        }
        self.accept(";");
    }
}
