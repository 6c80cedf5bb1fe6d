//! Selection of the faults to inject.

use super::equivalent::equivalence_reason;
use super::sources::SourceFault;
use super::tests::Test;
use super::Args;
use phasecube::traffic::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};

/// A fault to inject.
pub struct SelectedFault {
    pub part: &'static str,
    pub name: String,
    /// Block or file of the fault.
    pub place: String,
    /// Reason why no test can detect the fault, if there is one.
    pub equivalent: Option<String>,
}

/// Returns the requested faults. Faults of circuits are drawn by the seed, the same number from
/// each block.
pub fn select_faults(
    tests: &[Test],
    sources: &[(&'static str, SourceFault)],
    args: &Args,
) -> Vec<SelectedFault> {
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
    let mut blocks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in names {
        let Some((block, _)) = name.split_once(':') else {
            continue;
        };
        if wanted("circuits", name, block) {
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
    of_sources.chain(chosen).collect()
}
