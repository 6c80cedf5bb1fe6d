//! Traffic patterns on a command line.

use clap::builder::{OsStringValueParser, TypedValueParser};
use interconnect::traffic::TrafficPattern;

/// Returns a parser of patterns. The path of `file:PATH` may contain bytes that are not UTF-8.
pub fn pattern() -> impl TypedValueParser<Value = TrafficPattern> {
    OsStringValueParser::new().try_map(|word| TrafficPattern::from_word(&word))
}
