//! Runs that end before their messages have arrived: no ratio is above 1, and what has no samples
//! is no number.

use super::program::{call, with_tools, CallResult};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Both ways over one wire, which is never idle.
fn both_directions(dir: &Path) {
    fs::write(dir.join("both.csv"), "0,1\n1,0\n".repeat(10)).unwrap();
}

fn report(dir: &Path, args: &str) -> Value {
    let mut run = with_tools(dir);
    run.args(["run", "--json"]).args(args.split(' '));
    let done: CallResult = run.output().unwrap().into();
    assert!(matches!(done.code, Some(0 | 1)), "{args}: {done:?}");
    serde_json::from_str(&done.stdout).unwrap()
}

/// Cuts a run after every superframe until it is complete. No ratio is above 1, and the figures
/// never fall. The superframes that it took.
fn cut_everywhere(dir: &Path, args: &str) -> u64 {
    let mut hops = 0;
    for superframes in 1.. {
        let report = report(dir, &format!("{args} --superframes {superframes}"));
        let ratios = report.as_object().unwrap().iter();
        let ratios = ratios.filter(|(key, _)| key.contains("utilisation"));
        for (key, ratio) in ratios {
            let ratio = ratio.as_f64().unwrap_or(0.0);
            assert!((0.0..=1.0).contains(&ratio), "{args}, {superframes}: {key} is {ratio}");
        }
        let begun = report["superframes"].as_u64().unwrap();
        assert!(begun <= superframes, "{args}, {superframes}: {report}");
        let now = report["hops"].as_u64().unwrap();
        assert!(now >= hops, "{args}, {superframes}: {report}");
        hops = now;
        // Programs that are given data have no messages.
        let left = match report.get("programs") {
            Some(programs) => programs["ended"] != report["nodes"],
            None => {
                let arrived = report["delivered"].as_u64() > report["to_self"].as_u64();
                let ranks = ["min", "p50", "p99", "max"];
                for rank in ranks.map(|rank| &report["latency"][rank]) {
                    assert_eq!(rank.is_u64(), arrived, "{args}, {superframes}: {report}");
                    assert_eq!(rank.is_null(), !arrived, "{args}, {superframes}: {report}");
                }
                report["unfinished"].as_u64().unwrap() > 0
            }
        };
        if !left {
            return superframes;
        }
    }
    unreachable!()
}

#[test]
fn no_ratio_of_a_truncated_run_is_above_one() {
    let dir = tempfile::tempdir().unwrap();
    both_directions(dir.path());
    let took = cut_everywhere(dir.path(), "--dims 1 --pattern file:both.csv");
    assert!(took >= 10, "{took}");
    // Each superframe carries a message each way, and the run ends when its last phase begins.
    let report = report(dir.path(), "--dims 1 --pattern file:both.csv --superframes 4");
    assert_eq!(report["hops"], 7);
    assert_eq!(report["wire_utilisation"], 7.0 / 8.0);
}

#[test]
#[ignore = "thorough: every network that ends after so many superframes"]
fn no_ratio_of_any_truncated_network_is_above_one() {
    let dir = tempfile::tempdir().unwrap();
    both_directions(dir.path());
    let file = "--pattern file:both.csv";
    for compile in [
        "compile --dims 3 --pattern relation:4 --out cube.json",
        "compile --metacube 1,1 --pattern relation:4 --out metacube.json",
    ] {
        let done = call(dir.path(), &compile.split(' ').collect::<Vec<_>>());
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let exchange = "--pattern total-exchange";
    for args in [
        format!("--dims 1 {file} --link raw"),
        format!("--dims 1 {file} --routing adaptive"),
        format!("--dims 1 {file} --firmware route"),
        format!("--dims 1 {file} --noise 0.01"),
        format!("--dims 3 {exchange}"),
        format!("--dims 3 {exchange} --link raw"),
        format!("--dims 3 {exchange} --routing adaptive"),
        format!("--dims 3 {exchange} --routing adaptive --firmware route"),
        format!("--dims 3 {exchange} --firmware route_at_once"),
        "--dims 3 --compiled cube.json".to_owned(),
        "--dims 3 --firmware fft --data none".to_owned(),
        format!("--network metacube --dims 3 {exchange}"),
        format!("--network metacube --dims 3 {exchange} --firmware route"),
        "--network metacube --dims 3 --compiled metacube.json".to_owned(),
        "--network metacube --dims 3 --exchange cyclic".to_owned(),
        "--network metacube --dims 3 --exchange pipelined".to_owned(),
    ] {
        let took = cut_everywhere(dir.path(), &args);
        assert!(took > 1, "{args}: {took}");
    }
}

/// In its first superframe the message of a 1-cube comes to a register, and to its host after it.
#[test]
fn statistics_without_samples_are_null() {
    let dir = tempfile::tempdir().unwrap();
    let cut = ["run", "--dims", "1", "--pattern", "complement", "--superframes", "1"];
    let text = call(dir.path(), &cut);
    assert_eq!(text.code, Some(1), "{text:?}");
    assert!(text.stdout.contains("0 of 2 messages delivered"), "{text:?}");
    assert!(text.stdout.contains("latency from the start, in phases: none\n"), "{text:?}");
    let json = report(dir.path(), "--dims 1 --pattern complement --superframes 1");
    assert_eq!(json["delivered"], 0);
    assert_eq!(
        json["latency"].to_string(),
        r#"{"max":null,"min":null,"p50":null,"p99":null,"unit":"phases"}"#
    );
    // Of messages to their own nodes no wire carries any.
    for network in ["tdma", "cm1", "torus", "rotation", "metacube"] {
        fs::write(dir.path().join("self.csv"), "3,3\n").unwrap();
        let args = format!("--network {network} --dims 3 --pattern file:self.csv");
        let json = report(dir.path(), &args);
        if network != "cm1" {
            assert!(json["wire_utilisation"].is_null(), "{network}: {json}");
            assert!(json["latency"]["max"].is_null(), "{network}: {json}");
        }
    }
}

/// A packet time is the time of the longest packet. Many short packets fit in one, but never more bytes
/// than clock cycles.
#[test]
fn short_packets_do_not_exceed_the_capacity_of_a_channel() {
    let dir = tempfile::tempdir().unwrap();
    let long = "00".repeat(40);
    let short = "0,1,01\n1,0,01\n".repeat(60);
    let text = format!("{short}0,1,{long}\n1,0,{long}\n");
    fs::write(dir.path().join("mixed.csv"), text).unwrap();
    for network in ["torus --radix 2", "rotation --dims 1"] {
        let report = report(dir.path(), &format!("--network {network} --pattern file:mixed.csv"));
        let hops = report["hops"].as_u64().unwrap();
        assert_eq!(hops, 122, "{report}");
        let used = report["wire_utilisation"].as_f64().unwrap();
        assert!(used > 0.3 && used <= 1.0, "{network}: {used}");
    }
}
