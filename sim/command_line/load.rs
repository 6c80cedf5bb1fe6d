//! The command `phasecube sweep load`.

use crate::command_line::program::{call, refused, stdout, with_tools, CallResult};
use crate::support::pictures;
use roxmltree::{Document, ParsingOptions};
use serde_json::Value;

const TORUS: &[&str] = &[
    "sweep",
    "load",
    "--network",
    "torus",
    "--radix",
    "8,8",
    "--periods",
    "200",
    "--loads",
    "0.5,0.02,0.2",
];

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(&[args, &["--json"]].concat())).unwrap()
}

fn number(value: &Value, key: &str) -> f64 {
    let found = value[key].as_f64();
    found.unwrap_or_else(|| panic!("{key}: {value}"))
}

/// The channel use equals the channel time of the messages that arrive, by a sum over rings. Loads
/// ascend, and a small load is accepted completely.
#[test]
fn a_torus_accepts_less_than_half_of_what_its_channels_carry() {
    let sweep = json(TORUS);
    let machine = &sweep["machines"][0];
    let distance = 7.0 * 64.0 / 63.0;
    assert!((number(machine, "distance") - distance).abs() < 1e-9);
    assert!((number(machine, "bound") - 2.0 / distance).abs() < 1e-9);
    let points = sweep["points"].as_array().unwrap();
    let loads: Vec<f64> = points.iter().map(|p| number(p, "share")).collect();
    assert_eq!(loads, [0.02, 0.2, 0.5]);
    for point in points {
        // A packet takes 8 bytes over 3.5 channels in X and 7 bytes over 3.5 in Y. A packet time is
        // 8 clock cycles.
        let bytes = distance / 2.0 * 15.0;
        let wanted = number(point, "accepted") * bytes / 8.0 / 2.0;
        let used = number(point, "used");
        // With few messages, their mean differs from the expected one.
        let slack = if number(point, "share") < 0.1 {
            0.3
        } else {
            0.08
        };
        assert!((wanted / used - 1.0).abs() < slack, "{point}");
        assert!(used < 0.5);
    }
    let saturated: Vec<&Value> = points.iter().map(|p| &p["saturated"]).collect();
    assert_eq!(saturated, [false, false, true]);
    let verdicts = sweep["verdicts"].as_array().unwrap();
    assert_eq!(verdicts.len(), 3);
    for verdict in verdicts {
        assert_eq!(verdict["holds"], true, "{verdict}");
    }
    // The CSV has the same figures, one line for each load.
    let csv = stdout(&[TORUS, &["--csv"]].concat());
    assert_eq!(csv.lines().count(), 4, "{csv}");
}

/// Rings of two form a cube. Each message has a channel of its own and is nearly always accepted.
#[test]
fn any_network_and_any_radices_are_swept() {
    let few = ["--periods", "16", "--loads", "0.1"];
    for network in [
        &["--network", "torus", "--radix", "3,5"][..],
        &["--network", "torus", "--radix", "2,3,2", "--vcs", "2"],
        &["--network", "cm1", "--dims", "3"],
        &["--network", "tdma", "--dims", "2", "--link", "raw"],
    ] {
        let dir = tempfile::tempdir().unwrap();
        let args = [&["sweep", "load"], network, &few, &["--json"]].concat();
        let done: CallResult = with_tools(dir.path()).args(args).output().unwrap().into();
        assert_eq!(done.code, Some(0), "{done:?}");
        let sweep: Value = serde_json::from_str(&done.stdout).unwrap();
        let points = sweep["points"].as_array().unwrap();
        let machines = sweep["machines"].as_array().unwrap();
        assert_eq!(points.len(), machines.len(), "{network:?}");
        for point in points {
            let (offered, used) = (number(point, "offered_share"), number(point, "used"));
            assert!(offered > 0.03 && offered < 0.2, "{point}");
            assert!(used > 0.03 && used < 0.25, "{point}");
        }
    }
}

/// The page contains both curves, the terminal's table and every verdict.
#[test]
fn the_page_has_the_curves_and_the_verdicts() {
    let dir = tempfile::tempdir().unwrap();
    let done = call(dir.path(), &[TORUS, &["--out", "found"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    let read = |name: &str| std::fs::read_to_string(dir.path().join("found").join(name)).unwrap();
    let page = read("load.html");
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(&page, options).unwrap();
    let named = |name: &'static str| {
        document
            .descendants()
            .filter(move |node| node.tag_name().name() == name)
    };
    assert_eq!(named("svg").count(), 4, "two curves on two kinds of paper");
    named("svg").for_each(|svg| pictures::check(&document, svg));
    let scrolls = |n: &roxmltree::Node| n.attribute("class") == Some("scroll");
    let cells = named("td").filter(|cell| cell.ancestors().any(|n| scrolls(&n)));
    let cells: Vec<&str> = cells.filter_map(|cell| cell.text()).collect();
    let printed = done.stdout.replace(',', "");
    for cell in &cells {
        assert!(printed.contains(&cell.replace(',', "")), "{cell}: {done:?}");
    }
    assert_eq!(cells.iter().filter(|cell| **cell == "true").count(), 3);
    assert!(page.contains("0.5: bound in a paper"));
    let file: Value = serde_json::from_str(&read("load.json")).unwrap();
    let command = file["command"].as_str().unwrap();
    assert!(page.contains(command));
    // The command in the file reproduces the result.
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert_eq!(json(&words)["points"], file["points"]);
}

#[test]
fn invalid_sweeps_are_rejected() {
    let load = |args: &[&str], says: &str| {
        refused(2, &[&["sweep", "load"], args].concat(), says);
    };
    load(
        &["--loads", "0"],
        "\"0\" is not a load; accepted: above 0, up to 4",
    );
    load(&["--periods", "3"], "accepted: 4 to 100000");
    load(&["--radix", "4"], "--radix is a flag of torus");
    load(
        &["--network", "torus", "--radix", "256,256"],
        "cannot be simulated; accepted: up to 4096",
    );
    // A machine that deadlocks has no curve.
    let one = ["--network", "torus", "--radix", "8,8", "--vcs", "1"];
    let one = [&["sweep", "load"], &one[..], &["--loads", "1"]].concat();
    refused(
        1,
        &one,
        "torus, a load of 1: nothing moved for 1 packet times",
    );
}
