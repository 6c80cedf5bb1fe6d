//! Report and trace of a run agree. Every field of `--json` is recounted from the lines of the log,
//! with and without faults.

use crate::command_line::program::{call, with_tools, CallResult};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Counts of the lines in a log. The rules use no code of the machines.
#[derive(Default)]
struct Recount {
    lines: BTreeMap<String, u64>,
    /// Last ending line of each message, and phase of its first arrival.
    ends: BTreeMap<u64, String>,
    arrived: BTreeMap<u64, u64>,
    retries: u64,
    /// Phases that had begun at the last hop.
    used: u64,
}

impl Recount {
    fn new(log: &[Value]) -> Self {
        let mut recount = Recount::default();
        // By node and buffer: the phase and message of its last frame if that frame timed out.
        // Frames differ in their phase.
        let mut unanswered: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
        let mut frames = BTreeSet::new();
        for line in log {
            let what = line["what"].as_str().unwrap();
            *recount.lines.entry(what.into()).or_default() += 1;
            let number = |field: &str| line[field].as_u64().unwrap();
            let Some(message) = line["message"].as_u64() else {
                assert!(["late", "slip", "error"].contains(&what), "{line}");
                continue;
            };
            let (t, node, register) = (number("t"), number("node"), number("from_reg"));
            let is_frame = number("to") != node;
            if is_frame && frames.insert((t, node)) {
                let last = unanswered.remove(&(node, register));
                recount.retries += u64::from(last.is_some_and(|(_, m)| m == message));
            }
            if ["fwd", "dlv"].contains(&what) {
                recount.used = recount.used.max(t + 1);
            }
            match what {
                "silent" => {
                    unanswered.insert((node, register), (t, message));
                }
                "dlv" => {
                    recount.arrived.entry(message).or_insert(t);
                }
                _ => {}
            }
            if ["dlv", "LOST", "undelivered", "unknown", "left"].contains(&what) {
                recount.ends.insert(message, what.into());
            }
        }
        recount
    }

    fn line(&self, what: &str) -> u64 {
        self.lines.get(what).copied().unwrap_or(0)
    }

    fn ended(&self, what: &str) -> u64 {
        self.ends.values().filter(|end| *end == what).count() as u64
    }

    /// Compares the counts with the report of a run.
    fn compare(&self, report: &Value) {
        let phases = 2 * report["dims"].as_u64().unwrap();
        let nodes = report["nodes"].as_u64().unwrap();
        let to_self = report["to_self"].as_u64().unwrap();
        let delivered = |message: &&u64| self.ends[*message] == "dlv";
        let mut times: Vec<u64> = self
            .arrived
            .iter()
            .filter(|(message, _)| delivered(message))
            .map(|(_, t)| t + 1)
            .collect();
        times.sort_unstable();
        let superframes = self.used.div_ceil(phases);
        let hops = self.line("fwd") + self.line("dlv");
        for (field, counted) in [
            ("messages", self.ends.len() as u64 + to_self),
            ("delivered", self.ended("dlv") + to_self),
            ("lost", self.ended("LOST")),
            ("undelivered", self.ended("undelivered")),
            ("unknown", self.ended("unknown")),
            ("unfinished", self.ended("left")),
            ("duplicated", self.line("twice")),
            ("undetected", self.line("error")),
            ("hops", hops),
            ("refused", self.line("held")),
            ("silences", self.line("silent")),
            ("retries", self.retries),
            ("late", self.line("late")),
            ("slips", self.line("slip")),
            ("superframes", superframes),
        ] {
            assert_eq!(report[field], counted, "{field}: {report}");
        }
        let latency = &report["latency"];
        for (rank, counted) in [("min", times.first()), ("max", times.last())] {
            assert_eq!(latency[rank].as_u64(), counted.copied(), "{rank}: {report}");
        }
        let places = superframes * phases * nodes / 2;
        let used = (places > 0).then(|| hops as f64 / places as f64);
        let reported = report["wire_utilisation"].as_f64();
        let apart = reported.zip(used).map(|(a, b)| (a - b).abs());
        assert_eq!(reported.is_some(), used.is_some(), "{report}");
        assert!(apart.is_none_or(|apart| apart < 1e-9), "{reported:?} {used:?}");
        assert!(reported.is_none_or(|used| used <= 1.0), "{report}");
    }
}

/// Returns the report of a run, which exits with `code`, and its recount.
fn stats(code: i32, done: CallResult) -> (Value, Recount) {
    assert_eq!(done.code, Some(code), "{}", done.stderr);
    let mut report: Value = serde_json::from_str(&done.stdout).unwrap();
    let log = report.as_object_mut().unwrap().remove("log").unwrap();
    let recount = Recount::new(log.as_array().unwrap());
    recount.compare(&report);
    (report, recount)
}

fn run(code: i32, args: &str, lists: &Path) -> (Value, Recount) {
    let args: Vec<&str> = args.split_whitespace().collect();
    let done = call(lists, &[&["run", "--json", "--trace"], &args[..]].concat());
    stats(code, done)
}

#[test]
fn every_field_is_counted_again_from_the_trace() {
    let dir = tempfile::tempdir().unwrap();
    let list = |name: &str, lines: String| fs::write(dir.path().join(name), lines).unwrap();
    list("equal.csv", "6,5\n6,3\n4,3\n5,3\n".into());
    list("two.csv", "3,1\n2,1\n".into());
    list("crowd.csv", "3,6\n".repeat(90) + &"0,6\n".repeat(3));
    for (code, args) in [
        (0, "--dims 3 --pattern relation:3"),
        (0, "--dims 3 --pattern random --service-order ascending"),
        (0, "--dims 4 --pattern bitrev --link raw"),
        (
            0,
            "--dims 4 --pattern relation:4 --routing adaptive --noise 0.001",
        ),
        // Adaptive routing sends one message to the dead node in desperation.
        (
            0,
            "--dims 3 --pattern relation:4 --routing adaptive --firmware route --seed 2 --payload 4 --dead 5",
        ),
        (0, "--dims 4 --pattern transpose"),
        (0, "--dims 3 --pattern relation:3 --noise 0.002 --seed 3"),
        (
            1,
            "--dims 2 --pattern file:two.csv --noise 0.03 --seed 1 --payload 0",
        ),
        (0, "--dims 3 --pattern file:equal.csv --dead 3 --payload 0"),
        (0, "--dims 3 --pattern relation:4 --dead 5"),
        (
            0,
            "--dims 3 --pattern relation:4 --dead 5:hung --noise 0.001",
        ),
        (0, "--dims 3 --pattern hotspot --dead 0:hung"),
        (0, "--dims 3 --pattern file:crowd.csv --dead 5:low"),
        (0, "--dims 3 --pattern relation:2 --slip 6@9 --slip 1@14"),
        (0, "--dims 3 --pattern relation:2 --link raw --noise 0.01"),
        (1, "--dims 3 --pattern relation:4 --superframes 2"),
        (1, "--dims 2 --pattern complement --noise 0.4 --seed 2"),
    ] {
        run(code, args, dir.path());
    }
}

/// The trace identifies a message by its buffer, because its bytes may equal another's.
#[test]
fn equal_messages_in_one_node_are_distinguished() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("equal.csv"), "6,5\n6,3\n4,3\n5,3\n").unwrap();
    let args = "--dims 3 --pattern file:equal.csv --dead 3 --payload 0";
    let (report, _) = run(0, args, dir.path());
    assert_eq!(report["undetected"], 0);
    assert_eq!(report["delivered"], 1);
    fs::write(dir.path().join("two.csv"), "3,1\n2,1\n").unwrap();
    let args = "--dims 2 --pattern file:two.csv --noise 0.03 --seed 1 --payload 0";
    // There is enough noise for links to go down. A message that arrived earlier counts as
    // delivered.
    let (report, recount) = run(1, args, dir.path());
    assert_eq!((report["delivered"].as_u64(), recount.line("dlv")), (Some(1), 1));
}

/// A frame that was stored and timed out has two lines, and its repeat has one of its own.
#[test]
fn a_repeat_has_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let args = "--dims 3 --pattern relation:3 --noise 0.01 --seed 5";
    let (report, recount) = run(0, args, dir.path());
    assert!(recount.line("repeat") > 0 && recount.line("silent") > recount.line("repeat"));
    assert_eq!(report["duplicated"], 0);
}

/// Checks nodes that run a program.
#[test]
fn the_accounts_of_programs_agree_too() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        "--dims 3 --pattern relation:3 --noise 0.001 --seed 4",
        "--dims 3 --pattern relation:3 --dead 5:hung",
        "--dims 3 --pattern relation:2 --service 130",
    ] {
        let args: Vec<&str> = args.split_whitespace().collect();
        let flags = ["run", "--json", "--trace", "--firmware", "route"];
        let done = with_tools(dir.path()).args(flags).args(args).output().unwrap();
        stats(0, done.into());
    }
}
