//! Traffic patterns on a command line.

use crate::traffic::Pattern;
use clap::builder::{OsStringValueParser, TypedValueParser};

/// Returns a parser of patterns. The path of `file:PATH` may contain bytes that are not UTF-8.
pub fn pattern() -> impl TypedValueParser<Value = Pattern> {
    OsStringValueParser::new().try_map(|word| Pattern::from_word(&word))
}
