//! `phasecube starc`, and StarC programs in `run` and `load`.

use crate::command_line::program::{call, refused_in, with_tools, CallResult};
use std::fs;
use std::path::Path;

const SOURCE: &str = "pvar<int> x, y;
void main() {
    load_from_host(&x, 1);
    exchange { y = nbr(2, x); }
    store_to_host(&y, 1);
}
";

fn written(source: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.starc"), source).unwrap();
    fs::write(dir.path().join("in.csv"), "0,5\n4,6\n").unwrap();
    dir
}

fn run(dir: &Path, args: &str) -> CallResult {
    let output = with_tools(dir).args(args.split_whitespace()).output();
    CallResult::from(output.unwrap())
}

#[test]
fn starc_prints_or_writes_c() {
    let dir = written(SOURCE);
    let printed = call(dir.path(), &["starc", "a.starc", "--dims", "3"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(
        printed.stdout.contains("#define STAR_DIMENSIONS 3\n"),
        "{printed:?}"
    );
    assert!(
        printed.stdout.contains("#line 4 \"a.starc\"\n"),
        "{printed:?}"
    );
    let quiet = call(
        dir.path(),
        &["starc", "a.starc", "--dims", "3", "--out", "a.c"],
    );
    assert_eq!((quiet.code, &*quiet.stdout), (Some(0), ""), "{quiet:?}");
    assert_eq!(
        fs::read_to_string(dir.path().join("a.c")).unwrap(),
        printed.stdout
    );
}

#[test]
fn errors_name_the_place_and_a_correction() {
    let dir = written(SOURCE);
    for args in [
        &["starc", "a.starc", "--dims", "2"][..],
        &[
            "run",
            "--firmware",
            "a.starc",
            "--dims",
            "2",
            "--data",
            "none",
        ],
        &[
            "run",
            "--firmware",
            "a.starc",
            "--dims",
            "2",
            "--data",
            "in.csv",
            "--payload",
            "9",
        ],
    ] {
        let says =
            "a.starc:4:24: error: dimension 2 does not exist in a machine of 2 dimensions\n    \
                    correction: use a dimension from 0 to 1";
        refused_in(dir.path(), 2, args, says);
    }
    refused_in(dir.path(), 2, &["starc", "b.starc"], "b.starc");
    let scalar = SOURCE.replace("y = nbr(2, x)", "y = nbr(0, x)");
    let warned = written(&scalar.replace("store", "if (x) store"));
    let args = ["starc", "a.starc", "--strict"];
    refused_in(warned.path(), 2, &args, "correction: write where (x)");
    let done = call(warned.path(), &args[..2]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains("a.starc:5:5: warning"), "{done:?}");
}

#[test]
fn a_starc_program_needs_data_and_payload() {
    let dir = written(SOURCE);
    let base = ["run", "--firmware", "a.starc", "--dims", "3"];
    refused_in(
        dir.path(),
        2,
        &base,
        "accepted: --data FILE.csv, or --data none",
    );
    let args = [&base[..], &["--data", "none", "--payload", "3"]].concat();
    refused_in(dir.path(), 2, &args, "accepted: --payload 4 or more");
}

/// The machine is built for the longest exchange. The C compiler reports the line of the source.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_starc_program_runs_and_loads() {
    let long = "struct s { short part[30]; };\n";
    let source = long.to_owned()
        + &SOURCE
            .replace("pvar<int> x, y;", "pvar<struct s> s, t; pvar<int> x, y;")
            .replace("{ y", "{ t = nbr(2, s); y")
            .replace("load", "s.part[0] = 0; load");
    let dir = written(&source);
    let done = run(
        dir.path(),
        "run --dims 3 --firmware a.starc --data in.csv --results out.csv --memory 4K,1K",
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    let results = fs::read_to_string(dir.path().join("out.csv")).unwrap();
    assert!(
        results.contains("0x0,6\n") && results.contains("0x4,5\n"),
        "{results}"
    );
    let done = run(dir.path(), "load a.starc --image a.bin --memory 4K,1K");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(fs::metadata(dir.path().join("a.bin")).unwrap().len() > 1000);
    let wrong = written(&SOURCE.replace("nbr(2, x)", "nbr(2,\n        z)"));
    let done = run(wrong.path(), "run --dims 3 --firmware a.starc --data none");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("a.starc does not compile"), "{done:?}");
    assert!(done.stderr.contains("a.starc:4:"), "{done:?}");
}
