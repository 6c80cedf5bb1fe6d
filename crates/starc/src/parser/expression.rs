//! Expressions: which values differ between processors, what is read and written, constants.

use super::scope::{SymbolId, SymbolKind};
use super::Parser;
use crate::diagnostic::Rule;
use crate::exchange::Call;
use crate::token::TokenKind;
use crate::types::{self, arithmetic_result, Shape};
use std::ops::Range;

/// Variable, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub symbol: SymbolId,
    /// Indices, if they are constant.
    pub indices: Vec<Option<i64>>,
}

impl Place {
    /// Whether both may be the same part.
    pub fn may_equal(&self, other: &Place) -> bool {
        let mut pairs = self.indices.iter().zip(&other.indices);
        self.symbol == other.symbol && pairs.all(|(a, b)| a.is_none() || b.is_none() || a == b)
    }
}

/// Properties of an expression that the rules need.
#[derive(Clone, Debug)]
pub struct Value {
    pub tokens: Range<usize>,
    /// Whether it differs between processors.
    pub is_parallel: bool,
    pub constant: Option<i64>,
    /// The variable, if the expression is one.
    pub place: Option<Place>,
    pub shape: Option<Shape>,
}

impl Value {
    /// Unknown value that begins at a token.
    pub fn of(begins: usize) -> Self {
        Value {
            tokens: begins..begins,
            is_parallel: false,
            constant: None,
            place: None,
            shape: None,
        }
    }
}

const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

/// Precedence of a binary operator.
fn precedence(operator: &str) -> Option<u32> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

fn compute(operator: &str, a: i64, b: i64) -> Option<i64> {
    let shift = u32::try_from(b).ok().filter(|s| *s < 63);
    Some(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<" => i64::from(a < b),
        ">" => i64::from(a > b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<<" => a.checked_mul(1 << shift?)?,
        ">>" => a >> shift?,
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "*" => a.checked_mul(b)?,
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        _ => return None,
    })
}

fn int() -> Shape {
    types::number("0")
}

/// Integer constant in decimal, hexadecimal, octal or binary.
fn number(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0b" | "0B") => (&text[2..], 2),
        _ if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        _ => (text, 10),
    };
    i64::from_str_radix(digits, radix).ok()
}

impl Parser {
    /// Expression with commas.
    pub fn expression(&mut self) -> Value {
        let mut value = self.assignment();
        while self.is(",") {
            self.at += 1;
            let begins = value.tokens.start;
            value = self.assignment();
            value.tokens.start = begins;
            value.place = None;
        }
        value
    }

    pub fn assignment(&mut self) -> Value {
        let begins = self.at;
        let left = self.conditional();
        let operator = self.peek().text.clone();
        let is_operator = self.peek().kind == TokenKind::Punctuator;
        if !is_operator || !ASSIGNMENTS.contains(&operator.as_str()) {
            return left;
        }
        self.at += 1;
        if operator == "=" {
            self.forget_read(&left);
        }
        let right = self.assignment();
        self.write(&left, right.is_parallel, &right);
        if operator == "=" {
            self.assignment = Some((left.tokens.clone(), right.tokens.clone()));
        }
        Value {
            tokens: begins..self.at,
            is_parallel: right.is_parallel || left.is_parallel,
            constant: None,
            place: None,
            shape: left.shape,
        }
    }

    /// Removes the read of an assigned variable.
    fn forget_read(&mut self, value: &Value) {
        if value.place.is_some() {
            let root = self.root_token(value);
            self.reads.retain(|(_, token)| Some(*token) != root);
        }
    }

    /// Token of the variable in the expression of a place.
    fn root_token(&self, value: &Value) -> Option<usize> {
        let symbol = value.place.as_ref()?.symbol;
        let name = &self.scopes.symbol(symbol).name;
        let mut tokens = value.tokens.clone();
        tokens.find(|at| self.tokens[*at].is_word() && self.tokens[*at].text == *name)
    }

    /// Checks an assignment to a variable.
    fn write(&mut self, left: &Value, right_parallel: bool, right: &Value) {
        let Some(place) = left.place.clone() else {
            return;
        };
        let symbol = self.scopes.symbol_mut(place.symbol);
        symbol.is_assigned = true;
        let (name, declared) = (symbol.name.clone(), symbol.where_depth);
        let token = left.tokens.start;
        self.writes.push((place, token));
        let shape = left.shape.as_ref();
        if shape.is_some_and(|s| s.is_parallel) {
            return;
        }
        if right_parallel {
            let name = self.written(left.tokens.clone());
            self.report_scalar(token, &name, right);
        } else if left.is_parallel {
            let text = self.written(left.tokens.clone());
            self.report(
                token,
                Rule::PvarToScalar,
                format!("{text} is a different part of the scalar {name} on each processor"),
                format!("declare {name} as pvar<T>"),
            );
        } else if self.where_depth > declared {
            self.report(
                token,
                Rule::ScalarInWhere,
                format!("the scalar {name} is modified where only some processors execute"),
                format!("declare {name} as pvar<T>, or modify it outside where"),
            );
        }
    }

    /// Reports a value that differs between processors in a scalar.
    pub fn report_scalar(&mut self, token: usize, name: &str, right: &Value) {
        let text = self.written(right.tokens.clone());
        let combined = match text.starts_with('{') {
            true => String::new(),
            false => format!(", or combine the values, such as reduce_sum({text})"),
        };
        self.report(
            token,
            Rule::PvarToScalar,
            format!("the scalar {name} cannot hold {text}, which differs between processors"),
            format!("declare {name} as pvar<T>{combined}"),
        );
    }

    pub fn conditional(&mut self) -> Value {
        let condition = self.binary(1);
        if !self.is("?") {
            return condition;
        }
        self.at += 1;
        let yes = self.expression();
        self.accept(":");
        let no = self.conditional();
        let constant = match condition.constant {
            Some(0) => no.constant,
            Some(_) => yes.constant,
            None => None,
        };
        Value {
            tokens: condition.tokens.start..self.at,
            is_parallel: condition.is_parallel || yes.is_parallel || no.is_parallel,
            constant,
            place: None,
            shape: match yes.shape == no.shape {
                true => yes.shape,
                false => arithmetic_result(yes.shape.as_ref(), no.shape.as_ref()),
            },
        }
    }

    fn binary(&mut self, least: u32) -> Value {
        let mut left = self.unary();
        loop {
            let operator = self.peek().text.clone();
            let level = match self.peek().kind {
                TokenKind::Punctuator => precedence(&operator),
                _ => None,
            };
            let Some(level) = level.filter(|level| *level >= least) else {
                return left;
            };
            self.at += 1;
            let right = self.binary(level + 1);
            let both = left.constant.zip(right.constant);
            let shape = match level {
                1 | 2 | 6 | 7 => Some(int()),
                // A shift has the type of its left side.
                8 => arithmetic_result(left.shape.as_ref(), Some(&int())),
                _ => arithmetic_result(left.shape.as_ref(), right.shape.as_ref()),
            };
            left = Value {
                tokens: left.tokens.start..self.at,
                is_parallel: left.is_parallel || right.is_parallel,
                constant: both.and_then(|(a, b)| compute(&operator, a, b)),
                place: None,
                shape,
            };
        }
    }

    fn unary(&mut self) -> Value {
        let begins = self.at;
        let operator = self.peek().text.clone();
        let operators = ["++", "--", "&", "*", "+", "-", "~", "!", "&&"];
        if self.is("sizeof") || self.is("_Alignof") {
            return self.size_of();
        }
        if self.peek().kind == TokenKind::Punctuator && operators.contains(&operator.as_str()) {
            self.at += 1;
            let mut value = self.unary();
            match operator.as_str() {
                "++" | "--" => {
                    self.write(&value.clone(), false, &value.clone());
                    value.place = None;
                }
                "&" => {
                    self.forget_read(&value);
                    self.assign(&value);
                    value.place = None;
                    value.shape = None;
                }
                "*" => value.shape = value.shape.map(|s| s.element()),
                "!" => {
                    value.place = None;
                    value.shape = Some(int());
                }
                _ => {
                    value.place = None;
                    value.shape = arithmetic_result(value.shape.as_ref(), Some(&int()));
                }
            }
            value.constant = value.constant.and_then(|c| match operator.as_str() {
                "+" => Some(c),
                "-" => c.checked_neg(),
                "~" => Some(!c),
                "!" => Some(i64::from(c == 0)),
                _ => None,
            });
            value.tokens = begins..self.at;
            return value;
        }
        if self.is("(") && (self.declares(1) || self.is_unknown_cast()) {
            let shape = self.type_name();
            let mut value = match self.is("{") {
                // A compound literal.
                true => self.initial_value(),
                false => self.unary(),
            };
            value.place = None;
            value.shape = Some(shape).filter(|s| s.layout().is_some());
            value.tokens = begins..self.at;
            return value;
        }
        self.postfix()
    }

    /// Whether a cast to a type of an included file begins here.
    fn is_unknown_cast(&self) -> bool {
        let name = self.peek_at(1);
        if !name.is_word() || self.scopes.find(&name.text).is_some() {
            return false;
        }
        let mut end = 2;
        while self.peek_at(end).is("*") {
            end += 1;
        }
        let after = self.peek_at(end + 1);
        let operand = match after.kind {
            TokenKind::Punctuator => ["(", "~", "!"].contains(&after.text.as_str()),
            kind => kind != TokenKind::End,
        };
        self.peek_at(end).is(")") && operand
    }

    /// Marks a variable as assigned, because its address is taken.
    fn assign(&mut self, value: &Value) {
        if let Some(place) = &value.place {
            self.scopes.symbol_mut(place.symbol).is_assigned = true;
        }
    }

    /// Type name in parentheses.
    fn type_name(&mut self) -> Shape {
        self.accept("(");
        let specifiers = self.specifiers();
        let shape = self.declarator(&specifiers).shape;
        self.accept(")");
        shape
    }

    /// `sizeof`, which reads nothing.
    fn size_of(&mut self) -> Value {
        let begins = self.at;
        self.at += 1;
        let reads = self.reads.len();
        let shape = match self.is("(") && self.declares(1) {
            true => Some(self.type_name()),
            false => self.unary().shape,
        };
        self.reads.truncate(reads);
        let size = shape.and_then(|s| s.layout()).map(|l| l.size as i64);
        Value { tokens: begins..self.at, constant: size, ..Value::of(begins) }
    }

    fn postfix(&mut self) -> Value {
        let mut value = self.primary();
        let root = self.at - 1;
        loop {
            if self.is("[") {
                self.at += 1;
                let index = self.expression();
                self.accept("]");
                self.subscript(&mut value, &index);
            } else if self.is(".") || self.is("->") {
                self.at += 1;
                let name = self.peek().text.clone();
                self.skip_token();
                value.shape = value.shape.as_ref().and_then(|s| s.member(&name));
                value.is_parallel |= value.shape.as_ref().is_some_and(|s| s.is_parallel);
            } else if self.is("++") || self.is("--") {
                self.at += 1;
                let before = value.clone();
                self.write(&before, false, &before);
                value.place = None;
            } else if self.is("(") {
                let (parallel, _) = self.arguments();
                value.is_parallel |= parallel;
                value.place = None;
                value.shape = None;
            } else {
                break;
            }
            value.constant = None;
            value.tokens.end = self.at;
        }
        if let Some(place) = value.place.clone() {
            // The token of the variable, so that an assignment can take its read back.
            self.reads.push((place, self.root_token(&value).unwrap_or(root)));
        }
        value
    }

    fn subscript(&mut self, value: &mut Value, index: &Value) {
        let extent = value.shape.as_ref().and_then(|s| s.extents.first().copied().flatten());
        if let (Some(extent), Some(constant)) = (extent, index.constant) {
            if constant < 0 || constant >= extent {
                let text = self.written(value.tokens.clone());
                self.report(
                    index.tokens.start,
                    Rule::OutOfRange,
                    format!("index {constant} is outside {text}, which has {extent} elements"),
                    format!("use an index from 0 to {}", extent - 1),
                );
            }
        }
        value.shape = value.shape.as_ref().map(Shape::element);
        value.is_parallel |= index.is_parallel;
        if let Some(place) = &mut value.place {
            place.indices.push(index.constant);
        }
    }

    /// Arguments of a call, in parentheses. Returns whether one differs between processors.
    fn arguments(&mut self) -> (bool, Vec<Value>) {
        self.accept("(");
        let (mut parallel, mut list) = (false, vec![]);
        while !self.at_end() && !self.accept(")") {
            let before = self.at;
            // Some macros take a type.
            if self.declares(0) && self.scopes.find(&self.peek().text).is_none() {
                let specifiers = self.specifiers();
                self.declarator(&specifiers);
            } else {
                let value = self.assignment();
                parallel |= value.is_parallel;
                list.push(value);
            }
            self.accept(",");
            if self.at == before {
                self.skip_token();
            }
        }
        (parallel, list)
    }

    fn primary(&mut self) -> Value {
        let begins = self.at;
        let token = self.peek().clone();
        let mut value = Value::of(begins);
        match token.kind {
            TokenKind::Number => {
                value.constant = number(&token.text);
                value.shape = Some(types::number(&token.text));
            }
            TokenKind::Word if self.peek_at(1).is("(") => return self.call(),
            TokenKind::Word => self.name(&mut value),
            TokenKind::Punctuator if token.text == "(" => {
                self.at += 1;
                if self.is("{") {
                    // A statement expression of GNU C.
                    self.block();
                } else {
                    value = self.expression();
                    // `(x)` is read when it is used.
                    self.forget_read(&value);
                }
                self.accept(")");
                value.tokens = begins..self.at;
                return value;
            }
            TokenKind::Punctuator if [";", ")", "]", "}", ","].contains(&token.text.as_str()) => {
                return value;
            }
            _ => {}
        }
        self.skip_token();
        // Adjacent strings are one.
        while token.kind == TokenKind::Text && self.peek().kind == TokenKind::Text {
            self.skip_token();
        }
        value.tokens = begins..self.at;
        value
    }

    /// Name of a variable or constant.
    fn name(&mut self, value: &mut Value) {
        let text = self.peek().text.clone();
        let Some(id) = self.scopes.find(&text) else {
            return;
        };
        let symbol = self.scopes.symbol(id);
        let round = self.exchange.as_ref().and_then(|e| e.constant(id));
        value.constant = round.or(symbol.constant);
        value.is_parallel = symbol.shape.is_parallel;
        value.shape = Some(symbol.shape.clone());
        if let Some(constant) = round {
            self.constants.insert(self.at, constant);
        } else if symbol.kind == SymbolKind::Variable && symbol.constant.is_none() {
            value.place = Some(Place { symbol: id, indices: vec![] });
        }
    }

    /// Call of a function by its name.
    fn call(&mut self) -> Value {
        let begins = self.at;
        let name = self.peek().text.clone();
        let known = self.scopes.find(&name).map(|id| self.scopes.symbol(id).clone());
        if known.is_none() {
            if let Some(kind) = Call::kind_of(&name) {
                return self.communication(kind);
            }
        }
        self.at += 1;
        let is_own = known.is_some();
        let reads = self.reads.len();
        let (mut parallel, arguments) = self.arguments();
        let mut shape = None;
        if let Some(symbol) = known {
            parallel |= symbol.shape.is_parallel;
            let result = Shape { is_function: false, ..symbol.shape };
            shape = Some(result).filter(|_| symbol.kind == SymbolKind::Function);
        } else if ["pid", "coord", "grid_row", "grid_col"].contains(&name.as_str()) {
            shape = Some(int());
        }
        if !is_own {
            parallel = self.runtime_call(begins, &name, &arguments, parallel, reads);
        }
        Value { tokens: begins..self.at, is_parallel: parallel, shape, ..Value::of(begins) }
    }

    /// Call of a function of the runtime. Returns whether the result differs between processors.
    fn runtime_call(
        &mut self,
        token: usize,
        name: &str,
        arguments: &[Value],
        parallel: bool,
        reads: usize,
    ) -> bool {
        let constant = arguments.first().and_then(|a| a.constant);
        let dims = i64::from(self.options.dims);
        match name {
            "pid" | "coord" | "grid_row" | "grid_col" => {
                self.replace(token, format!("star_{name}"));
                if name == "coord" {
                    self.check_dimension(arguments.first(), dims);
                }
                true
            }
            "led_get" | "star_crc_errors" => {
                self.is_starc = true;
                if name == "star_crc_errors" {
                    self.check_dimension(arguments.first(), dims);
                }
                true
            }
            "host_printf" => {
                self.is_starc = true;
                self.check_print(token, arguments);
                parallel
            }
            "led_set" | "star_clear_errors" | "store_to_host" => {
                self.is_starc = true;
                parallel
            }
            "load_from_host" => {
                self.is_starc = true;
                // An array without &.
                for argument in arguments {
                    self.assign(argument);
                }
                self.reads.truncate(reads);
                parallel
            }
            "star_set_phase_rate" => {
                self.is_starc = true;
                if let Some(rate) = constant.filter(|rate| ![100, 1000, 10_000].contains(rate)) {
                    self.report(
                        arguments[0].tokens.start,
                        Rule::OutOfRange,
                        format!("a phase rate of {rate} Hz does not exist"),
                        "use 100, 1000 or 10000",
                    );
                }
                parallel
            }
            "barrier" => {
                self.replace(token, "star_barrier");
                self.usage.calls = self.usage.calls.max(1);
                self.usage.reductions = true;
                self.check_convergent(token, "barrier()");
                self.check_waited(token, "barrier()");
                false
            }
            "exchange_wait" => {
                self.replace(token, "star_ex_wait");
                self.check_convergent(token, "exchange_wait()");
                self.pending = None;
                false
            }
            _ => parallel,
        }
    }

    /// Reports a constant dimension that the machine does not have.
    pub fn check_dimension(&mut self, argument: Option<&Value>, dims: i64) {
        let Some(argument) = argument else { return };
        if let Some(dim) = argument.constant.filter(|d| *d < 0 || *d >= dims) {
            self.report(
                argument.tokens.start,
                Rule::OutOfRange,
                format!("dimension {dim} does not exist in a machine of {dims} dimensions"),
                format!("use a dimension from 0 to {}", dims - 1),
            );
        }
    }

    /// Ends a full expression: records what it read, and checks that no result is read too early.
    pub fn finish_reads(&mut self) {
        for (place, token) in std::mem::take(&mut self.reads) {
            self.check_read(&place, token);
        }
        self.writes.clear();
    }

    /// Records that a variable is read.
    pub fn check_read(&mut self, place: &Place, token: usize) {
        let position = self.position(token);
        let symbol = self.scopes.symbol_mut(place.symbol);
        symbol.read.get_or_insert(position);
        let name = symbol.name.clone();
        let early = self
            .pending
            .as_ref()
            .is_some_and(|(_, results)| results.iter().any(|result| result.may_equal(place)));
        if early {
            self.report(
                token,
                Rule::ReadBeforeWait,
                format!("{name} is a result of exchange_async and is read before exchange_wait()"),
                format!("call exchange_wait() first, or keep the previous value of {name} in another pvar"),
            );
        }
    }
}
