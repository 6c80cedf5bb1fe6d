//! Texts cite only files of this repository, or a source by its name, and no page that is
//! unavailable to others.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Returns all prose of the repository, without comment markers, each text on one line.
fn texts() -> Vec<(String, String)> {
    let mut found = vec![];
    let mut folders: Vec<PathBuf> = ["crates", "docs", "examples", "firmware", "sim", "src"]
        .map(|folder| Path::new(ROOT).join(folder))
        .into();
    let mut files = vec![Path::new(ROOT).join("README.md")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    let this = Path::new(ROOT).join(file!());
    for path in files.iter().filter(|path| **path != this) {
        let kind = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if ["rs", "c", "h", "S", "md", "v", "toml"].contains(&kind) {
            let text = std::fs::read_to_string(path).unwrap();
            let lines = text.lines().map(|line| {
                let mark = |c: char| c.is_whitespace() || "/!*#|".contains(c);
                line.trim_start_matches(mark)
            });
            let name = path.strip_prefix(ROOT).unwrap().display().to_string();
            found.push((name, lines.collect::<Vec<_>>().join(" ")));
        }
    }
    assert!(found.len() > 500, "{} files", found.len());
    found
}

#[test]
fn no_text_cites_a_missing_design() {
    let cites = |text: &str| {
        ["design, section ", "design (section ", "the design, section"]
            .iter()
            .any(|words| text.contains(words))
    };
    let citing: Vec<String> =
        texts().into_iter().filter(|(_, text)| cites(text)).map(|(name, _)| name).collect();
    assert!(citing.is_empty(), "say the thing itself, or cite a page of docs: {citing:?}");
}

/// Returns the sections of a page.
fn headings(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(ROOT).join(page));
    let text = text.unwrap_or_else(|error| panic!("{page} is cited: {error}"));
    let lines = text.lines().filter_map(|line| line.strip_prefix("## "));
    lines.map(str::to_owned).collect()
}

/// Checks cited pages of docs, and cited sections in them.
#[test]
fn cited_sections_exist() {
    let mut cited = 0;
    for (name, text) in texts() {
        for (at, _) in text.match_indices("docs/") {
            let rest = &text[at..];
            let Some((page, rest)) = rest.split_once(".md") else {
                continue;
            };
            let named = |c: char| c.is_ascii_lowercase() || "/-".contains(c);
            if !page.chars().all(named) {
                continue;
            }
            let headings = headings(&format!("{page}.md"));
            cited += 1;
            if let Some(rest) = rest.strip_prefix(", \"") {
                let section = rest.split('"').next().unwrap();
                assert!(headings.iter().any(|h| h == section), "{name}: {section}");
            }
        }
    }
    assert!(cited > 40, "{cited} citations");
}

/// A run has the fields that the page promises.
#[test]
fn the_fields_of_json_are_as_promised() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/command-line.md")).unwrap();
    let (_, rest) = text.split_once("`run --json` prints one object, with at least: ").unwrap();
    let (fields, of_cm1) = rest.split_once("; for the CM-1 ").unwrap();
    let words = |text: &str| -> Vec<String> {
        let parts = text.split('`').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    };
    let fields = words(fields);
    assert!(fields.len() > 25);
    let json = |network: &str| -> Value {
        let run = ["run", "--dims", "1", "--pattern", "complement", "--json", "--network"];
        let done =
            Command::new(env!("CARGO_BIN_EXE_phasecube")).args(run).arg(network).output().unwrap();
        serde_json::from_slice(&done.stdout).unwrap()
    };
    let has = |object: &Value, field: &String| {
        let here = object.get(field).is_some();
        here || object["latency"].get(field).is_some()
    };
    let (tdma, cm1) = (json("tdma"), json("cm1"));
    for field in &fields {
        assert!(has(&tdma, field) && has(&cm1, field), "{field}");
    }
    let of_cm1: Vec<String> = words(of_cm1).into_iter().take(2).collect();
    assert_eq!(of_cm1, ["petit_cycles", "collisions"]);
    assert!(of_cm1.iter().all(|field| has(&cm1, field)));
    assert_eq!(cm1["superframes"], Value::Null);
}
