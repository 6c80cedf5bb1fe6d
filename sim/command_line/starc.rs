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
    assert!(printed.stdout.contains("#define STAR_DIMENSIONS 3\n"), "{printed:?}");
    assert!(printed.stdout.contains("#line 4 \"a.starc\"\n"), "{printed:?}");
    let quiet = call(dir.path(), &["starc", "a.starc", "--dims", "3", "--out", "a.c"]);
    assert_eq!((quiet.code, &*quiet.stdout), (Some(0), ""), "{quiet:?}");
    assert_eq!(fs::read_to_string(dir.path().join("a.c")).unwrap(), printed.stdout);
}

#[test]
fn errors_name_the_place_and_a_correction() {
    let dir = written(SOURCE);
    for args in [
        &["starc", "a.starc", "--dims", "2"][..],
        &["run", "--firmware", "a.starc", "--dims", "2", "--data", "none"],
        &["run", "--firmware", "a.starc", "--dims", "2", "--data", "in.csv", "--payload", "9"],
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
    refused_in(dir.path(), 2, &base, "accepted: --data FILE.csv, or --data none");
    let args = [&base[..], &["--data", "none", "--payload", "3"]].concat();
    refused_in(dir.path(), 2, &args, "accepted: --payload 4 or more");
}

/// Sums the neighbours' values, counts the errors, those of the neighbours' values, and those after
/// they are cleared, and prints.
const ERRORS: &str = "void main() {
    pvar<int> x = pid() + 1000, y[STAR_DIMENSIONS], sum = 0, most = 0, near = 0;
    for (int i = 0; i < 8; i++) {
        for (int d = 0; d < STAR_DIMENSIONS; d++) near -= star_crc_errors(d);
        exchange {
            for (int d = 0; d < STAR_DIMENSIONS; d++)
                y[d] = nbr(d, x);
        }
        for (int d = 0; d < STAR_DIMENSIONS; d++) near += star_crc_errors(d);
        exchange { pvar<int> east = news(EAST, x); }
        exchange { int total = reduce_sum(x); }
        for (int d = 0; d < STAR_DIMENSIONS; d++) sum += y[d];
        most += east;
        most += total;
    }
    pvar<int> errors = 0, cleared = 0;
    for (int d = 0; d < STAR_DIMENSIONS; d++) errors += star_crc_errors(d);
    star_clear_errors();
    for (int d = 0; d < STAR_DIMENSIONS; d++) cleared += star_crc_errors(d);
    store_to_host(&sum, 1);
    store_to_host(&most, 1);
    store_to_host(&errors, 1);
    store_to_host(&near, 1);
    store_to_host(&cleared, 1);
    host_printf(\"%d of %u: %.2f, %x\\n\", pid(), STAR_PROCESSORS, 0.5f, 255);
}
";

/// Results of `ERRORS` on the 3-cube: sum, other values, errors, errors of the sum. Then the superframes.
fn with_errors(dir: &Path, args: &str) -> (Vec<[i64; 4]>, u64, serde_json::Value) {
    let args = format!("--dims 3 --superframes 400 {args}");
    let (json, done) = results(dir, &args);
    assert_eq!(done.code, Some(0), "{args}: {done:?}");
    let nodes = json["programs"]["nodes"].as_array().unwrap();
    let values = nodes.iter().filter(|node| node["exit"] == 0);
    let values = values.map(|node| {
        let [sum, most, errors, near, cleared]: [i64; 5] =
            serde_json::from_value(node["values"].clone()).unwrap();
        assert_eq!(cleared, 0, "{args}");
        [sum, most, errors, near]
    });
    (values.collect(), json["superframes"].as_u64().unwrap(), json)
}

/// Runs `a.starc` without input.
fn results(dir: &Path, args: &str) -> (serde_json::Value, CallResult) {
    let args = format!("run --firmware a.starc --data none --memory 16K,4K --json {args}");
    let done = run(dir, &args);
    (serde_json::from_str(&done.stdout).unwrap_or_default(), done)
}

/// Values that the nodes have returned, in the order of their addresses.
fn returned(json: &serde_json::Value) -> Vec<Vec<i64>> {
    let nodes = json["programs"]["nodes"].as_array().unwrap().iter();
    nodes.map(|node| serde_json::from_value(node["values"].clone()).unwrap()).collect()
}

/// Answers repair every damaged frame, for some superframes. Without answers a damaged value is 0 and
/// counted, for no superframe.
#[test]
#[ignore = "thorough: compiles firmware"]
fn damage_costs_superframes_or_values() {
    let dir = written(ERRORS);
    let (values, superframes, json) = with_errors(dir.path(), "");
    assert_eq!(json["programs"]["prints"][0]["text"], "0 of 8: 0.50, ff");
    assert_eq!(json["programs"]["prints"].as_array().unwrap().len(), 1);
    let neighbours = |pid: i64| 8 * (0..3).map(|d| (pid ^ 1 << d) + 1000).sum::<i64>();
    for (pid, [sum, _, errors, _]) in (0..).zip(&values) {
        assert_eq!((*sum, *errors), (neighbours(pid), 0), "{pid}");
    }
    let repaired = with_errors(dir.path(), "--noise 0.0005");
    assert_eq!(repaired.0, values);
    assert!(repaired.1 > superframes, "{} {superframes}", repaired.1);
    let raw = with_errors(dir.path(), "--link raw");
    assert_eq!(raw.0, values);
    assert!(raw.1 <= superframes + 2, "{} {superframes}", raw.1);
    let damaged = with_errors(dir.path(), "--link raw --noise 0.0005");
    assert!(2 * damaged.1 <= 3 * raw.1, "{} {}", damaged.1, raw.1);
    let errors: i64 = damaged.0.iter().map(|[_, _, errors, _]| errors).sum();
    assert!(errors > 0);
    for (pid, ([sum, _, errors, near], [right, ..])) in damaged.0.iter().zip(&values).enumerate() {
        // Each lost value of a neighbour is 1000 to 1007 less.
        let lost = (right - sum) / 1000;
        assert!(
            (lost > 0) == (sum != right) && lost == *near && near <= errors,
            "{pid}: {damaged:?}"
        );
    }
    assert!(damaged.0.iter().zip(&values).any(|(a, b)| a[0] != b[0]));
}

/// The programs return the same on links without answers. They wait for each other there, too, however
/// long they compute.
#[test]
#[ignore = "thorough: compiles firmware"]
fn all_programs_run_without_answers() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/starc");
    let dir = tempfile::tempdir().unwrap();
    let given: String =
        (0..16).map(|node| format!("{node},{}\n", i32::from(node % 3 == 1))).collect();
    fs::write(dir.path().join("in.csv"), given).unwrap();
    let mut checked = 0;
    for file in fs::read_dir(examples).unwrap() {
        let path = file.unwrap().path();
        let reads = fs::read_to_string(&path).unwrap().contains("load_from_host");
        let data = if reads { "in.csv" } else { "none" };
        let program = path.to_str().unwrap();
        let args = format!("run --dims 4 --firmware {program} --data {data} --memory 16K,4K");
        for link in ["--results out.csv", "--link raw --check out.csv"] {
            let done = run(dir.path(), &format!("{args} {link}"));
            assert_eq!(done.code, Some(0), "{program} {link}: {done:?}");
        }
        checked += 1;
    }
    assert!(checked >= 20);
}

/// Neighbours of a dead node get 0 and count it, and all others end.
#[test]
#[ignore = "thorough: compiles firmware"]
fn values_of_a_dead_node_are_0() {
    let dir = written(ERRORS);
    let right = with_errors(dir.path(), "").0;
    for link in ["acked", "raw"] {
        let (values, _, json) = with_errors(dir.path(), &format!("--dead 5 --link {link}"));
        assert_eq!(json["programs"]["dead"], serde_json::json!([5]), "{link}");
        assert_eq!(values.len(), 7, "{link}");
        let alive = [0, 1, 2, 3, 4, 6, 7];
        for (pid, [sum, _, errors, near]) in alive.into_iter().zip(&values) {
            let is_near = [1, 4, 7].contains(&pid);
            let lost = if is_near { 8 } else { 0 };
            assert_eq!(*sum, right[pid][0] - lost * 1005, "{link} {pid}");
            assert_eq!(*near, lost, "{link} {pid}");
            assert_eq!(*errors > 0, is_near, "{link} {pid}: {values:?}");
        }
        let dropped = json["programs"]["dropped"].as_array().unwrap();
        assert_eq!(dropped.is_empty(), link == "raw", "{dropped:?}");
    }
}

/// A damaged repetition of an old frame does not cost the exchange for which a neighbour still computes.
#[test]
#[ignore = "thorough: compiles firmware"]
fn noise_while_a_neighbour_computes_loses_nothing() {
    let dir = written(
        "void main() {
    pvar<int> x, y, sum = 0;
    for (int i = 0; i < 4; i++) {
        x = pid() + 10 * i + 1;
        where (pid() == 1) {
            for (volatile int j = 0; j < 20000; j++) { }
        }
        exchange { y = nbr(0, x); }
        sum += y;
    }
    pvar<int> errors = star_crc_errors(0);
    store_to_host(&sum, 1);
    store_to_host(&errors, 1);
}
",
    );
    for noise in ["0", "0.001"] {
        let args = format!("--dims 1 --link raw --noise {noise}");
        let (json, done) = results(dir.path(), &args);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(json["superframes"].as_u64().unwrap() > 50, "{json}");
        assert_eq!(returned(&json), [[68, 0], [64, 0]], "{noise}");
    }
}

/// Neighbours of a program that ends early get 0. A stall is reported, although nodes repeat their
/// frames.
#[test]
#[ignore = "thorough: compiles firmware"]
fn programs_that_end_or_stall_without_answers() {
    let with = |what: &str| {
        written(&format!(
            "void main() {{
    pvar<int> x = pid() + 1, y = 9;
    where (pid() == 3) {{ {what} }}
    for (int i = 0; i < 3; i++) {{ exchange {{ y = nbr(0, x); }} }}
    store_to_host(&y, 1);
}}
"
        ))
    };
    for ends in ["ctrl_exit(5);", "star_fail(5);"] {
        let dir = with(ends);
        let (json, done) = results(dir.path(), "--dims 2 --link raw --superframes 400");
        assert_eq!(done.code, Some(1), "{done:?}");
        assert_eq!(returned(&json), [vec![2], vec![1], vec![0], vec![]]);
        assert_eq!(json["programs"]["nodes"][3]["exit"], 5, "{ends}");
        assert!(json["superframes"].as_u64().unwrap() < 20, "{ends}");
    }
    let dir = with("for (;;) tdma_next_phase();");
    let (json, done) = results(dir.path(), "--dims 2 --link raw --superframes 400");
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(json["superframes"].as_u64().unwrap() < 300, "{json}");
    let dir = with("for (;;);");
    let (_, done) = results(dir.path(), "--dims 2 --link raw --superframes 250");
    assert_eq!(done.code, Some(1), "{done:?}");
    let line = "nothing has moved for 192 superframes, but 1 program is computing: node 0x3";
    assert!(done.stderr.contains(line), "{done:?}");
}

/// C of `phasecube starc` is for links with answers. All processors evaluate what one of them prints.
#[test]
#[ignore = "thorough: compiles firmware"]
fn a_program_for_other_links_exits_and_printing_is_the_same_everywhere() {
    let dir = written(
        "void main() {
    pvar<int> x = pid(), y;
    int round = 0;
    while (round < 3) {
        exchange { y = nbr(0, x); }
        host_printf(\"%d %d %d %d %d %d %d %d\\n\", 1, 2, 3, 4, 5, 6, 7, round++);
    }
    int sum = 0;
    for (int d = 0; d < STAR_DIMENSIONS; d++) {
        exchange { int t = reduce_sum(x); y = nbr(d, x); }
        sum = t;
    }
    y += sum;
    store_to_host(&y, 1);
}
",
    );
    for link in ["acked", "raw"] {
        let args = format!("--dims 2 --superframes 100 --link {link}");
        let (json, done) = results(dir.path(), &args);
        assert_eq!(done.code, Some(0), "{link}: {done:?}");
        assert_eq!(returned(&json), [[8], [9], [6], [7]], "{link}");
        let prints = json["programs"]["prints"].as_array().unwrap();
        let texts: Vec<_> = prints.iter().map(|print| print["text"].clone()).collect();
        let text = |round| serde_json::json!(format!("1 2 3 4 5 6 7 {round}"));
        assert_eq!(texts, [text(0), text(1), text(2)], "{link}");
    }
    let star = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware/starc");
    for file in fs::read_dir(star).unwrap() {
        let path = file.unwrap().path();
        fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
    }
    let done = run(dir.path(), "starc a.starc --dims 2 --out a.c");
    assert_eq!(done.code, Some(0), "{done:?}");
    for (args, code) in [("2", 0), ("2 --link raw", 71), ("3", 71)] {
        let args = format!(
            "run --firmware a.c --data none --memory 16K,4K --json --payload 16 --dims {args}"
        );
        let done = run(dir.path(), &args);
        let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        let nodes = json["programs"]["nodes"].as_array().unwrap();
        assert!(nodes.iter().all(|node| node["exit"] == code), "{args}: {json}");
    }
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
    assert!(results.contains("0x0,6\n") && results.contains("0x4,5\n"), "{results}");
    let done = run(dir.path(), "load a.starc --image a.bin --memory 4K,1K");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(fs::metadata(dir.path().join("a.bin")).unwrap().len() > 1000);
    let wrong = written(&SOURCE.replace("nbr(2, x)", "nbr(2,\n        z)"));
    let done = run(wrong.path(), "run --dims 3 --firmware a.starc --data none");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("a.starc does not compile"), "{done:?}");
    assert!(done.stderr.contains("a.starc:4:"), "{done:?}");
}
