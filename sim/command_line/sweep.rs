//! The command `phasecube sweep phase`.

use crate::command_line::program::{refused, stdout};
use serde_json::Value;

const FEW: &[&str] = &[
    "sweep",
    "phase",
    "--axis",
    "skew",
    "--payload",
    "0",
    "--frames",
    "16",
];

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
    refused(
        2,
        &phase("--clock", "0"),
        "a clock of 0 MHz is not possible; accepted: above 0",
    );
    refused(
        2,
        &phase("--skew", "1000"),
        "a skew of 1000 us is not possible; accepted: 0 to 100",
    );
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
