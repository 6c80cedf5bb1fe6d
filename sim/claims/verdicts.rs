//! The checks that decide the claims.

use phasecube::claims::{
    Check, CheckResult, CheckRunner, ClaimLedger, FigureSource, Judgement, Verdict,
};
use std::path::Path;

fn runner() -> CheckRunner {
    CheckRunner::new(Path::new(env!("CARGO_BIN_EXE_phasecube"))).unwrap()
}

/// Whether its command takes under a second: no large machine runs, no circuit is synthesised, and
/// of the sweeps only the one over load.
fn is_quick(check: &Check) -> bool {
    let large = ["--dims 12", "--dims 10", "--metacube 2,2", "--exchange", "total-exchange"];
    let FigureSource::Command(words) = &check.source else {
        return true;
    };
    let is_long = large.iter().any(|word| words.contains(word));
    let verb = words.split(' ').next().unwrap_or("");
    let is_short =
        matches!(verb, "route" | "deadlock" | "compare") || words.starts_with("sweep load");
    check.slow.is_none() && (is_short || (verb == "run" && !is_long))
}

/// Every claim whose checks are not marked slow, by the command that a user types.
#[test]
#[ignore = "thorough: machines of 4,096 nodes"]
fn all_claims_match_the_ledger() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_phasecube"));
    let output = command.args(["claims", "--check"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains(" checked claims agree with the ledger"), "{text}");
}

/// Every pointer of a quick check leads to a figure, and a claim all of whose checks are quick is
/// as the ledger says. `claims --check` makes the others.
#[test]
fn quick_claims_match_the_ledger() {
    let ledger = ClaimLedger::standard().unwrap();
    let mut runner = runner();
    let (mut pointers, mut decided, mut wrong) = (0, 0, vec![]);
    for claim in ledger.claims() {
        let quick = claim.checks.iter().filter(|check| is_quick(check));
        let found: Result<Vec<CheckResult>, _> =
            quick.map(|check| runner.run_check(check)).collect();
        let findings = match found {
            Ok(findings) => findings,
            Err(error) => {
                wrong.push(format!("{}: {:#}", claim.id, anyhow::Error::from(error)));
                continue;
            }
        };
        pointers += findings.len();
        if findings.len() == claim.checks.len() {
            let judgement = Judgement::of(claim, findings);
            decided += usize::from(judgement.verdict.is_some());
            if !judgement.agrees {
                wrong.push(format!("{}: {judgement:?}", claim.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(pointers >= 250 && decided >= 100, "{pointers}, {decided}");
}

/// Evaluates a ledger with one claim that these checks decide.
fn judged(verdict: &str, more: &str, checks: &str) -> (Option<Verdict>, bool) {
    let text = format!(
        "name = \"paper\"\nprefix = \"PA\"\n[[claim]]\nid = \"PA1\"\nname = \"n\"\nsection = \"1\"\n\
         claim = \"c\"\nverdict = \"{verdict}\"\n{more}\nchecks = [{checks}]"
    );
    let ledger = ClaimLedger::parse(&[&text]).unwrap();
    let claim = ledger.claim("PA1").unwrap();
    let judgement = runner().check_claim(claim).unwrap();
    (judgement.verdict, judgement.agrees)
}

fn hops(asserts: &str, place: &str) -> String {
    let command = "command = \"route 0x2A3 0x91C\"";
    format!("{{ {command}, figure = \"count /hops\", asserts = \"{asserts}\"{place} }}, ")
}

#[test]
fn verdicts_are_computed() {
    let condition = "condition = \"x\"";
    let general = |asserts| hops(asserts, "");
    let special = |asserts| hops(asserts, ", where = \"condition\"");
    assert_eq!(judged("true", "", &general("= 10")), (Some(Verdict::True), true));
    // A wrong relation, then a wrong verdict.
    assert_eq!(judged("true", "", &general("= 9")), (Some(Verdict::False), false));
    assert_eq!(judged("false", "", &general("= 10")), (Some(Verdict::True), false));
    // One failing check of two is enough.
    let both = general("= 10") + &general("<= 9");
    assert_eq!(judged("false", "", &both), (Some(Verdict::False), true));
    let one = general("= 9") + &special("= 10");
    assert_eq!(judged("conditional", condition, &one), (Some(Verdict::Conditional), true));
    let none = general("= 9") + &special("= 11");
    assert_eq!(judged("conditional", condition, &none), (Some(Verdict::False), false));
    let always = general("= 10") + &special("= 10");
    assert_eq!(judged("conditional", condition, &always), (Some(Verdict::True), false));
}

#[test]
fn an_impossible_check_is_reported() {
    let check = |command: &str, figure: &str| {
        let text = format!(
            "name = \"paper\"\nprefix = \"PA\"\n[[claim]]\nid = \"PA1\"\nname = \"n\"\n\
             section = \"1\"\nclaim = \"c\"\nverdict = \"true\"\n\
             checks = [{{ command = \"{command}\", figure = \"{figure}\", asserts = \"= 1\" }}]"
        );
        let ledger = ClaimLedger::parse(&[&text]).unwrap();
        let error = runner().check_claim(ledger.claim("PA1").unwrap()).unwrap_err();
        format!("{:#}", anyhow::Error::from(error))
    };
    let reported = check("route 0 0x1000", "/dims");
    assert!(reported.contains("ends with Some(2)") && reported.contains("0x1000"), "{reported}");
    let reported = check("route 0 1", "/hopes");
    assert!(reported.contains("the output has no figure \"/hopes\""), "{reported}");
}
