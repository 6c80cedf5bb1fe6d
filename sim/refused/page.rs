//! docs/porting.md lists exactly the rejections that the tests here show, the errors of the lockstep
//! engine, and the messages in the sources of the libraries.

use proc_macro2::{TokenStream, TokenTree};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../docs/porting.md");

/// Returns the messages in the first column of the tables of rejections.
fn messages() -> Vec<String> {
    let (_, rejections) = PAGE.split_once("## What is rejected").expect("the section");
    let mut found = vec![];
    let (mut column, mut in_head) = (0, false);
    for event in Parser::new_ext(rejections, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::TableHead) => (column, in_head) = (0, true),
            Event::End(TagEnd::TableHead) => in_head = false,
            Event::Start(Tag::TableRow) => column = 0,
            Event::End(TagEnd::TableCell) => column += 1,
            Event::Code(text) if column == 0 && !in_head => found.push(text.trim().to_owned()),
            _ => {}
        }
    }
    found
}

/// Returns the texts of the marks in a file or folder.
fn marks(path: &Path) -> Vec<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder");
        return entries.flat_map(|entry| marks(&entry.unwrap().path())).collect();
    }
    let text = fs::read_to_string(path).expect("a source");
    let marks = text.lines().flat_map(|line| line.split("//~").skip(1));
    marks.map(|mark| mark.trim_start_matches('?').trim().to_owned()).collect()
}

/// Texts of the errors of the lockstep engine.
fn lane_errors() -> Vec<String> {
    let source = include_str!("../../crates/lockstep/src/lanes/machine.rs");
    let errors = source.split("#[error(").skip(1);
    let texts = errors.map(|rest| rest.split(")]").next().unwrap_or_default());
    texts.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn folder(path: &str) -> Vec<String> {
    marks(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sim/refused").join(path))
}

/// Sources with messages for the author of a circuit: files and folders.
const SOURCES: [&str; 6] = [
    "crates/kernel/src",
    "crates/hdl/src/lower",
    "crates/hdl/src/cells",
    "crates/lockstep/src/design/check.rs",
    "crates/lockstep/src/design/check",
    "crates/lockstep/src/netlist/draft.rs",
];

/// Names before texts that are no messages: in the group after the name, or after `=`.
const NO_MESSAGES: [&str; 10] = [
    "doc",
    "expect",
    "fits",
    "label",
    "note",
    "one_bit",
    "reason",
    "tests",
    "unreachable",
    "width_mismatch",
];

/// Texts in rustdoc and in the emitted Verilog, and parts of messages.
const PARTS: [&str; 15] = [
    "The other end of a",
    "Checks the direction of",
    "Checks that `<->` is needed",
    "A register of a circuit",
    "A memory of a circuit",
    "of the circuit whose turn it is",
    "the turn that it is",
    "A memory that ignores the upper bits",
    "a word of {N} bits",
    "an array of {N}",
    "bit {} is read",
    "of the cell {}",
    "for {} of the instance {name}",
    "write `self.{name}.next = ..`",
    "any value if it does not matter",
];

/// Texts of at least four words in the sources, without tests and internal errors.
fn texts_of_code() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = vec![];
    for source in SOURCES.map(|source| root.join(source)) {
        let files = match source.is_dir() {
            true => fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()).collect(),
            false => vec![source],
        };
        for file in files.iter().filter(|file| file.is_file()) {
            let text = fs::read_to_string(file).expect("a source");
            collect_texts(text.parse().expect("Rust"), &mut texts);
        }
    }
    texts.retain(|text| text.split(' ').count() > 3);
    texts.retain(|text| PARTS.iter().all(|part| !text.contains(part)));
    texts
}

fn collect_texts(tokens: TokenStream, texts: &mut Vec<String>) {
    // Latest name, which belongs to the group or the text that follows it.
    let mut name = String::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => name = ident.to_string(),
            TokenTree::Group(group) => {
                if !NO_MESSAGES.contains(&&*name) {
                    collect_texts(group.stream(), texts);
                }
                name.clear();
            }
            TokenTree::Literal(literal) if !NO_MESSAGES.contains(&&*name) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    // Braces of a format are doubled.
                    texts.push(text.value().replace("{{", "{").replace("}}", "}"));
                }
            }
            _ => {}
        }
    }
}

/// A message that no test shows is found in its source.
#[test]
fn every_message_of_the_code_is_on_the_page() {
    let messages = messages();
    let texts = texts_of_code();
    assert!(texts.len() > 150, "{}", texts.len());
    let missing: Vec<_> = texts
        .iter()
        .filter(|text| messages.iter().all(|message| !text.contains(message.as_str())))
        .collect();
    assert!(missing.is_empty(), "docs/porting.md has no row for {missing:#?}");
}

#[test]
fn every_message_of_the_page_is_one() {
    let messages = messages();
    assert!(messages.len() > 80, "{}", messages.len());
    let marks = [folder(""), lane_errors(), texts_of_code()].concat();
    let unknown: Vec<_> = messages
        .iter()
        .filter(|message| marks.iter().all(|mark| !mark.contains(*message)))
        .collect();
    assert!(unknown.is_empty(), "no test shows {unknown:#?}");
}

#[test]
fn every_rejection_is_on_the_page() {
    let messages = messages();
    let files =
        ["bundles", "clocks", "flow", "functions", "hierarchy", "numbers", "purity", "types"];
    let of_lower = files.iter().flat_map(|file| folder(&format!("{file}.rs")));
    let marks: Vec<String> = folder("cases/macros").into_iter().chain(of_lower).collect();
    assert!(marks.len() > 200, "{}", marks.len());
    let lane_errors = lane_errors();
    assert!(lane_errors.len() > 20, "{}", lane_errors.len());
    let marks = [marks, lane_errors].concat();
    let missing: Vec<_> = marks
        .iter()
        .filter(|mark| messages.iter().all(|message| !mark.contains(message.as_str())))
        .collect();
    assert!(missing.is_empty(), "docs/porting.md has no row for {missing:#?}");
}

/// The page names the pinned version of `rust-hdl`, and the crate about which cargo warns.
#[test]
fn the_dependency_is_the_one_that_is_explained() {
    let manifest: toml::Table = include_str!("../../Cargo.toml").parse().unwrap();
    let version = manifest["workspace"]["dependencies"]["rust-hdl"].as_str();
    let version = version.expect("a version");
    assert!(PAGE.contains(&format!("(`{version}`)")), "{version}");
    let lock: toml::Table = include_str!("../../Cargo.lock").parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let rust_hdl =
        packages.iter().find(|package| package["name"].as_str() == Some("rust-hdl")).unwrap();
    let mut uses = rust_hdl["dependencies"].as_array().unwrap().iter();
    let svg = uses.find_map(|name| name.as_str()?.strip_prefix("svg "));
    let svg = svg.expect("two versions of svg are locked");
    assert!(PAGE.contains(&format!("`svg v{svg}`")), "{svg}");
}
