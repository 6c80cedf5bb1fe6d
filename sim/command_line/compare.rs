//! The command `phasecube compare`.

use crate::command_line::program::{refused, with_tools, CallResult};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Runs a command in a directory. Nothing is printed on standard error, because it is no terminal.
fn phasecube(dir: &Path, args: &[&str]) -> String {
    let done: CallResult = with_tools(dir).args(args).output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    done.stdout
}

fn json(args: &[&str]) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let text = phasecube(dir.path(), &[args, &["--json"]].concat());
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// `compare` reports in bit-times the results that `run` reports in phases and petit cycles, for
/// the same machine and messages.
#[test]
#[ignore = "thorough: many runs"]
fn a_comparison_equals_single_runs() {
    let traffic = ["--dims", "3", "--pattern", "relation:3", "--seed", "5"];
    // The CM-1 alone carries messages to their own source. In a comparison no network carries them.
    let dir = tempfile::tempdir().unwrap();
    let dump = ["run", "--dump-traffic", "all.csv"];
    phasecube(dir.path(), &[&dump, &traffic[..]].concat());
    let list = fs::read_to_string(dir.path().join("all.csv")).unwrap();
    let leaves = |line: &&str| {
        let mut fields = line.split(',');
        fields.next() != fields.next()
    };
    let leaving: Vec<&str> = list.lines().filter(leaves).collect();
    assert!(leaving.len() < list.lines().count(), "some stay");
    let file = dir.path().join("leaving.csv");
    std::fs::write(&file, leaving.join("\n")).unwrap();
    let file = format!("file:{}", file.display());
    let leaving = ["--dims", "3", "--pattern", &file];
    // Compiles schedules for the messages that leave their node.
    let compiled = ["", "--metacube 1,1"].map(|shape| {
        let out = dir.path().join(format!("schedule{}.json", shape.len()));
        let schedule = out.display().to_string();
        let shape: Vec<&str> = shape.split_whitespace().collect();
        let args = [&["compile", "--out", &schedule], &leaving[..], &shape].concat();
        phasecube(dir.path(), &args);
        match shape.is_empty() {
            true => format!("--compiled {schedule}"),
            false => format!("--network metacube --compiled {schedule}"),
        }
    });
    let compare = ["compare", "--no-sweeps", "--no-synthesis"];
    let all = json(&[&compare, &traffic[..]].concat());
    let cm1 = "--network cm1 --processors 1 --rows 4 --eject per-processor";
    let single = [
        "--firmware route",
        "",
        "--routing adaptive --firmware route",
        "--routing adaptive",
        &compiled[0],
        cm1,
        "--network torus",
        "--network rotation",
        "--network metacube --firmware route",
        "--network metacube",
        &compiled[1],
    ];
    let machines = all["machines"].as_array().unwrap();
    let runs = all["runs"].as_array().unwrap();
    assert_eq!((machines.len(), runs.len()), (single.len(), single.len()));
    assert_eq!(all["left_out"], Value::Array(vec![]));
    for ((machine, report), flags) in machines.iter().zip(runs).zip(single) {
        let flags: Vec<&str> = flags.split_whitespace().collect();
        let is_cm1 = machine["network"] == "cm1";
        let is_compiled = flags.contains(&"--compiled");
        let traffic = match is_cm1 || is_compiled {
            // The schedule contains the messages.
            true if is_compiled => &["--dims", "3"][..],
            true => &leaving[..],
            false => &traffic[..],
        };
        let run = json(&[&["run"], traffic, &flags].concat());
        for field in ["hops", "wire_utilisation"] {
            assert_eq!(report[field], run[field], "{field}");
        }
        let number = |value: &Value| value.as_u64().unwrap();
        let travelled = number(&run["messages"]) - number(&run["to_self"]);
        assert_eq!(number(&report["messages"]), travelled);
        assert!(number(&report["stayed"]) > 0);
        let step = number(&machine["step"]);
        if is_cm1 {
            assert_eq!(report["periods"], run["petit_cycles"]);
            let heart = number(&run["bit_times"]) + number(&run["ejector_bit_times"]);
            assert_eq!(number(&report["bit_times"]), heart);
        } else {
            for rank in ["min", "p50", "p99", "max"] {
                let steps = number(&run["latency"][rank]);
                assert_eq!(number(&report["latency"][rank]), steps * step, "{rank}");
            }
            match run.get("superframes") {
                Some(superframes) => assert_eq!(report["periods"], *superframes),
                None => assert_eq!(report["bit_times"], run["bit_times"]),
            }
        }
        assert_eq!(machine["silicon"], Value::Null, "nothing is synthesised");
    }
}

/// A message to its own source enters no network. Seven messages for one processor take seven petit
/// cycles, and the eighth, its own, takes none.
#[test]
fn messages_to_their_own_source_enter_no_network() {
    let hotspot = ["compare", "--networks", "cm1", "--pattern", "hotspot", "--no-sweeps"];
    let all = json(&[&hotspot[..], &["--dims", "3", "--no-synthesis"]].concat());
    let run = &all["runs"][0];
    for (field, value) in [("messages", 7), ("stayed", 1), ("periods", 7)] {
        assert_eq!(run[field], value, "{field}");
    }
}

/// With synthesis, messages per second follow from the achieved clock. The terminal and the files
/// agree with the JSON.
#[test]
#[ignore = "thorough: synthesises circuits"]
fn one_measurement_in_every_form() {
    let args = ["compare", "--networks", "cm1", "--pattern", "complement"];
    let args = [&args[..], &["--rows", "2", "--payload", "1", "--no-sweeps"]].concat();
    let all = json(&args);
    let silicon = &all["machines"][0]["silicon"];
    let run = &all["runs"][0];
    let number = |value: &Value| value.as_f64().unwrap();
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a}, {b}");
    assert_eq!(silicon["clock_mhz"], silicon["router"]["fmax_mhz"]);
    let seconds = number(&run["bit_times"]) / number(&silicon["clock_mhz"]) / 1e6;
    close(number(&run["messages_per_second"]), 8.0 / seconds);
    for (part, figure) in [("router", "router"), ("node", "node")] {
        let cells = 8.0 * number(&silicon[part]["logic_cells"]) / 1000.0;
        let figure = &run[format!("per_second_and_1000_{figure}_cells")];
        close(number(figure), 8.0 / seconds / cells);
    }
    // A router holds some bits for each of its 2 rows and 3 columns. A node adds one core.
    let cells = |part: &str| silicon[part]["logic_cells"].as_u64().unwrap();
    assert!(silicon["router"]["flip_flops"].as_u64().unwrap() >= 2 * 2 * 3);
    assert!(cells("node") > cells("router") + 400);
    assert_eq!(all["setup"]["tools"].as_array().unwrap().len(), 2);

    let dir = tempfile::tempdir().unwrap();
    let text = phasecube(dir.path(), &[&args[..], &["--out", "report"]].concat());
    let cell = format!(" {} |", cells("router"));
    assert!(text.contains(&cell), "{text}");
    let written = fs::read_to_string(dir.path().join("report/compare.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), all);
    let page = fs::read_to_string(dir.path().join("report/compare.html")).unwrap();
    assert!(page.contains(&format!("<td>{}</td>", cells("router"))), "{page}");
    for tool in all["setup"]["tools"].as_array().unwrap() {
        assert!(page.contains(tool.as_str().unwrap()), "{page}");
    }
    // The command shown in the page reproduces the result.
    let command = all["setup"]["command"].as_str().unwrap();
    assert!(page.contains(command), "{page}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(json(&words), all);
}

/// A saturating load is the last one tried.
#[test]
fn only_the_requested_loads_are_swept() {
    let args = ["compare", "--networks", "cm1", "--dims", "2", "--pattern", "bitrev"];
    let sweeps = ["--relations", "1,5", "--loads", "4,0.1,8", "--payload", "1"];
    let all = json(&[&args[..], &sweeps].concat());
    let relations = all["messages_per_processor"].as_array().unwrap();
    let patterns: Vec<&Value> = relations.iter().map(|run| &run["pattern"]).collect();
    assert_eq!(patterns, ["relation:1", "relation:5"]);
    let loads = all["offered_load"].as_array().unwrap();
    let tried: Vec<&Value> = loads.iter().map(|point| &point["load"]).collect();
    assert_eq!(tried, [0.1, 4.0]);
    let saturated: Vec<&Value> = loads.iter().map(|point| &point["saturated"]).collect();
    assert_eq!(saturated, [false, true]);
}

#[test]
fn invalid_comparisons_are_rejected_with_accepted_values() {
    let refused = |args: &[&str], says: &str| {
        let all = [&["compare", "--networks", "cm1"], args].concat();
        refused(2, &all, says);
    };
    refused(&["--rows", "17"], "'--rows <B>': accepted: 2 to 16");
    refused(&["--processors", "3"], "accepted: 1, 2, 4, 8 or 16");
    refused(&["--dims", "12", "--processors", "32"], "accepted: 1, 2, 4, 8 or 16");
    refused(&["--dims", "17"], "accepted: 1 to 16");
    refused(&["--pattern", "bitrev,sideways"], "there is no pattern \"sideways\"");
    refused(&["--loads", "0"], "accepted: above 0, up to 16");
    refused(&["--relations", "65"], "65");
    crate::command_line::program::refused(
        2,
        &["compare", "--networks", "tdma,mesh"],
        "there is no network \"mesh\"; accepted: tdma, cm1, torus, rotation",
    );
}

/// The pictures on the page are the pictures of the same runs.
#[test]
fn the_page_shows_the_pictures_of_the_runs() {
    let dir = tempfile::tempdir().unwrap();
    let traffic = ["--dims", "3", "--pattern", "complement"];
    let networks = ["tdma", "cm1", "torus", "rotation"];
    let named = networks.join(",");
    let compare = ["compare", "--no-sweeps", "--no-synthesis", "--out", "page"];
    let compare = [&compare[..], &traffic, &["--networks", &named]].concat();
    phasecube(dir.path(), &compare);
    let page = fs::read_to_string(dir.path().join("page/compare.html")).unwrap();
    let pictures: Vec<String> = page
        .split("src=\"data:image/svg+xml,")
        .skip(1)
        .map(|rest| percent_decode_str(rest.split('"').next().unwrap()))
        .map(|picture| picture.decode_utf8().unwrap().into_owned())
        .collect();
    for network in networks {
        let run = ["run", "--network", network, "--picture", "run.svg"];
        let own: &[&str] = match network {
            "cm1" => &["--processors", "1", "--rows", "4", "--eject", "per-processor"],
            _ => &[],
        };
        phasecube(dir.path(), &[&run[..], &traffic, own].concat());
        let drawn = fs::read_to_string(dir.path().join("run.svg")).unwrap();
        assert!(pictures.contains(&drawn), "{network}");
    }
}
