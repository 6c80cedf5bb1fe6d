//! The C text of a parsed program.

use crate::parser::Parsed;
use crate::token::Token;
use crate::Options;
use std::fmt::Write;

/// Directive that makes the next line a line of the source.
pub fn line_directive(line: u32, file: &str) -> String {
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\n#line {line} \"{file}\"\n")
}

/// Returns the source with its replaced tokens, after the definitions for the runtime.
pub fn c_text(parsed: &Parsed, file: &str, options: &Options) -> String {
    let body = text(&parsed.tokens, &parsed.invocations);
    let mut head = String::from("/* Translated from StarC by phasecube starc. */\n");
    let usage = &parsed.usage;
    let mut define = |line: std::fmt::Arguments| {
        // Writing to a string does not fail.
        let _ = writeln!(head, "#define {line}");
    };
    define(format_args!("STAR_DIMENSIONS {}", options.dims));
    if usage.calls > 0 {
        define(format_args!("STAR_OPERATIONS {}", usage.calls));
    }
    for (used, name) in [
        (usage.neighbours, "NBR"),
        (usage.news, "NEWS"),
        (usage.reductions, "REDUCE"),
        (usage.scans, "SCAN"),
        (usage.broadcasts, "BROADCAST"),
        (usage.overlaps, "OVERLAP"),
    ] {
        if !used {
            define(format_args!("STAR_WITHOUT_{name} 1"));
        }
    }
    if !options.has_answers {
        define(format_args!("STAR_RAW 1"));
        // A barrier exchanges a byte.
        let bytes = usage.payload.unwrap_or(options.frame_bytes()).max(1);
        define(format_args!("STAR_RAW_BYTES {bytes}"));
        if !options.has_background {
            define(format_args!("STAR_WITHOUT_BACKGROUND 1"));
        }
    }
    if parsed.main_returns {
        define(format_args!("STAR_MAIN_RETURNS 1"));
    }
    head + "#include \"star.h\"" + &line_directive(1, file) + &body
}

/// Concatenates tokens with the text between them. A macro invocation is printed as it was written,
/// if none of its tokens is replaced.
pub fn text(tokens: &[Token], invocations: &[String]) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        text += &token.lead;
        let same = |t: &&Token| t.invocation == token.invocation;
        let run = &tokens[at..];
        let run = match token.invocation {
            Some(_) => &run[..run.iter().take_while(same).count()],
            None => &run[..1],
        };
        match token.invocation {
            Some(number) if run.iter().all(|t| t.output.is_none()) => text += &invocations[number],
            _ => {
                for (number, token) in run.iter().enumerate() {
                    if number > 0 {
                        text += &token.lead;
                    }
                    text += token.output.as_ref().unwrap_or(&token.text);
                }
            }
        }
        at += run.len();
    }
    text
}
