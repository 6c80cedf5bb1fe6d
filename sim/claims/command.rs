//! The command `phasecube claims`.

use serde_json::Value;
use std::process::{Command, Output};

fn claims(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasecube"));
    command.arg("claims").args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn all_claims_are_listed_with_their_checks() {
    let text = stdout(&claims(&[]));
    assert!(text.lines().all(|line| line.chars().count() <= 160));
    for says in ["TD18", "MC36", "route 0x2A3 0x91C", " claims: "] {
        assert!(text.contains(says), "{says}");
    }
    let one = stdout(&claims(&["torus-routing-chip"]));
    assert!(one.contains("TC39") && !one.contains("TD18"));
}

/// The summary counts the printed lines correctly.
#[test]
fn summary_counts_match_the_listed_claims() {
    let report: Value = serde_json::from_str(&stdout(&claims(&["--json"]))).unwrap();
    let claims = report["claims"].as_array().unwrap();
    let missing = |claim: &&Value| !claim["missing"].is_null();
    let of = |verdict: &str| {
        let claims = claims.iter().filter(|claim| !missing(claim));
        claims.filter(|claim| claim["verdict"] == verdict).count()
    };
    let counts = &report["counts"];
    assert_eq!(counts["claims"], claims.len());
    assert_eq!(counts["true"], of("true"));
    assert_eq!(counts["false"], of("false"));
    assert_eq!(counts["conditional"], of("conditional"));
    assert_eq!(counts["not_checkable"], of("not-checkable"));
    assert_eq!(counts["missing"], claims.iter().filter(missing).count());
    assert!(report["agree"].is_null());
}

#[test]
fn a_claim_is_shown_with_both_figures() {
    let output = claims(&["TD18"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for says in ["paper    9\n", "route 0x2A3 0x91C", "count /hops is 10", "verdict  false\n"] {
        assert!(text.contains(says), "{says}: {text}");
    }
    // A claim that is named is shown, also with --check.
    assert_eq!(stdout(&claims(&["TD18", "--check"])), text);
    let report: Value = serde_json::from_str(&stdout(&claims(&["td18", "--json"]))).unwrap();
    let claim = &report["claims"][0];
    assert_eq!(report["agree"], true);
    assert_eq!(claim["computed"], "false");
    assert_eq!(claim["checks"][0]["found"], 10);
    assert_eq!(claim["checks"][0]["holds"], false);
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest() {
    let output = claims(&["tdma-example-hop"]);
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8(output.stderr).unwrap();
    assert!(reported.contains("tdma-example-hops"), "{reported}");
    assert!(output.stdout.is_empty());
}

/// Every command that the help and the documents name exists.
#[test]
fn examples_name_existing_claims() {
    let ledger = phasecube::claims::ClaimLedger::standard().unwrap();
    let help = stdout(&claims(&["--help"]));
    let docs = include_str!("../../docs/command-line.md");
    let mut named = 0;
    for line in help.lines().map(str::trim).chain(docs.split('`')) {
        let words = line.strip_prefix("phasecube ").unwrap_or(line);
        let Some(names) = words.strip_prefix("claims ") else {
            continue;
        };
        for name in names.split(' ').filter(|n| !n.starts_with('-') && *n != "PAPER") {
            named += 1;
            assert!(ledger.paper(name).is_some() || ledger.claim(name).is_ok(), "{name}");
        }
    }
    assert!(named >= 4, "{named}");
}
