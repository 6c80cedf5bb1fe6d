//! Translates StarC to C.
//!
//! StarC is C with a few additions for the processors of a hypercube: values that differ between
//! processors (`pvar<T>`), and communication in blocks (`exchange`). All processors run the same
//! program. The translation calls a runtime library, `star.h`. Its text has `#line` directives, so
//! the C compiler reports places in the StarC source. A source without StarC is returned after one such
//! directive.
//!
//! The parser knows C without its preprocessor. It expands the macros that the file itself defines,
//! and takes both branches of `#if`, except after `#if 0`. Included files must be plain C.
//!
//! ```
//! let source = "pvar<int> x, left;\nvoid main() {\n  x = pid();\n  exchange { left = nbr(0, x); }\n}\n";
//! let translation = starc::translate(source, "first.starc", &starc::Options::default()).unwrap();
//! assert!(translation.c.contains("star_ex_nbr(&star_ex, 0, &(left), &(x), sizeof(x));"));
//! assert_eq!(translation.payload, Some(4));
//!
//! let wrong = source.replace("nbr(0, x)", "nbr(13, x)");
//! let diagnostics = starc::translate(&wrong, "first.starc", &starc::Options::default()).unwrap_err();
//! assert!(diagnostics.to_string().starts_with("first.starc:4:25: error: dimension 13"));
//! ```
//!
//! * `token`: tokens with their places; `macros`: expansion;
//! * `parser`: declarations, statements, expressions, and the rules of StarC;
//! * `exchange`: blocks of communication, their loops, and the calls that replace them;
//! * `emit`: the C text.

mod diagnostic;
mod emit;
mod exchange;
mod macros;
mod parser;
mod token;
mod types;

pub use diagnostic::{Diagnostic, Diagnostics, Position, Rule, Severity};

/// Most bytes of a value that is exchanged, as published.
pub const VALUE_BYTES: u64 = 80;

/// Most bytes that a node sends across a dimension in a superframe. A frame has 80 bytes, two of
/// which are the destination.
pub const FRAME_BYTES: u64 = 78;

/// Options of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Dimensions of the machine, the value of `STAR_DIMENSIONS`.
    pub dims: u32,
    /// Whether a condition that differs between processors is an error.
    pub strict: bool,
    /// Whether the nodes have a second context, on which the network runs while the program computes.
    pub has_background: bool,
    /// Whether the links have answers.
    pub has_answers: bool,
}

impl Options {
    /// Bytes of a frame for the number of its exchange, which only links without answers need.
    pub fn number_bytes(&self) -> u64 {
        u64::from(!self.has_answers)
    }

    /// Most bytes of values in a frame.
    pub fn frame_bytes(&self) -> u64 {
        FRAME_BYTES - self.number_bytes()
    }
}

impl Default for Options {
    /// The published machine of 4,096 processors.
    fn default() -> Self {
        Options { dims: 12, strict: false, has_background: true, has_answers: true }
    }
}

/// C program, and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    pub c: String,
    /// Most bytes that an exchange sends across a dimension. `None` if a size is unknown.
    pub payload: Option<u64>,
    /// Warnings, in the order of the source.
    pub warnings: Diagnostics,
}

/// Translates a source to C. `file` is its name for diagnostics and `#line`.
///
/// # Errors
/// All diagnostics, if one of them is an error.
pub fn translate(source: &str, file: &str, options: &Options) -> Result<Translation, Diagnostics> {
    let tokens = match token::lex(source) {
        Ok(tokens) => tokens,
        Err(open) => {
            let diagnostic = Diagnostic {
                position: open.position,
                rule: Rule::Syntax,
                message: format!("this {} does not end", open.what),
                correction: "add its end".to_owned(),
            };
            return Err(Diagnostics::new(file, options.strict, vec![diagnostic]));
        }
    };
    let parsed = parser::Parser::new(macros::expand(tokens), file, *options).parse();
    let diagnostics = Diagnostics::new(file, options.strict, parsed.diagnostics.clone());
    match diagnostics.has_errors() {
        true => Err(diagnostics),
        false => Ok(Translation {
            c: match parsed.is_starc {
                true => emit::c_text(&parsed, file, options),
                false => format!("{}{source}", emit::line_directive(1, file).trim_start()),
            },
            payload: parsed.usage.payload,
            warnings: diagnostics,
        }),
    }
}
