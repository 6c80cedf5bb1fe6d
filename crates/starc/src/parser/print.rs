//! Formats of `host_printf`, which the host fills in from 32-bit words.

use super::{Parser, Value};
use crate::diagnostic::Rule;
use crate::token::TokenKind;
use crate::types::Shape;

/// Most values of a text.
const VALUES_MAX: usize = 8;

/// Bytes of a printed integer.
const PRINTED_BYTES: u64 = 4;

const CONVERSIONS: &str = "diuxXocfeg";

/// Conversions of `float`.
const FLOATS: &str = "feg";

const ACCEPTED: &str = "%d %i %u %x %X %o %c %f %e %g %%";

/// Returns the conversions of a format: the letter of each, and its length modifiers.
fn conversions(format: &str) -> Vec<(char, String)> {
    let mut found = vec![];
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let spec = rest[at + 1..].trim_start_matches(|c: char| "-+ #.0123456789".contains(c));
        let length: String = spec.chars().take_while(|c| "hlLqjzt".contains(*c)).collect();
        let mut letters = spec[length.len()..].chars();
        match letters.next() {
            Some('%') => {}
            Some(letter) => found.push((letter, length)),
            None => found.push((' ', length)),
        }
        rest = letters.as_str();
    }
    found
}

impl Parser {
    /// Checks the format of `host_printf` and the number of its values.
    pub(super) fn check_print(&mut self, token: usize, arguments: &[Value]) {
        let Some((format, values)) = arguments.split_first() else {
            let correction = "write host_printf(\"text\\n\")";
            return self.report(token, Rule::PrintFormat, "host_printf needs a format", correction);
        };
        let place = format.tokens.start;
        let is_text = |at: usize| {
            let token = &self.tokens[at];
            token.kind == TokenKind::Text && token.text.ends_with('"')
        };
        if format.tokens.is_empty() || !format.tokens.clone().all(is_text) {
            return self.report(
                place,
                Rule::PrintFormat,
                "the format of host_printf is not a string literal",
                "write the text in place: the host keeps it, and gets the values only",
            );
        }
        let found = conversions(&self.written(format.tokens.clone()));
        for (letter, length) in &found {
            if !CONVERSIONS.contains(*letter) || length == "ll" || length == "L" {
                self.report(
                    place,
                    Rule::PrintFormat,
                    format!("host_printf cannot print %{length}{letter}: a value has 32 bits"),
                    format!("use one of {ACCEPTED}"),
                );
            }
        }
        if found.len() != values.len() {
            self.report(
                place,
                Rule::PrintFormat,
                format!(
                    "this format has {} conversions, and {} values follow",
                    found.len(),
                    values.len()
                ),
                "give each conversion one value",
            );
        } else if values.len() > VALUES_MAX {
            self.report(
                place,
                Rule::PrintFormat,
                format!("host_printf prints {} values; at most {VALUES_MAX} fit", values.len()),
                "split it into several calls",
            );
        } else {
            for ((letter, _), value) in found.iter().zip(values) {
                self.check_printed(*letter, value);
            }
        }
    }

    /// Checks that a value of `host_printf` has the type of its conversion, if the type is known.
    fn check_printed(&mut self, letter: char, value: &Value) {
        let is_number = |s: &&Shape| {
            !s.is_pointer() && !s.is_function && s.extents.is_empty() && s.base.members.is_none()
        };
        let shape = value.shape.as_ref().filter(is_number);
        let Some((name, layout)) = shape.and_then(|s| Some((&s.base.name, s.layout()?))) else {
            return;
        };
        let is_float = name.contains("float") || name.contains("double");
        let text = self.written(value.tokens.clone());
        let (message, correction) = match (FLOATS.contains(letter), is_float) {
            (false, true) => (
                format!("%{letter} prints an integer, and {text} is {name}"),
                "use %f, %e or %g, or convert the value to int",
            ),
            (true, false) => (
                format!("%{letter} prints a float, and {text} is an integer"),
                "use %d, %u or %x, or convert the value to float",
            ),
            (false, false) if layout.size > PRINTED_BYTES => (
                format!("{text} has {} bits; host_printf prints 32", 8 * layout.size),
                "convert the value to int, or print its two halves",
            ),
            _ => return,
        };
        self.report(value.tokens.start, Rule::PrintFormat, message, correction);
    }
}
