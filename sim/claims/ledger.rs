//! The ledger as a file.

use phasecube::claims::{ClaimLedger, FigureSource, LedgerError};
use phasecube::{cli, networks};
use std::collections::BTreeSet;

/// The claims of each paper are numbered without a gap, and their names are unique.
#[test]
fn claims_are_numbered_and_have_unique_names() {
    let ledger = ClaimLedger::standard().unwrap();
    for paper in &ledger.papers {
        for (number, claim) in (1..).zip(&paper.claims) {
            assert_eq!(claim.id, format!("{}{number}", paper.prefix));
        }
    }
    let names: BTreeSet<&str> = ledger.claims().map(|claim| claim.name.as_str()).collect();
    assert_eq!(names.len(), ledger.claims().count());
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    assert!(names.iter().all(|name| name.chars().all(kebab)));
}

#[test]
fn every_command_can_be_read() {
    let ledger = ClaimLedger::standard().unwrap();
    let networks = networks::standard();
    for check in ledger.claims().flat_map(|claim| &claim.checks) {
        let FigureSource::Command(words) = &check.source else {
            continue;
        };
        let words = std::iter::once("phasecube").chain(words.split_whitespace());
        let json = check.figure.is_in_json();
        let words = words.chain(json.then_some("--json"));
        let read = cli::check_command_line(&networks, words);
        assert!(read.is_ok(), "{}: {}", check.source, read.unwrap_err());
    }
}

/// Every computation is cited by a claim. Otherwise it is dead code.
#[test]
fn every_computation_belongs_to_a_claim() {
    let ledger = ClaimLedger::standard().unwrap();
    let checks = ledger.claims().flat_map(|claim| &claim.checks);
    let cited: BTreeSet<String> = checks
        .filter_map(|check| match &check.source {
            FigureSource::Computation(name) => Some(name.clone()),
            FigureSource::Command(_) => None,
        })
        .collect();
    let all = phasecube::claims::computations::all();
    let all: BTreeSet<String> = all.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(cited, all);
}

/// Returns the error for a paper with this claim.
fn refused(claim: &str) -> String {
    let head = "name = \"paper\"\nprefix = \"PA\"\n";
    let text = format!("{head}[[claim]]\nsection = \"1\"\nclaim = \"c\"\n{claim}");
    match ClaimLedger::parse(&[&text]) {
        Err(LedgerError::Toml(error)) => error.to_string(),
        Err(error) => error.to_string(),
        Ok(_) => panic!("it was accepted: {claim}"),
    }
}

#[test]
fn a_claim_that_cannot_be_decided_is_refused() {
    const CHECK: &str =
        "checks = [{ command = \"route 0 1\", figure = \"/dims\", asserts = \"= 12\"";
    let id = "id = \"PA1\"\nname = \"n\"\n";
    for (rest, says) in [
        ("verdict = \"true\"", "has checks"),
        ("verdict = \"not-checkable\"", "says why"),
        ("verdict = \"maybe\"", "unknown variant"),
        (&format!("verdict = \"conditional\"\n{CHECK} }}]"), "has a condition"),
        (
            &format!("verdict = \"conditional\"\ncondition = \"x\"\n{CHECK} }}]"),
            "checked under its condition",
        ),
        (
            &format!("verdict = \"true\"\n{CHECK}, where = \"condition\" }}]"),
            "as it stands",
        ),
        (&format!("verdict = \"true\"\nmissing = \"x\"\n{CHECK} }}]"), "is not missing"),
        (&format!("verdict = \"true\"\n{CHECK}, slowly = \"x\" }}]"), "unknown field"),
        (
            "verdict = \"true\"\nchecks = [{ compute = \"none\", figure = \"/a\", asserts = \"= 1\" }]",
            "there is no computation",
        ),
        (
            "verdict = \"true\"\nchecks = [{ figure = \"/a\", asserts = \"= 1\" }]",
            "a command or a computation",
        ),
    ] {
        let error = refused(&format!("{id}{rest}"));
        assert!(error.contains(says), "{rest}: {error}");
    }
    let gap = refused("id = \"PA2\"\nname = \"n\"\nverdict = \"true\"\nmissing = \"x\"");
    assert!(gap.contains("should be PA1"), "{gap}");
}

#[test]
fn claims_are_found_by_number_and_by_name() {
    let ledger = ClaimLedger::standard().unwrap();
    for word in ["TD18", "td18", "tdma-example-hops"] {
        assert_eq!(ledger.claim(word).unwrap().id, "TD18");
    }
    for (word, near) in [
        ("TD99", "TD9"),
        ("tdma-exampel-hops", "tdma-example-hops"),
        ("tdma-hypercub", "tdma-hypercube"),
    ] {
        let unknown = ledger.claim(word).unwrap_err();
        assert!(unknown.near.iter().any(|name| name == near), "{unknown}");
    }
}
