//! Traffic patterns on a command line.

use crate::traffic::TrafficPattern;
use clap::builder::{OsStringValueParser, TypedValueParser};

/// Returns a parser of patterns. The path of `file:PATH` may contain bytes that are not UTF-8.
pub fn pattern() -> impl TypedValueParser<Value = TrafficPattern> {
    OsStringValueParser::new().try_map(|word| TrafficPattern::from_word(&word))
}
