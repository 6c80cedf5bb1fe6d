//! The commands `phasecube sweep phase` and `phasecube sweep grid`.

use crate::command_line::program::{call, refused, refused_in, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

const FEW: &[&str] = &["sweep", "phase", "--axis", "skew", "--payload", "0", "--frames", "16"];

#[test]
#[ignore = "thorough: long sweep"]
fn one_measurement_in_three_formats() {
    let args = |format| [FEW, &[format]].concat();
    let sweep: Value = serde_json::from_str(&stdout(&args("--json"))).unwrap();
    let points = sweep["points"].as_array().unwrap();
    let csv = stdout(&args("--csv"));
    let text = stdout(FEW);
    assert_eq!(csv.lines().count(), points.len() + 1, "{csv}");
    for (point, line) in points.iter().zip(csv.lines().skip(1)) {
        let phase = point["phase"].as_f64().unwrap();
        let frame = 10.0 * (5.0 + point["payload"].as_f64().unwrap());
        assert!(phase >= frame - 0.5 && phase < frame + 18.0, "{point}");
        assert_eq!(line.split(',').nth(7).unwrap(), phase.to_string(), "{csv}");
        assert!(text.contains(&format!(" {phase:.2} |")), "{text}");
    }
}

#[test]
fn invalid_measurements_are_rejected() {
    let phase = |option, value| ["sweep", "phase", option, value];
    refused(
        2,
        &phase("--clocks-per-bit", "5"),
        "5 clock cycles per bit are not possible; accepted: 4, 8, 16, 32, 64",
    );
    refused(2, &phase("--clock", "0"), "a clock of 0 MHz is not possible; accepted: above 0");
    refused(2, &phase("--skew", "1000"), "a skew of 1000 us is not possible; accepted: 0 to 100");
    refused(
        2,
        &phase("--mismatch", "1e6"),
        "a mismatch of 1000000 ppm is not possible; accepted: -100000 to 100000",
    );
}

/// The sweep covers all axes if none is named. Their common point has the same result on each.
#[test]
#[ignore = "thorough: long sweep"]
fn the_axes_meet_in_one_point() {
    let sweep = stdout(&["sweep", "phase", "--frames", "16", "--json"]);
    let sweep: Value = serde_json::from_str(&sweep).unwrap();
    let points = sweep["points"].as_array().unwrap();
    assert_eq!(points.len(), 5 + 6 + 7 + 10);
    let base: Vec<f64> = points
        .iter()
        .filter(|p| (&p["clocks_per_bit"], &p["payload"]) == (&8.into(), &10.into()))
        .filter(|p| p["skew"] == 0.25 && p["mismatch_ppm"] == 100.0)
        .map(|p| p["phase"].as_f64().unwrap())
        .collect();
    assert_eq!(base, [150.25; 4]);
}

/// On a terminal the sweep shows its progress. Elsewhere it prints only the tables.
#[cfg(unix)]
#[test]
fn progress_is_shown_on_a_terminal() {
    use crate::command_line::program::{explaining, on_terminal};
    let dir = tempfile::tempdir().unwrap();
    let mut sweep = explaining(dir.path());
    let done = on_terminal(sweep.args(FEW), 80);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains(" of 7 points"), "{done:?}");
    assert!(done.stdout.contains(" % "), "{done:?}");
}

/// Runs `sweep grid` on the grid of this folder, and returns its exit code and output.
fn grid(dir: &Path, args: &str) -> (Option<i32>, String) {
    let args: Vec<&str> = args.split(' ').filter(|word| !word.is_empty()).collect();
    let done = call(dir, &[&["sweep", "grid", "grid.toml"], &args[..]].concat());
    (done.code, done.stdout + &done.stderr)
}

/// Shards together have the results of the whole grid, a finished point does not run again, and a
/// point that fails costs only itself.
#[test]
#[ignore = "thorough: many processes"]
fn shards_are_merged_into_the_whole_grid() {
    let dir = tempfile::tempdir().unwrap();
    let points = "network = \"torus\"\nradix = [4, [2, 2]]\npattern = \"xor:2\"\nvcs = [1, 2]\n";
    fs::write(dir.path().join("grid.toml"), points).unwrap();
    let (code, text) = grid(dir.path(), "--out s --shard 1/3");
    assert!(code == Some(1) && text.starts_with("shard 1 of 3: 2 points, "), "{text}");
    assert!(text.contains("error: 1 point failed"), "{text}");
    assert!(text.contains("--vcs=1: no message has moved"), "{text}");
    let (code, text) = grid(dir.path(), "--out s --merge");
    assert!(
        code == Some(1)
            && text
                .contains("2 of 4 points have no result; accepted: run --shard 2/3, --shard 3/3"),
        "{text}"
    );
    for shard in 2..=3 {
        let (code, text) = grid(dir.path(), &format!("--out s --shard {shard}/3"));
        assert_eq!(code, Some(0), "{text}");
    }
    let (code, text) = grid(dir.path(), "--out w");
    assert!(
        code == Some(1) && text.starts_with("grid: 4 points, 3 run, 0 there already, 1 failed"),
        "{text}"
    );
    // A result that was cut off is named with its file, and runs again.
    let mut cut = fs::read_dir(dir.path().join("s"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"));
    let cut = cut.next().unwrap();
    fs::write(&cut, "{\"line\":").unwrap();
    let (code, text) = grid(dir.path(), "--out s --merge");
    let file = cut.file_name().unwrap().to_str().unwrap();
    assert!(code == Some(1) && text.contains(&format!("{file} is broken")), "{text}");
    assert!(text.contains("1 of 4 points have no result; accepted: run --shard "), "{text}");
    let (_, text) = grid(dir.path(), "--out s");
    assert!(text.starts_with("grid: 4 points, 1 run, 2 there already, 1 failed"), "{text}");
    // The failed point runs again.
    let (_, text) = grid(dir.path(), "--out s");
    assert!(text.starts_with("grid: 4 points, 0 run, 3 there already, 1 failed"), "{text}");
    let table = |out: &str| {
        let (code, text) = grid(dir.path(), &format!("--out {out} --merge"));
        assert_eq!(code, Some(0), "{text}");
        fs::read_to_string(dir.path().join(out).join("points.csv")).unwrap()
    };
    let whole = table("w");
    assert_eq!(table("s"), whole);
    let mut rows = csv::Reader::from_reader(whole.as_bytes());
    let names = rows.headers().unwrap().clone();
    let place = |name: &str| names.iter().position(|other| other == name).unwrap();
    for row in rows.records().map(Result::unwrap) {
        let cell = |name: &str| row.get(place(name)).unwrap().to_owned();
        if cell("error").is_empty() {
            let radix = cell("radix");
            let args = [
                "run",
                "--network",
                "torus",
                "--radix",
                &radix,
                "--pattern",
                "xor:2",
                "--vcs",
                &cell("vcs"),
                "--json",
            ];
            let alone: Value = serde_json::from_str(&stdout(&args)).unwrap();
            assert_eq!(cell("bit_times"), alone["bit_times"].to_string());
            assert_eq!(cell("latency_max"), alone["latency"]["max"].to_string());
        } else {
            assert_eq!(
                (cell("radix"), cell("vcs"), cell("hops")),
                ("4".into(), "1".into(), String::new())
            );
        }
    }
}

#[test]
fn wrong_grids_are_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let refuses = |text: &str, says: &str| {
        fs::write(dir.path().join("grid.toml"), text).unwrap();
        refused_in(dir.path(), 2, &["sweep", "grid", "grid.toml"], says);
    };
    refuses(
        "sed = 1",
        "grid.toml: run has no flag sed; accepted: the flags of `phasecube help run`",
    );
    refuses("json = true", "run has no flag json");
    refuses("dims = [3, 99]", "invalid value '99' for '--dims <N>'");
    refuses("seed = []", "grid.toml: line 1: seed is an axis without values");
    refuses("[run]\ndims = 3", "grid.toml: line 1: run is a section or table; accepted: flags");
    refuses("seed", "the grid is not TOML");
    refused(2, &["sweep", "grid", "no.toml"], "no.toml cannot be read");
    let args = ["sweep", "grid", "no.toml", "--shard", "4/3"];
    refused(2, &args, "\"4/3\" is no shard; accepted: I/N with I from 1 to N");
    let args = ["sweep", "grid", "no.toml", "--shard", "1/3", "--merge"];
    refused(2, &args, "cannot be used with");
}
