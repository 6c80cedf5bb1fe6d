//! Claim: every command in the pages of the project is one that the program takes.

use super::{command, parse};
use crate::networks;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::path::{Path, PathBuf};

/// The pages for people.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|e| e == "md"));
    let others = ["README.md", "CONTRIBUTING.md", "firmware/README.md"];
    let others = others.iter().chain(&["examples/README.md"]);
    docs.chain(others.map(|page| root.join(page))).collect()
}

/// What stands in a page as code, a line of a block or a few words.
fn code(page: &str) -> Vec<String> {
    let mut found = vec![];
    let mut block = false;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => block = true,
            Event::End(TagEnd::CodeBlock) => block = false,
            Event::Text(text) if block => found.extend(text.lines().map(str::to_owned)),
            Event::Code(text) => found.push(text.to_string()),
            _ => {}
        }
    }
    found
}

/// The words of a command of ours, behind the name of the program, without what only explains
/// it. `None` if it is none, or has a word for what the reader is to choose.
fn ours(code: &str, commands: &[String]) -> Option<Vec<String>> {
    let code = code.strip_prefix("$ ").unwrap_or(code).trim();
    let before = ["phasecube ", "cargo run --release -- "];
    let named = before.iter().find_map(|before| code.strip_prefix(before));
    // A comment, or a column of words, stands apart.
    let rest = named.unwrap_or(code);
    let rest = rest.split("  ").next().unwrap_or(rest);
    let rest = rest.split(" #").next().unwrap_or(rest);
    let rest = rest.strip_suffix(" &").unwrap_or(rest);
    let words = shlex::split(rest)?;
    let chosen = |word: &String| {
        let word = word.trim_matches(['[', ']']);
        // A line of a board has fields.
        let field = word.contains('=') && !word.starts_with('-');
        field
            || word.contains("..")
            || word == "-"
            || word.contains('|')
            || word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            || ["FILE", "NAME", "DIR", "K,M"]
                .iter()
                .any(|name| word.contains(name))
    };
    let first = words.first()?;
    let is_ours = named.is_some() || (words.len() > 1 && commands.contains(first));
    (is_ours && !words.iter().any(chosen)).then_some(words)
}

#[test]
fn every_command_in_the_pages_is_taken() {
    let networks = networks::standard();
    let names = command(&networks);
    let names = names.get_subcommands().map(|sub| sub.get_name().to_owned());
    let names: Vec<String> = names.collect();
    let mut taken = 0;
    let mut wrong = vec![];
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for line in code(&text) {
            let Some(words) = ours(&line, &names) else {
                continue;
            };
            let whole = std::iter::once("phasecube".to_owned()).chain(words);
            match parse(&networks, whole) {
                Ok(_) => taken += 1,
                Err(error) if error.kind() == clap::error::ErrorKind::DisplayHelp => {}
                Err(error) => wrong.push(format!("{}: {line}\n{error}", page.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(taken > 100, "only {taken} commands were found");
}
