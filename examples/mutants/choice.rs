//! Selection of the faults to inject.

use super::equivalent::equivalence_reason;
use super::sources::SourceFault;
use super::tests::Test;
use super::{tree, Args};
use anyhow::Result;
use phasecube::traffic::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A fault to inject.
pub struct SelectedFault {
    pub part: &'static str,
    pub name: String,
    /// Block or file of the fault.
    pub place: String,
    /// Reason why no test can detect the fault, if there is one.
    pub equivalent: Option<String>,
}

/// Returns the names of the blocks in `crates/rtl`, in lower case and without underscores. Tests
/// define blocks too, whose faults are no faults of the project.
fn rtl_blocks(root: &Path) -> Result<BTreeSet<String>> {
    let mut files = vec![];
    tree::walk(&root.join("crates/rtl/src"), &mut files)?;
    let mut names = BTreeSet::new();
    for file in files {
        let source = std::fs::read_to_string(file)?;
        let structs = source.lines().filter_map(|line| line.trim().strip_prefix("pub struct "));
        let name =
            |line: &str| line.split(|c: char| !c.is_alphanumeric()).next().map(str::to_lowercase);
        names.extend(structs.filter_map(name));
    }
    Ok(names)
}

/// Returns the requested faults. Faults of circuits are drawn by the seed, the same number from
/// each block of `crates/rtl`.
pub fn select_faults(
    tests: &[Test],
    sources: &[(&'static str, SourceFault)],
    args: &Args,
    root: &Path,
) -> Result<Vec<SelectedFault>> {
    let wanted = |part: &str, name: &str, place: &str| {
        args.only.as_ref().is_none_or(|only| only == part)
            && args.block.as_ref().is_none_or(|block| block == place)
            && args.fault.as_ref().is_none_or(|fault| fault == name)
    };
    let circuits = tests.iter().filter(|test| test.part == "circuits");
    let mut names: BTreeSet<&String> = circuits.flat_map(|test| &test.sees).collect();
    for (_, fault) in sources {
        names.remove(&fault.name);
    }
    let of_rtl = rtl_blocks(root)?;
    let mut blocks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in names {
        let Some((block, _)) = name.split_once(':') else {
            continue;
        };
        if wanted("circuits", name, block) && of_rtl.contains(&block.replace('_', "")) {
            blocks.entry(block).or_default().push(name);
        }
    }
    let mut random = SplitMix64::new(args.seed);
    for names in blocks.values_mut() {
        for i in (1..names.len()).rev() {
            names.swap(i, random.below(i as u64 + 1) as usize);
        }
    }
    let of_sources = sources.iter().map(|(part, fault)| SelectedFault {
        part,
        name: fault.name.clone(),
        place: fault.file.clone(),
        equivalent: fault.equivalent.clone(),
    });
    let of_sources = of_sources.filter(|fault| wanted(fault.part, &fault.name, &fault.place));
    let mut chosen = vec![];
    while chosen.len() < args.limit && blocks.values().any(|names| !names.is_empty()) {
        for (block, names) in &mut blocks {
            let Some(name) = names.pop() else { continue };
            chosen.push(SelectedFault {
                part: "circuits",
                equivalent: equivalence_reason(name).map(str::to_owned),
                name: name.into(),
                place: (*block).into(),
            });
        }
    }
    chosen.truncate(args.limit);
    chosen.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(of_sources.chain(chosen).collect())
}
