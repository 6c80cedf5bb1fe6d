//! The command-line options of `--network torus`.

use crate::command_line::program::{call, refused, stdout, with_tools, CallResult};
use serde_json::Value;
use std::collections::HashMap;

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[args, &["--network", "torus", "--json"]].concat())).unwrap()
}

fn done(args: &[&str]) -> CallResult {
    let dir = tempfile::tempdir().unwrap();
    call(dir.path(), args)
}

/// Compares routes with the output of another program that uses `--switch at`.
#[test]
fn routes_are_the_golden_ones() {
    let golden = include_str!("../golden/trc_routes_k4n2_at.json");
    let golden: HashMap<String, Vec<[u64; 3]>> = serde_json::from_str(golden).unwrap();
    for (source, destination) in [(5, 2), (0, 15), (12, 3), (9, 10), (6, 6)] {
        let (from, to) = (source.to_string(), destination.to_string());
        // A 4-cube has the same number of nodes.
        for size in [["--radix", "4,4"], ["--dims", "4"]] {
            let route = json(&[&["route", &from, &to], &size[..]].concat());
            let hops = route["hops"].as_array().unwrap().iter();
            let number = |hop: &Value, key: &str| hop[key].as_u64().unwrap();
            let hops: Vec<[u64; 3]> =
                hops.map(|hop| ["node", "port", "vc"].map(|key| number(hop, key))).collect();
            assert_eq!(hops, golden[&format!("{from}-{to}")]);
        }
    }
    let after = json(&["route", "5", "2", "--radix", "4,4", "--switch", "after"]);
    assert_eq!(after["hops"][1]["vc"], 1, "not yet on 0 where it leaves 0");
}

/// Figures of the specification from a model outside this repository.
#[test]
fn runs_take_as_long_as_they_should() {
    let run = ["run", "--payload", "4", "--seed", "1"];
    for (size, nodes, pattern, wanted) in [
        (["--dims", "3"], 8, "permutation", 50),
        (["--radix", "4,2"], 8, "complement", 39),
        (["--dims", "6"], 64, "permutation", 120),
        (["--radix", "8,8"], 64, "transpose", 117),
    ] {
        let result = json(&[&run[..], &size, &["--pattern", pattern]].concat());
        assert_eq!(result["bit_times"], wanted, "{size:?}, {pattern}");
        assert_eq!(result["nodes"], nodes);
        assert_eq!(result["delivered"], result["messages"]);
    }
}

/// Numbers of nodes other than 2^N, and three dimensions.
#[test]
#[ignore = "thorough: many machines"]
fn any_radices_run() {
    for (radix, nodes) in [("3,5", 15), ("5", 5), ("2,3,2", 12)] {
        for engine in ["lockstep", "evaluator", "reference"] {
            let size = ["run", "--radix", radix, "--engine", engine];
            let result = json(&[&size[..], &["--pattern", "relation:2"]].concat());
            assert_eq!(
                (&result["nodes"], &result["delivered"]),
                (&nodes.into(), &(2 * nodes).into())
            );
        }
    }
}

/// The log has a line for each channel of each route, and one for the delivery.
#[test]
fn the_log_has_every_hop() {
    let result = json(&["run", "--radix", "4,4", "--pattern", "permutation", "--trace"]);
    let log = result["log"].as_array().unwrap();
    let lines = |what: &str| log.iter().filter(|line| line["what"] == what).count() as u64;
    assert_eq!(lines("fwd"), result["hops"].as_u64().unwrap());
    let moved = result["delivered"].as_u64().unwrap() - result["to_self"].as_u64().unwrap();
    assert_eq!(lines("dlv"), moved);
}

/// Figures 1 and 2 of the paper.
#[test]
fn a_ring_with_one_virtual_channel_deadlocks() {
    let ring = ["run", "--network", "torus", "--radix", "4", "--pattern", "xor:2"];
    let one = done(&[&ring[..], &["--vcs", "1"]].concat());
    assert_eq!(one.code, Some(1), "{one:?}");
    assert!(one.stdout.contains("0 of 4 messages delivered"), "{one:?}");
    assert!(
        one.stdout.contains("  in 0x1 to 0x0 a message for 0x3 waits for 0x0 to 0x3\n"),
        "{one:?}"
    );
    assert!(one.stderr.contains("no message has moved for"), "{one:?}");
    let two = done(&ring);
    assert_eq!(two.code, Some(0), "{two:?}");
    assert!(two.stdout.contains("4 of 4 messages delivered"), "{two:?}");
}

/// The checker reports the cycle before anything runs, and the circuit confirms it.
#[test]
fn a_ring_with_one_virtual_channel_has_a_cycle() {
    let check = ["deadlock", "--network", "torus", "--radix", "4", "--confirm", "--vcs"];
    let one = done(&[&check[..], &["1"]].concat());
    assert_eq!(one.code, Some(1), "{one:?}");
    assert!(one.stdout.contains("4 channels wait for each other in a cycle"), "{one:?}");
    assert!(one.stdout.contains("nothing moves any more"), "{one:?}");
    let two = done(&[&check[..], &["2"]].concat());
    assert_eq!(two.code, Some(0), "{two:?}");
    assert!(two.stdout.contains("this order of 6 channels, none waits"), "{two:?}");
}

/// The tail as printed in the paper loses messages. A tail that receivers can recognise loses none.
#[test]
fn a_naive_tail_loses_messages() {
    let run = ["run", "--network", "torus", "--radix", "3,3", "--pattern", "permutation", "--tail"];
    let naive = done(&[&run[..], &["naive"]].concat());
    assert_eq!(naive.code, Some(1), "{naive:?}");
    for tail in ["zero", "wire"] {
        assert_eq!(done(&[&run[..], &[tail]].concat()).code, Some(0), "{tail}");
    }
}

/// The time in a comparison equals the time of a separate run.
#[test]
fn a_torus_can_be_compared() {
    let traffic = ["--dims", "3", "--pattern", "permutation", "--payload", "4"];
    let compare =
        ["compare", "--networks", "tdma,cm1,torus", "--no-synthesis", "--no-sweeps", "--json"];
    let dir = tempfile::tempdir().unwrap();
    let done: CallResult =
        with_tools(dir.path()).args([&compare[..], &traffic].concat()).output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    let all: Value = serde_json::from_str(&done.stdout).unwrap();
    let machines = all["machines"].as_array().unwrap();
    let place = machines.iter().position(|m| m["network"] == "torus").unwrap();
    assert_eq!((machines.len(), place), (7, 6));
    // Eight data wires, 2 requests and 2 acknowledges in each of two dimensions.
    assert_eq!(machines[place]["per_node"], 24.0);
    let single = json(&[&["run"], &traffic[..]].concat());
    let run = &all["runs"][place];
    assert_eq!(run["bit_times"], single["bit_times"]);
    assert_eq!(run["hops"], single["hops"]);
}

#[test]
fn invalid_values_are_rejected_with_accepted_ones() {
    for command in [&["run"][..], &["route", "1", "2"]] {
        let foreign = [command, &["--network", "tdma", "--radix", "4,4"]].concat();
        refused(
            2,
            &foreign,
            "--radix is a flag of torus; accepted: --network torus, or no --radix",
        );
    }
    let torus = |args: &[&str], says: &str| {
        refused(2, &[&["run", "--network", "torus"], args].concat(), says);
    };
    torus(&["--link", "raw"], "--link is a flag of tdma; accepted: --network tdma");
    torus(&["--radix", "4,1"], "accepted: 2 to 256");
    torus(&["--radix", "256,256,2"], "a torus of 131072 nodes is too large; accepted: up to 65536");
    torus(&["--vcs", "3"], "accepted: 1 to 2");
    torus(&["--tail", "none"], "there is no tail \"none\"; accepted: zero, wire, naive");
    torus(&["--radix", "2,2,2", "--tail", "zero"], "accepted: a tail wire");
    torus(&["--radix", "3,3", "--pattern", "bitrev"], "accepted");
    refused(
        2,
        &["compare", "--networks", "torus", "--radix", "4,4", "--dims", "3"],
        "the 4x4 torus has 16 nodes, the others have 8; accepted: --radix with a product of 8",
    );
}

/// A waveform starts with the run and contains every clock cycle.
#[test]
fn waveforms_of_two_engines_are_the_same() {
    let run = ["run", "--network", "torus", "--radix", "3", "--pattern", "complement"];
    let files = ["lockstep", "evaluator"].map(|engine| {
        let dir = tempfile::tempdir().unwrap();
        let wave = ["--engine", engine, "--wave", "w.vcd"];
        let done = call(dir.path(), &[&run[..], &wave].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        std::fs::read_to_string(dir.path().join("w.vcd")).unwrap()
    });
    let changes = |text: &str| -> Vec<String> {
        let lines = text.lines().skip_while(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    };
    let [lockstep, evaluator] = files.map(|text| changes(&text));
    assert_eq!(lockstep, evaluator);
    for clock_cycle in ["#0", "#3", "#5"] {
        assert!(lockstep.iter().any(|line| line == clock_cycle), "{clock_cycle}");
    }
}

/// The logic analyser's output for all channels equals the log. It lists each packet on each
/// channel at the time of its first byte, and as many bytes as were carried.
#[test]
fn packets_are_decoded_from_channels() {
    for radix in ["4,2", "2,3,2", "5"] {
        for more in [&["--vcs", "2"][..], &["--tail", "wire", "--queue", "1"]] {
            let run = [&["run", "--radix", radix, "--pattern", "relation:3"][..], more];
            let run = run.concat();
            let result = json(&[&run[..], &["--trace"]].concat());
            let log = result["log"].as_array().unwrap().iter();
            let forwarded = log.filter(|line| line["what"] == "fwd");
            let hop = |line: &Value| {
                let number = |key: &str| line[key].as_u64().unwrap();
                // The lowest bit of the queue number selects one of two virtual channels.
                let vc = number("from_reg") % 2;
                [number("t"), number("node"), number("to"), vc, number("dst")]
            };
            let mut wanted: Vec<[u64; 5]> = forwarded.map(hop).collect();
            let text =
                stdout(&[&run[..], &["--network", "torus", "--logic-analyzer", "*"]].concat());
            let node = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
            let (mut found, mut bytes) = (vec![], 0);
            let (mut from, mut to, mut packet) = (0, 0, None);
            for line in text.lines() {
                let words: Vec<&str> =
                    line.split([' ', ',', ':']).filter(|w| !w.is_empty()).collect();
                match words[..] {
                    ["Channel", "from", a, "to", b, ..] => (from, to) = (node(a), node(b)),
                    ["A", "packet", "for", destination, "on", "virtual", "channel", vc] => {
                        packet = Some((node(destination), vc.parse().unwrap()));
                    }
                    [t, byte, "dimension" | "data" | "tail", ..] => {
                        assert_eq!(byte.len(), 2, "{line}");
                        bytes += 1;
                        if let Some((destination, vc)) = packet.take() {
                            found.push([t.parse().unwrap(), from, to, vc, destination]);
                        }
                    }
                    _ => assert!(!line.starts_with("A packet"), "{line}"),
                }
            }
            wanted.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, wanted, "{run:?}");
            assert_eq!(bytes, result["bytes"].as_u64().unwrap());
            assert_eq!(text.matches("  tail\n").count() as u64, result["hops"].as_u64().unwrap());
        }
    }
}

/// An analyser that starts late recognises packets after the first tail. A waveform names each
/// channel of a ring of two separately.
#[test]
fn channels_are_watched() {
    let run = ["run", "--network", "torus", "--radix", "2"];
    let late = ["--pattern", "relation:16", "--from", "9"];
    let text = stdout(&[&run[..], &late, &["--logic-analyzer", "0-1"]].concat());
    assert!(text.contains("  of a packet that began before\n"), "{text}");
    assert!(text.contains("A packet for 0x1 on virtual channel 1:\n"), "{text}");
    let wave = ["--pattern", "complement", "--wave", "-", "--watch", "link[1-0].*"];
    let dir = tempfile::tempdir().unwrap();
    let done = call(dir.path(), &[&run[..], &wave].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    for says in [
        "$scope module link[0x0-0x1] $end",
        "$scope module link[0x1-0x0] $end",
        "sfor_0x1 ",
        "saddress_0 ",
        "stail ",
    ] {
        assert!(done.stdout.contains(says), "{says}: {done:?}");
    }
}

/// The messages that fill the cycle deadlock with one virtual channel. They arrive with two, under
/// both rules.
#[test]
fn the_deadlocking_list_arrives_with_two_virtual_channels() {
    for radix in ["4", "3,5"] {
        let dir = tempfile::tempdir().unwrap();
        let torus = ["--network", "torus", "--radix", radix];
        let check = ["--vcs", "1", "--confirm", "--dump-traffic", "list.csv"];
        let done = call(dir.path(), &[&["deadlock"], &torus[..], &check].concat());
        assert_eq!(done.code, Some(1), "{done:?}");
        let run = [&["run"], &torus[..], &["--pattern", "file:list.csv"]].concat();
        for (more, code) in
            [(&["--vcs", "1"][..], 1), (&["--switch", "at"], 0), (&["--switch", "after"], 0)]
        {
            let done = call(dir.path(), &[&run[..], more].concat());
            assert_eq!(done.code, Some(code), "{more:?}: {done:?}");
        }
        // A list is written only for a deadlock.
        let two = ["--vcs", "2", "--dump-traffic", "none.csv"];
        let done = call(dir.path(), &[&["deadlock"], &torus[..], &two].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.stdout.contains("no messages to write"), "{done:?}");
        assert!(!dir.path().join("none.csv").exists());
    }
}
