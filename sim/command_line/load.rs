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
        let slack = if number(point, "share") < 0.1 { 0.3 } else { 0.08 };
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
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&page, options).unwrap();
    let named = |name: &'static str| {
        document.descendants().filter(move |node| node.tag_name().name() == name)
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
    load(&["--loads", "0"], "\"0\" is not a load; accepted: above 0, as a share up to 4");
    let says = "\"0\" is not a load; accepted: above 0, as a share up to 4";
    load(&["--unit", "flit", "--loads", "0"], says);
    load(&["--saturation", "0"], says);
    load(&["--periods", "3"], "accepted: 4 to 100000");
    load(&["--radix", "4"], "--radix is a flag of torus");
    load(&["--network", "torus", "--radix", "256,256,2"], "is too large; accepted: up to 65536");
    // A machine that deadlocks has no curve.
    let one = ["--network", "torus", "--radix", "8,8", "--vcs", "1"];
    let one = [&["sweep", "load"], &one[..], &["--loads", "1"]].concat();
    refused(1, &one, "torus, a load of 1: nothing moved for 1 packet times");
}

// Units, patterns, seeds, traces, and theory.

/// Points of a sweep with further words.
fn points(words: &str) -> (Value, Vec<Value>) {
    let words: Vec<&str> = words.split_whitespace().collect();
    let sweep = json(&[&["sweep", "load"], &words[..]].concat());
    let points = sweep["points"].as_array().unwrap().clone();
    (sweep, points)
}

/// All networks get the same messages. A load has three units, which agree.
#[test]
fn networks_are_measured_in_one_unit() {
    let (sweep, found) = points(
        "--networks tdma,torus --dims 3 --pattern complement --unit period --loads 0.3 --periods 40",
    );
    assert_eq!(sweep["network"], "tdma,torus");
    let machines = sweep["machines"].as_array().unwrap();
    let of: Vec<&str> = machines.iter().map(|m| m["network"].as_str().unwrap()).collect();
    assert!(of.contains(&"tdma") && of.contains(&"torus"), "{of:?}");
    assert_eq!(found.len(), machines.len());
    let mut offered = vec![];
    for (machine, point) in machines.iter().zip(&found) {
        assert_eq!(machine["machine"], point["machine"]);
        assert_eq!(number(point, "load"), 0.3);
        let bound = number(machine, "bound");
        assert!((number(point, "share") - 0.3 / bound).abs() < 1e-12);
        let clock_cycles = number(machine, "period") * number(machine, "clocks_per_bit");
        let flits = number(point, "accepted") * 4.0 / clock_cycles;
        assert!((number(point, "accepted_flits") - flits).abs() < 1e-12);
        // Messages to the opposite corner of the cube.
        if machine["network"] == "tdma" {
            assert_eq!(point["distance"], 3.0);
        }
        offered.push(number(point, "offered"));
    }
    assert!(offered.windows(2).all(|pair| pair[0] == pair[1]), "{offered:?}");
    assert!(sweep["verdicts"].as_array().unwrap().is_empty());
    let flits = number(&found[0], "load") * number(&machines[0], "bound_flits")
        / number(&machines[0], "bound");
    let words = format!("--dims 3 --unit flit --loads {flits} --periods 4");
    let (_, again) = points(&words);
    assert!((number(&again[0], "load") - 0.3).abs() < 1e-9);
}

/// Runs with three seeds have the mean of each, and an interval. A run of one seed has none.
#[test]
fn seeds_give_confidence_intervals() {
    let words = "--network torus --radix 4,4 --loads 0.3 --periods 50";
    let alone: Vec<f64> = (5..8)
        .map(|seed| {
            let (_, found) = points(&format!("{words} --seed {seed}"));
            assert!(found[0]["mean_latency_ci95"].is_null());
            number(&found[0], "mean_latency")
        })
        .collect();
    let (sweep, found) = points(&format!("{words} --seed 5 --seeds 3"));
    let mean = alone.iter().sum::<f64>() / 3.0;
    assert!((number(&found[0], "mean_latency") - mean).abs() < 1e-9);
    let squares: f64 = alone.iter().map(|value| (value - mean).powi(2)).sum();
    // Student's t with two degrees of freedom.
    let half = 4.303 * (squares / 2.0 / 3.0).sqrt();
    assert!((number(&found[0], "mean_latency_ci95") - half).abs() < 1e-9);
    let messages = number(&found[0], "measured");
    let bins = sweep["histograms"][0]["bins"].as_array().unwrap();
    let counted: f64 = bins.iter().map(|bin| number(bin, "messages")).sum();
    assert_eq!(counted, messages - number(&found[0], "lost"));
    let ranks = ["p5", "p25", "p75", "p90", "p95", "p999"];
    let ranks: Vec<f64> = ranks.iter().map(|rank| number(&found[0]["percentiles"], rank)).collect();
    assert!(ranks.is_sorted() && ranks[0] < ranks[5], "{ranks:?}");
}

/// A ring of two nodes has a channel in each direction, and each is a queue with fixed service. A
/// virtual channel carries a byte in two clock cycles, so the service is two packet times. A message
/// waits rho / (2 (1 - rho)) services if messages arrive at random times (M/D/1). At most one arrives
/// in each of the 32 moments of a service, which gives 31/32 of that.
#[test]
fn one_link_waits_as_a_queue_with_fixed_service() {
    let words = "--network torus --radix 2 --unit period --periods 1500 --drain 20 --seeds 6";
    let (sweep, found) = points(&format!("{words} --loads 0.001,0.15,0.25,0.4"));
    let service = 2.0 * number(&sweep["machines"][0], "period");
    let alone = number(&found[0]["latency"], "min");
    for point in &found[1..] {
        let rho = 2.0 * number(point, "offered");
        let theory = 31.0 / 32.0 * service * rho / (2.0 * (1.0 - rho));
        let wait = number(point, "mean_latency") - alone;
        let half = number(point, "mean_latency_ci95");
        assert!((wait - theory).abs() < 1.5 * half, "{point} {theory}");
        assert!(half < 0.5 * theory, "{point}");
        assert_eq!(number(&point["latency"], "min"), alone);
    }
}

/// At a load near zero a message of L bytes over D channels takes 2D + 2L - 1 clock cycles from the
/// port of its processor (docs/torus.md), and two more from its creation. Channels lead to the next
/// lower node.
#[test]
fn latency_at_zero_load_is_that_of_a_lone_message() {
    let dir = tempfile::tempdir().unwrap();
    let words = "sweep load --network torus --radix 4 --loads 0.002 --periods 3000 --payload 4 \
                 --messages m.csv --json";
    let words: Vec<&str> = words.split_whitespace().collect();
    let done = call(dir.path(), &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let sweep: Value = serde_json::from_str(&done.stdout).unwrap();
    let packet = number(&sweep["machines"][0], "period");
    let mut rows = csv::Reader::from_path(dir.path().join("m.csv")).unwrap();
    let names = rows.headers().unwrap().clone();
    let place = |name: &str| names.iter().position(|other| other == name).unwrap();
    let (mut all, mut alone) = (0, 0);
    for row in rows.records().map(Result::unwrap) {
        let cell = |name: &str| row[place(name)].parse::<f64>().unwrap();
        let channels = (cell("source") - cell("destination")).rem_euclid(4.0);
        all += 1;
        alone += u32::from(cell("latency") == 2.0 * channels + 2.0 * packet + 1.0);
        assert_eq!(cell("arrived") - cell("created"), cell("latency"));
    }
    // Few messages meet another one.
    assert!(all >= 10 && f64::from(alone) > 0.9 * f64::from(all), "{alone} of {all}");
}

/// No channel carries more than one message in a packet time. In a ring of 8 nodes, each message of a
/// tornado crosses 5 channels, because they lead to the next lower node. Of uniform traffic, a
/// channel is crossed by 28 of the 56 pairs.
#[test]
fn no_load_exceeds_the_bisection() {
    let words = "--network torus --radix 8 --unit period --loads 0.02,0.6 --periods 150";
    for (pattern, bound) in [("tornado", 1.0 / 5.0), ("uniform", 7.0 / 28.0)] {
        let (_, found) = points(&format!("{words} --pattern {pattern}"));
        assert_eq!(found[0]["saturated"], false);
        assert_eq!(found[1]["saturated"], true);
        let most = number(&found[1], "accepted");
        assert!(most < bound && most > 0.25 * bound, "{pattern}: {most}");
    }
}

/// The bisection ends in an interval of the step, with a saturated upper end.
#[test]
fn bisection_brackets_the_saturation() {
    let (sweep, found) =
        points("--network torus --radix 4,4 --loads 0.1,1 --saturation 0.1 --periods 60");
    let saturation = &sweep["saturation"][0];
    let (below, above) = (number(saturation, "below_share"), number(saturation, "above_share"));
    assert!(below < above && above - below <= 0.1, "{saturation}");
    assert!(found.len() > 4);
    for point in &found {
        let share = number(point, "share");
        if share <= below {
            assert_eq!(point["saturated"], false, "{point}");
        }
        if share == above {
            assert_eq!(point["saturated"], true, "{point}");
        }
    }
    let shares: Vec<f64> = found.iter().map(|p| number(p, "share")).collect();
    assert!(shares.is_sorted(), "{shares:?}");
}

/// Phases of a run, lengths of payloads and bursts, message by message.
#[test]
fn messages_are_listed_with_their_phase() {
    let dir = tempfile::tempdir().unwrap();
    let words = "sweep load --network torus --radix 4,4 --loads 0.2 --periods 20 --warm-up 10 \
                 --drain 10 --lengths 2:1,8:1 --injection bursty:2:3 --messages m.csv --json";
    let words: Vec<&str> = words.split_whitespace().collect();
    let done = call(dir.path(), &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let sweep: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(sweep["window"]["drain"], 10);
    assert_eq!(sweep["payload"], 8);
    let period = number(&sweep["machines"][0], "period");
    let mut rows = csv::Reader::from_path(dir.path().join("m.csv")).unwrap();
    let names = rows.headers().unwrap().clone();
    let place = |name: &str| names.iter().position(|other| other == name).unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for row in rows.records().map(Result::unwrap) {
        let created: f64 = row[place("created")].parse().unwrap();
        let phase = match created / period {
            ..10.0 => "warm-up",
            ..30.0 => "measured",
            _ => "drain",
        };
        assert_eq!(&row[place("phase")], phase);
        *counts.entry(phase).or_insert(0) += 1;
        assert!(["2", "8"].contains(&&row[place("bytes")]));
    }
    assert_eq!(counts.len(), 3, "{counts:?}");
    assert_eq!(number(&sweep["points"][0], "measured"), f64::from(counts["measured"]));
    assert_eq!(sweep["points"][0]["undrained"], 0);
}

/// Two messages of a trace, far apart, have the latencies of lone messages.
#[test]
fn a_trace_has_its_times() {
    let dir = tempfile::tempdir().unwrap();
    let trace = "time,source,destination,bytes\n1000,2,0,8\n40,0,3,4\n";
    std::fs::write(dir.path().join("t.csv"), trace).unwrap();
    let words = "sweep load --networks torus,tdma --dims 2 --trace t.csv --messages m.csv --quiet";
    let words: Vec<&str> = words.split_whitespace().collect();
    let done = call(dir.path(), &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    let rows = std::fs::read_to_string(dir.path().join("m.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(rows.as_bytes());
    let names = rows.headers().unwrap().clone();
    let place = |name: &str| names.iter().position(|other| other == name).unwrap();
    let found: Vec<Vec<String>> = rows
        .records()
        .map(Result::unwrap)
        .filter(|row| &row[place("machine")] == "torus")
        .map(|row| {
            let cells = ["source", "destination", "bytes", "created"];
            cells.map(|name| row[place(name)].to_owned()).to_vec()
        })
        .collect();
    assert_eq!(found, [["0", "3", "4", "40"], ["2", "0", "8", "1000"]]);
    // The flits of a load of 1 have the mean length of the trace. Each machine has its own window,
    // in its own periods.
    let words: Vec<&str> = "sweep load --networks torus,tdma --dims 2 --trace t.csv --json"
        .split_whitespace()
        .collect();
    let done = call(dir.path(), &words);
    let sweep: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(sweep["window"].is_null());
    for machine in sweep["machines"].as_array().unwrap() {
        let clock_cycles = number(machine, "period") * number(machine, "clocks_per_bit");
        let flits = number(machine, "bound") * 6.0 / clock_cycles;
        assert!((number(machine, "bound_flits") - flits).abs() < 1e-12);
        let measured = (1000.0 / clock_cycles).floor() + 1.0;
        assert_eq!(number(&machine["window"], "measured"), measured);
    }
}

#[test]
fn invalid_loads_are_rejected() {
    let load = |words: &str, says: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        refused(2, &[&["sweep", "load"], &words[..]].concat(), says);
    };
    load(
        "--injection bursty:1",
        "\"bursty:1\" is no injection process; accepted: bernoulli, or bursty:P:F",
    );
    load("--lengths 4-2", "\"4-2\" are no lengths; accepted: bytes (4), a range (4-20)");
    load("--unit bits", "--unit");
    load("--networks ring", "there is no network \"ring\"");
    load("--networks torus --network cm1", "cannot be used with");
    load("--pattern tornado:3x3", "accepted: radices whose product is 8");
    load(
        "--pattern hotspot:0",
        "hotspot:0 is no percentage; accepted: hotspot:PERCENT with 1 to 100",
    );
    load("--payload 0 --unit flit --loads 0.1", "messages without payload have no flits");
    load("--trace no.csv", "no.csv cannot be read");
    load("--trace no.csv --seeds 2", "cannot be used with");
    load("--injection bursty:1:8 --unit period --loads 2.5", "accepted: up to 2");
    load("--loads 5", "\"5\" is not a load; accepted: above 0, up to 4");
}
