//! Communication in an exchange, and the rules for its arguments.

use crate::diagnostic::Rule;
use crate::parser::{Parser, Place, Value};
use crate::types::Shape;
use crate::VALUE_BYTES;
use std::ops::Range;

/// Kind of communication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    Neighbour,
    News,
    Reduce(&'static str),
    Scan(&'static str, bool),
    Broadcast,
}

/// One communication in an exchange.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) kind: CallKind,
    /// Tokens of the call, of its first argument if it has two, and of its value.
    pub(super) tokens: Range<usize>,
    pub(super) selector: Option<Range<usize>>,
    pub(super) value: Value,
    /// Constant first argument.
    pub(super) constant: Option<i64>,
    /// Name of a constant direction.
    pub(super) direction: Option<String>,
    /// Variables that the value reads, with their tokens.
    pub(super) inputs: Vec<(Place, usize)>,
}

impl Call {
    /// Kind of communication with this name.
    pub fn kind_of(name: &str) -> Option<CallKind> {
        Some(match name {
            "nbr" => CallKind::Neighbour,
            "news" => CallKind::News,
            "broadcast" => CallKind::Broadcast,
            "reduce_sum" => CallKind::Reduce("SUM"),
            "reduce_min" => CallKind::Reduce("MIN"),
            "reduce_max" => CallKind::Reduce("MAX"),
            "reduce_and" => CallKind::Reduce("AND"),
            "reduce_or" => CallKind::Reduce("OR"),
            "scan_sum" => CallKind::Scan("SUM", true),
            "scan_min" => CallKind::Scan("MIN", true),
            "scan_max" => CallKind::Scan("MAX", true),
            "scan_sum_inclusive" => CallKind::Scan("SUM", false),
            "scan_min_inclusive" => CallKind::Scan("MIN", false),
            "scan_max_inclusive" => CallKind::Scan("MAX", false),
            _ => return None,
        })
    }

    /// Size of the value in bytes, if known.
    pub(super) fn size(&self) -> Option<u64> {
        self.value.shape.as_ref()?.layout().map(|l| l.size)
    }
}

impl Parser {
    pub fn communication(&mut self, kind: CallKind) -> Value {
        let begins = self.at;
        let name = self.peek().text.clone();
        self.is_starc = true;
        if self.exchange.is_none() {
            self.report(
                begins,
                Rule::OutsideExchange,
                format!("{name}() outside an exchange"),
                format!("write exchange {{ result = {name}(...); }} and use the result after it"),
            );
        }
        self.at += 1;
        self.accept("(");
        let nested = self.exchange.as_ref().map_or(0, |e| e.calls.len());
        let mut selector = None;
        let mut direction = None;
        if matches!(kind, CallKind::Neighbour | CallKind::News | CallKind::Broadcast) {
            let word = self.peek().text.clone();
            direction = ["NORTH", "EAST", "SOUTH", "WEST"].contains(&word.as_str()).then_some(word);
            selector = Some(self.assignment());
            self.accept(",");
        }
        let reads = self.reads.len();
        let value = self.assignment();
        let inputs = self.reads[reads..].to_vec();
        if !self.accept(")") {
            self.skip_surplus(begins, kind, &name);
        }
        self.check_selector(kind, selector.as_ref(), direction.as_ref());
        let inner = self.exchange.as_ref().map_or(0, |e| e.calls.len());
        if inner > nested {
            self.report(
                value.tokens.start,
                Rule::ResultAsInput,
                format!("the input of {name}() is a result of the same exchange"),
                "use two exchanges: the second one sends the result of the first",
            );
        }
        let is_parallel = matches!(kind, CallKind::Neighbour | CallKind::News | CallKind::Scan(..));
        let call = Call {
            kind,
            tokens: begins..self.at,
            constant: selector.as_ref().and_then(|s| s.constant),
            selector: selector.map(|s| s.tokens),
            direction,
            value,
            inputs,
        };
        self.check_value(begins, &name, &call);
        let shape = call.value.shape.clone();
        if let Some(exchange) = &mut self.exchange {
            exchange.calls.push(call);
        }
        Value {
            is_parallel,
            tokens: begins..self.at,
            shape: shape.map(|s| Shape { is_parallel, ..s }),
            ..Value::of(begins)
        }
    }

    /// Reports arguments after the last one, and skips them.
    fn skip_surplus(&mut self, token: usize, kind: CallKind, name: &str) {
        let form = match kind {
            CallKind::Neighbour => "nbr(0, value)".to_owned(),
            CallKind::News => "news(NORTH, value)".to_owned(),
            CallKind::Broadcast => "broadcast(0, value)".to_owned(),
            CallKind::Reduce(_) | CallKind::Scan(..) => format!("{name}(value)"),
        };
        let message = format!("{name}() has too many arguments");
        self.report(token, Rule::Syntax, message, format!("write {form}"));
        while !self.at_end() && !self.is(";") && !self.accept(")") {
            self.skip_token();
        }
    }

    fn check_selector(
        &mut self,
        kind: CallKind,
        selector: Option<&Value>,
        direction: Option<&String>,
    ) {
        let Some(selector) = selector else { return };
        match kind {
            CallKind::Neighbour => {
                self.check_dimension(Some(selector), i64::from(self.options.dims));
            }
            CallKind::News if direction.is_none() => self.report(
                selector.tokens.start,
                Rule::Syntax,
                "the direction of news() is not a constant",
                "write NORTH, EAST, SOUTH or WEST",
            ),
            CallKind::Broadcast => {
                let last = (1i64 << self.options.dims) - 1;
                if let Some(pid) = selector.constant.filter(|pid| *pid < 0 || *pid > last) {
                    self.report(
                        selector.tokens.start,
                        Rule::OutOfRange,
                        format!("processor {pid} does not exist"),
                        format!("use a processor from 0 to {last}"),
                    );
                }
            }
            _ => {}
        }
        if selector.is_parallel {
            let text = self.written(selector.tokens.clone());
            self.report(
                selector.tokens.start,
                Rule::PvarToScalar,
                format!("{text} differs between processors, so their communication does not match"),
                "use a scalar",
            );
        }
    }

    fn check_value(&mut self, token: usize, name: &str, call: &Call) {
        let text = self.written(call.value.tokens.clone());
        if call.value.shape.as_ref().is_some_and(Shape::is_pointer) {
            self.report(
                call.value.tokens.start,
                Rule::PvarType,
                format!(
                    "{text} is a pointer: an address of one processor means nothing on another"
                ),
                format!("send the value, such as {name}(..., *{text})"),
            );
        }
        if let Some(size) = call.size().filter(|size| *size > VALUE_BYTES) {
            self.report(
                call.value.tokens.start,
                Rule::ValueSize,
                format!(
                    "{text} has {size} bytes; a value that is exchanged has up to {VALUE_BYTES}"
                ),
                "exchange its parts in several exchanges",
            );
        }
        let single = matches!(call.kind, CallKind::Reduce(_) | CallKind::Scan(..));
        let shape = call.value.shape.as_ref();
        if single && shape.is_some_and(|s| s.base.members.is_some() && !s.is_pointer()) {
            self.report(
                token,
                Rule::Syntax,
                format!("{name}() of a structure"),
                "combine its members, each in a call of its own",
            );
        }
    }
}
