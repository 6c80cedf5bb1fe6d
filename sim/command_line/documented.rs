//! Every command in the project's pages is accepted by the program and does what the page says.
//! `pages` runs the commands shown with their output.

use crate::command_line::program::{program, with_tools};
use phasecube::cli::check_command_line;
use phasecube::networks;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The page that shows every command with its output.
const SESSION: &str = "first-program.md";

/// Commands not run here, by their first words. They need a board, serve until stopped, or take
/// more than some seconds. Each is listed with the test that runs it or a smaller version.
const LEFT_OUT: &[(&str, &str)] = &[
    ("bench", "command_line bench"),
    ("board", "cargo sim host::"),
    ("build", "cargo sim board::"),
    ("claims --check", "cargo sim claims"),
    ("collect", "cargo sim host::"),
    ("compare", "cargo sim compare"),
    ("cost", "command_line readme"),
    ("equivalence", "cargo sim equivalence"),
    ("figure12", "command_line cm1"),
    ("flash", "cargo sim board::"),
    ("load", "cargo sim host::"),
    ("monitor", "cargo sim board::"),
    ("panel", "cargo sim panel::"),
    ("prove", "cargo sim proofs"),
    ("run --dims 12 --pattern bitrev", "command_line readme"),
    ("run --dims 12 --pattern hotspot", "command_line run"),
    ("run --dims 16", "cargo sim cube::large"),
    ("run --network cm1 --dims 12", "cargo sim claims"),
    ("run --network rotation --dims 12", "cargo sim rotation"),
    ("run --gdb", "command_line debugger"),
    ("run-on-board", "cargo sim host::"),
    ("send", "cargo sim host::"),
    ("simulate", "cargo sim simulate::"),
    ("sweep", "cargo sim sweep"),
];

/// Files that the reader would supply.
const READERS: &[&str] = &[
    "in.csv",
    "mine.c",
    "mine.cpp",
    "mine.elf",
    "numbers.csv",
    "program.elf",
    "sum.c",
    "file:two.csv",
];

/// Commands that fail on purpose, with the error that they show.
const FAILS: &[(&str, &str)] = &[
    ("run --dims 8 --pattern relation:4 --skew-tree 16x1 --ppm 100", "25 messages were lost"),
    ("deadlock --network metacube --dims 6 --counts 1 --confirm", "the machine deadlocks"),
    ("deadlock --network torus --radix 4 --vcs 1 --confirm", "the machine deadlocks"),
    ("run --network torus --radix 4 --vcs 1", "no message has moved"),
    ("run --network torus --radix 4,4 --pattern xor:1 --tail naive", "no message has moved"),
    ("run --network torus --radix 4,4,4 --tail zero", "cannot tell a tail of zero"),
];

/// Returns the pages meant for readers.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|e| e == "md"));
    let others = ["README.md", "CONTRIBUTING.md", "firmware/README.md"];
    let others = others.iter().chain(&["examples/README.md"]);
    let mut pages: Vec<PathBuf> = docs.chain(others.map(|page| root.join(page))).collect();
    pages.sort();
    pages
}

/// Returns the code in a page: lines of blocks, and inline code.
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

/// Checks that the program accepts these words or prints help for them.
fn taken(words: &[String]) -> Result<(), clap::Error> {
    let whole = std::iter::once("phasecube".to_owned()).chain(words.iter().cloned());
    match check_command_line(&networks::standard(), whole) {
        Err(error) if error.kind() != clap::error::ErrorKind::DisplayHelp => Err(error),
        _ => Ok(()),
    }
}

/// Returns the words of a `phasecube` command after the program name, without explanations beside
/// it. Returns `None` for other code, and for commands with placeholders.
fn ours(code: &str, names: &BTreeSet<String>) -> Option<Vec<String>> {
    let code = code.strip_prefix("$ ").unwrap_or(code).trim();
    let before = ["phasecube ", "cargo run --release -- "];
    let named = before.iter().find_map(|before| code.strip_prefix(before));
    // Two spaces or ` #` separate a comment.
    let rest = named.unwrap_or(code);
    let rest = rest.split("  ").next().unwrap_or(rest);
    let rest = rest.split(" #").next().unwrap_or(rest);
    let rest = rest.strip_suffix(" &").unwrap_or(rest);
    let words = shlex::split(rest)?;
    let chosen = |word: &String| {
        let word = word.trim_matches(['[', ']']);
        // A line printed by a board has fields.
        let field = word.contains('=') && !word.starts_with('-');
        field
            || word.contains("..")
            || word == "-"
            || word.contains('|')
            || word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            || ["FILE", "NAME", "DIR", "K,M"].iter().any(|name| word.contains(name))
    };
    let first = words.first()?;
    let is_ours = named.is_some() || (words.len() > 1 && names.contains(first));
    (is_ours && !words.iter().any(chosen)).then_some(words)
}

/// Returns the commands that `--help` lists.
fn names() -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let output = program(dir.path()).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let listed = help.lines().filter_map(|line| line.strip_prefix("  "));
    let names = listed.filter_map(|line| line.split(' ').next());
    let names = names.filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    names.map(str::to_owned).collect()
}

/// Returns all commands of the pages, each with its page, in order.
fn commands() -> Vec<(PathBuf, Vec<String>)> {
    let names = names();
    let in_page = |page: PathBuf| {
        let text = fs::read_to_string(&page).unwrap();
        let words: Vec<_> = code(&text).iter().filter_map(|line| ours(line, &names)).collect();
        words.into_iter().map(move |words| (page.clone(), words))
    };
    pages().into_iter().flat_map(in_page).collect()
}

#[test]
fn every_documented_command_is_accepted() {
    let commands = commands();
    let wrong = commands.iter().filter_map(|(page, words)| {
        let error = taken(words).err()?;
        Some(format!("{}: {words:?}\n{error}", page.display()))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands.len() > 100, "only {} were found", commands.len());
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(fs::copy(&path, &to).unwrap()),
        }
    }
}

/// Returns true if a command begins with these words.
fn begins(command: &str, words: &str) -> bool {
    let rest = command.strip_prefix(words);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Runs all commands in one folder, in the order of the pages, because some read files that others
/// write.
#[test]
#[ignore = "thorough: runs all commands of the pages"]
fn every_documented_command_runs() {
    let dir = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["examples", "firmware", "docs/pictures"] {
        copy(&root.join(folder), &dir.path().join(folder));
    }
    let mut unused: BTreeSet<&str> = [LEFT_OUT, FAILS].concat().iter().map(|e| e.0).collect();
    let mut run = BTreeSet::new();
    let mut wrong = vec![];
    for (page, words) in commands() {
        let command = words.join(" ");
        if page.ends_with(SESSION) {
            continue;
        }
        if let Some((left_out, _)) = LEFT_OUT.iter().find(|e| begins(&command, e.0)) {
            unused.remove(left_out);
            continue;
        }
        if words.iter().any(|word| READERS.contains(&word.as_str())) {
            continue;
        }
        let writes = words.iter().any(|word| word == "--out");
        if !run.insert(command.clone()) && !writes {
            continue;
        }
        let output = with_tools(dir.path()).args(&words).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        let failing = FAILS.iter().find(|e| begins(&command, e.0));
        let good = match failing {
            Some((fails, error)) => {
                unused.remove(fails);
                !output.status.success() && printed.contains(error)
            }
            None => output.status.success(),
        };
        if !good {
            wrong.push(format!("{}: {command}: {printed}", page.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unused.is_empty(), "no page has these: {unused:?}");
    assert!(run.len() > 70, "only {} were run", run.len());
}
