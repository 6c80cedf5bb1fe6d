//! The doc comment of a field begins and ends a sentence, so that it can be read alone, in Rust's
//! documentation and in emitted Verilog.

use crate::published::headers::rust_files;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Returns true if a line declares a field, as formatted by rustfmt.
fn is_field(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let name = line.split_once(": ").map_or("", |(name, _)| name);
    let of_a_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(of_a_name)
}

/// Returns the doc comments of fields that are no whole sentences: first line and text.
fn halves(text: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut found = vec![];
    let mut begin = 0;
    while begin < lines.len() {
        let is_doc = |line: &&&str| line.starts_with("///");
        let count = lines[begin..].iter().take_while(is_doc).count();
        let end = begin + count;
        if count > 0 && lines.get(end).is_some_and(|line| is_field(line)) {
            let words = lines[begin..end].iter().map(|line| line[3..].trim());
            let printed = words.collect::<Vec<_>>().join(" ");
            let printed = printed.trim();
            if printed.starts_with(char::is_lowercase) || !printed.ends_with(['.', '?', '!']) {
                found.push((begin + 1, printed.to_owned()));
            }
        }
        begin = end + 1;
    }
    found
}

#[test]
fn doc_comments_of_fields_are_complete() {
    let (mut files, mut wrong) = (0, vec![]);
    for folder in ["src", "crates"] {
        for path in rust_files(&Path::new(ROOT).join(folder)) {
            files += 1;
            let name = path.strip_prefix(ROOT).unwrap().display().to_string();
            for (line, printed) in halves(&fs::read_to_string(&path).unwrap()) {
                wrong.push(format!("{name}:{line}: {printed}"));
            }
        }
    }
    assert!(files > 300, "{files} files");
    assert!(wrong.is_empty(), "no sentence:\n{}\nand {} in all", wrong.join("\n"), wrong.len());
}

#[test]
fn an_incomplete_comment_is_found() {
    let text = "struct A {\n    /// The link\n    pub link: u8,\n    /// of this node.\n    node: u8,\n    \
                /// Whole,\n    /// over two lines.\n    pub(crate) whole: u8,\n    /// So is this.\n    that: u8,\n}\n";
    let found = halves(text);
    let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 4], "{found:?}");
}
