//! Copy of the tree with all faults in it, each inactive until the environment names it.
//!
//! The copy is built once for all faults, and the tree itself contains no faults.

use super::sources::{with_faults, SourceFault};
use anyhow::{ensure, Context, Result};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Files that are changed for the faults in circuits: the original text and its replacement.
const HOOKED_FILES: &[(&str, &str, &str)] = &[
    (
        "crates/lockstep/src/lib.rs",
        "pub mod design;",
        "extern crate self as lockstep;\n\npub mod design;\npub mod faults;",
    ),
    (
        "crates/hdl/src/lower/mod.rs",
        "    Ok(design)\n}",
        "    Ok(lockstep::faults::circuit(design))\n}",
    ),
    // The faults in circuits ask `lockstep` whether they are active.
    (
        "crates/rtl/Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\nlockstep = { package = \"lockstep-rtl\", path = \"../lockstep\" }\n",
    ),
    // Verilator would compile a model of every faulty circuit, so the evaluator replaces it.
    (
        "crates/rtl/tests/agreement/engines.rs",
        "pub fn verilator(",
        "pub fn verilator(block: &impl Circuit) -> Box<dyn CircuitEngine> {\n    evaluator(block)\n}\n\n\
         #[allow(dead_code)]\nfn compiled(",
    ),
];

const ADDED_FILES: &[(&str, &str)] = &[
    ("crates/lockstep/src/faults/mod.rs", include_str!("hook.rs")),
    ("crates/lockstep/src/faults/circuits.rs", include_str!("circuits.rs")),
    ("crates/lockstep/src/faults/same.rs", include_str!("same.rs")),
];

/// Creates the copy of `root` in `to`, or updates it.
pub fn copy(root: &Path, to: &Path, faults: &[(&str, SourceFault)]) -> Result<()> {
    let mut files = vec![];
    for entry in std::fs::read_dir(root)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_file() {
            files.push(path);
        } else if name != "target" && name != ".git" {
            walk(&path, &mut files)?;
        }
    }
    let mut written: HashSet<PathBuf> = HashSet::new();
    for file in files {
        let place = file.strip_prefix(root)?;
        let name = place.to_string_lossy();
        let mut bytes = std::fs::read(&file)?;
        for (_, old, new) in HOOKED_FILES.iter().filter(|hook| hook.0 == name) {
            let text = String::from_utf8(bytes)?;
            ensure!(text.matches(old).count() == 1, "{name} has not once `{old}`");
            bytes = text.replace(old, new).into_bytes();
        }
        let here = faults.iter().map(|(_, fault)| fault);
        let here: Vec<&SourceFault> = here.filter(|fault| fault.file == name).collect();
        if !here.is_empty() {
            bytes = with_faults(&String::from_utf8(bytes)?, &here)?.into_bytes();
        }
        write(&to.join(place), &bytes)?;
        written.insert(to.join(place));
    }
    for (name, text) in ADDED_FILES {
        write(&to.join(name), text.as_bytes())?;
        written.insert(to.join(name));
    }
    let mut there = vec![];
    walk(to, &mut there)?;
    for file in there.into_iter().filter(|file| !written.contains(file)) {
        std::fs::remove_file(file)?;
    }
    Ok(())
}

pub fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        match path.is_dir() {
            true => walk(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// Writes a file. An unchanged file keeps its modification time, so that it is not rebuilt.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if std::fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes).with_context(|| path.display().to_string())
}
