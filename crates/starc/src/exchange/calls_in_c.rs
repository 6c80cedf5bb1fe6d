//! The calls of the runtime that replace an exchange.

use super::{Call, CallKind, Exchange};
use crate::diagnostic::Rule;
use crate::emit::line_directive;
use crate::parser::Parser;
use crate::types::Shape;
use crate::VALUE_BYTES;
use std::fmt::Write;
use std::ops::Range;

impl Parser {
    /// Turns the calls of a statement into C. `left` is the shape of its left side.
    pub(super) fn finish_statement(&mut self, begins: usize, left: Option<Shape>) {
        let Some(mut exchange) = self.exchange.take() else {
            return;
        };
        let calls = std::mem::take(&mut exchange.calls);
        let statement = begins..self.at;
        let number = exchange.all.len();
        for (place, token) in std::mem::take(&mut self.writes) {
            exchange.results.push((place, token, number));
        }
        if calls.is_empty() {
            self.report(
                begins,
                Rule::NoCommunication,
                format!("{} does not communicate", self.written(statement.clone())),
                "move it before or after the exchange",
            );
        }
        let simple = match (&self.assignment, &calls[..]) {
            (Some((target, right)), [call]) => {
                (*right == call.tokens && target.start == begins).then(|| target.clone())
            }
            _ => None,
        };
        let line = self.position(begins).line;
        match simple {
            Some(target) => self.simple_statement(&mut exchange, &calls[0], target, left, line),
            None => self.general_statement(&mut exchange, &calls, statement, line),
        }
        self.reads.retain(|(_, token)| !calls.iter().any(|c| c.tokens.contains(token)));
        for call in &calls {
            for (place, token) in &call.inputs {
                self.check_read(place, *token);
            }
        }
        self.finish_reads();
        exchange.all.extend(calls);
        self.exchange = Some(exchange);
    }

    /// `RESULT = COMMUNICATION`.
    fn simple_statement(
        &mut self,
        exchange: &mut Exchange,
        call: &Call,
        target: Range<usize>,
        left: Option<Shape>,
        line: u32,
    ) {
        let target = self.render(target);
        let number = exchange.all.len();
        let results = exchange.results.iter().filter(|(.., n)| *n == number);
        let mut aliases = false;
        for (place, ..) in results {
            aliases |= call.inputs.iter().any(|(input, _)| input.symbol == place.symbol);
        }
        let sent = call.value.shape.as_ref().filter(|_| call.value.place.is_some());
        let direct = match (&left, sent) {
            (Some(left), Some(sent)) => {
                let plain = |s: &Shape| s.extents.is_empty() && !s.is_pointer();
                plain(left) && plain(sent) && left.base.name == sent.base.name
            }
            _ => false,
        };
        if exchange.is_async {
            self.add_value(exchange, call, number, line);
            let same = format!(
                "__builtin_types_compatible_p(__typeof__({target}), __typeof__(star_v{number}))"
            );
            let _ = write!(
                exchange.declared,
                "{}_Static_assert({same}, \"exchange_async: the result needs the type of the value\");",
                line_directive(line, &self.file)
            );
            self.add_call(
                exchange,
                call,
                &format!("&({target})"),
                &format!("star_v{number}"),
                line,
            );
        } else if direct && !aliases {
            let value = self.render(call.value.tokens.clone());
            self.add_call(exchange, call, &format!("&({target})"), &value, line);
        } else {
            self.add_value(exchange, call, number, line);
            let name = format!("star_v{number}");
            self.add_call(exchange, call, &format!("&star_r{number}"), &name, line);
            let place = line_directive(line, &self.file);
            let _ = write!(exchange.after, "{place}{target} = star_r{number};");
        }
    }

    /// Statement that computes with results.
    fn general_statement(
        &mut self,
        exchange: &mut Exchange,
        calls: &[Call],
        statement: Range<usize>,
        line: u32,
    ) {
        if exchange.is_async && !calls.is_empty() {
            self.report(
                statement.start,
                Rule::NoCommunication,
                "exchange_async computes with a result",
                "write RESULT = COMMUNICATION; and compute after exchange_wait()",
            );
        }
        let (mut text, mut at) = (String::new(), statement.start);
        for (offset, call) in calls.iter().enumerate() {
            let number = exchange.all.len() + offset;
            self.add_value(exchange, call, number, line);
            self.add_call(
                exchange,
                call,
                &format!("&star_r{number}"),
                &format!("star_v{number}"),
                line,
            );
            let _ = write!(text, "{} star_r{number} ", self.render(at..call.tokens.start));
            at = call.tokens.end;
        }
        text += &self.render(at..statement.end);
        let _ = write!(exchange.after, "{}{text};", line_directive(line, &self.file));
    }

    /// Variables for the value that is sent, and for the result.
    fn add_value(&mut self, exchange: &mut Exchange, call: &Call, number: usize, line: u32) {
        let value = self.render(call.value.tokens.clone());
        // The comma operator drops qualifiers.
        let kind = format!("__typeof__(((void)0, ({value})))");
        let place = line_directive(line, &self.file);
        let declared = &mut exchange.declared;
        let _ = match exchange.is_async {
            true => {
                let _ = write!(exchange.values, "{place}star_v{number} = ({value});");
                write!(declared, "{place}STAR_LOCAL static {kind} star_v{number};")
            }
            false => write!(declared, "{place}{kind} star_v{number} = ({value}), star_r{number};"),
        };
        if call.size().is_none() {
            let _ = write!(
                declared,
                "_Static_assert(sizeof(star_v{number}) <= {VALUE_BYTES}, \"a value that is exchanged has up to {VALUE_BYTES} bytes\");"
            );
        }
    }

    /// Call of the runtime.
    fn add_call(
        &mut self,
        exchange: &mut Exchange,
        call: &Call,
        result: &str,
        value: &str,
        line: u32,
    ) {
        let selector = call.selector.clone().map(|s| self.render(s));
        let selector = selector.unwrap_or_default();
        let data = format!("{result}, &({value}), sizeof({value})");
        let name = match call.kind {
            CallKind::Neighbour => format!("star_ex_nbr(&star_ex, {selector}, {data})"),
            CallKind::News => format!("star_ex_news(&star_ex, {selector}, {data})"),
            CallKind::Broadcast => format!("star_ex_broadcast(&star_ex, {selector}, {data})"),
            CallKind::Reduce(operation) => {
                format!("star_ex_reduce(&star_ex, STAR_{operation}, {data})")
            }
            CallKind::Scan(operation, exclusive) => {
                format!("star_ex_scan(&star_ex, STAR_{operation}, {}, {data})", u8::from(exclusive))
            }
        };
        let _ = write!(exchange.values, "{}{name};", line_directive(line, &self.file));
    }

    /// Replaces the tokens of a block by its C text.
    pub(super) fn replace_block(&mut self, begins: usize, exchange: &Exchange) {
        let line = self.position(begins).line;
        let place = line_directive(line, &self.file);
        let (storage, ends) = match exchange.is_async {
            true => ("STAR_LOCAL static ", "star_ex_start"),
            false => ("", "star_ex_execute"),
        };
        let mut begin = format!("{place}star_ex_begin(&star_ex);");
        if self.overlaps(exchange) {
            let words = |n| format!("STAR_FRAME_WORDS(sizeof(star_v{n}))");
            let room = (0..exchange.all.len()).map(words).collect::<Vec<_>>();
            let room = room.join(" + ");
            let _ = write!(
                begin,
                " STAR_LOCAL static uint32_t star_frames[{room}]; star_ex_overlap(&star_ex, star_frames);"
            );
        }
        let mut text = format!(
            "{}{{ {storage}star_ex_t star_ex;{}{begin}{}{place}{ends}(&star_ex);{} }}",
            exchange.hoisted, exchange.declared, exchange.values, exchange.after
        );
        let next = self.tokens[self.at - 1].position;
        text += &line_directive(next.line, &self.file);
        for token in begins..self.at {
            self.replace(token, "");
            if token > begins {
                self.tokens[token].lead.clear();
            }
        }
        self.replace(begins, text);
    }
}
