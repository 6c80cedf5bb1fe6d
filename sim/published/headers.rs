//! Every Rust file begins with a sentence that describes it.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Inputs of compiler tests, whose errors are expected at certain lines.
const INPUTS: &str = "sim/refused/cases";

/// Returns all Rust files below a folder.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path != Path::new(ROOT).join(INPUTS) {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_file_begins_with_a_description() {
    let folders = ["src", "crates", "sim", "examples"];
    let files: Vec<PathBuf> =
        folders.iter().flat_map(|folder| rust_files(&Path::new(ROOT).join(folder))).collect();
    assert!(files.len() > 600, "{} files", files.len());
    let silent: Vec<String> = files
        .iter()
        .filter(|path| !fs::read_to_string(path).unwrap().starts_with("//! "))
        .map(|path| path.strip_prefix(ROOT).unwrap().display().to_string())
        .collect();
    assert!(silent.is_empty(), "say in a `//!` line at the top what the file is for: {silent:#?}");
}
