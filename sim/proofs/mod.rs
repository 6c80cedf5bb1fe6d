//! Every property is proved on the emitted Verilog. The proofs can fail: each mutant that is tried
//! makes one fail, with a wave that can be opened.

use phasecube::proofs::{ProofJob, ProofRecord, Property, PROPERTIES};
use phasecube::toolchain::Toolchain;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wellen::simple;

fn tools() -> Toolchain {
    Toolchain::open().unwrap()
}

/// Folder of proof results, kept between test runs and shared with `phasecube prove`.
fn kept() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("phasecube").join("proofs")
}

/// Returns all mutants of a property, or only the first if its mutants are slow.
fn mutants(property: &'static Property<'static>) -> Vec<ProofJob<'static>> {
    let all = ProofJob::mutants(property);
    let tried = if property.quick { all.len() } else { 1 };
    all.into_iter().take(tried).collect()
}

/// Runs all jobs, one for each processor at a time. Checks that each has the expected result.
fn records<'a>(jobs: impl Iterator<Item = ProofJob<'a>>) -> Vec<ProofRecord> {
    let (tools, jobs) = (tools(), jobs.collect::<Vec<_>>());
    let record = |job: &ProofJob| job.run(&tools, &kept()).unwrap();
    let records: Vec<ProofRecord> = jobs.par_iter().map(record).collect();
    for record in &records {
        assert!(record.as_it_must_be, "{record:#?}");
    }
    records
}

#[test]
#[ignore = "thorough: proofs by yosys and a solver"]
fn every_property_is_proved() {
    records(PROPERTIES.iter().flat_map(ProofJob::cases));
}

#[test]
#[ignore = "thorough: proves mutants"]
fn mutants_make_their_proof_fail() {
    for record in records(PROPERTIES.iter().flat_map(mutants)) {
        // The wave must reach the clock cycle in which the proof fails.
        let wave = record.wave.as_ref().unwrap();
        let wave = simple::read(wave.as_os_str()).unwrap_or_else(|e| panic!("{wave:?}: {e}"));
        let (_, clock_cycle) = record.fails.unwrap();
        assert!(wave.time_table().len() > clock_cycle as usize);
        let proof = wave.hierarchy().scopes().next().unwrap();
        assert_eq!(wave.hierarchy()[proof].name(wave.hierarchy()), "proof");
    }
}

/// Mutants that are not tried must still find their text in the present Verilog.
#[test]
fn every_mutant_can_be_made() {
    for property in PROPERTIES {
        let circuits = property.cases[0].emit().unwrap();
        for mutant in property.mutants {
            if let Err(error) = property.mutated(mutant, &circuits) {
                panic!("{error}");
            }
        }
    }
}

/// Each property has a unique name, at least one case and at least one mutant, and its sentence
/// ends with a full stop.
#[test]
fn properties_have_unique_names_cases_and_mutants() {
    let names: BTreeSet<&str> = PROPERTIES.iter().map(|property| property.name).collect();
    assert_eq!(names.len(), PROPERTIES.len());
    for property in PROPERTIES {
        assert!(!property.mutants.is_empty(), "{}", property.name);
        assert!(!property.cases.is_empty(), "{}", property.name);
        assert!(property.sentence.ends_with('.'), "{}", property.name);
    }
}

/// Every file of `proofs/` is used.
#[test]
fn every_file_is_used() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs");
    let files = std::fs::read_dir(dir).unwrap();
    let files: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let used: BTreeSet<String> = PROPERTIES.iter().map(|p| p.file.to_owned()).collect();
    assert_eq!(files, used);
}
