//! `cost --cores --sources` with the user's own sources, replaced here by small substitutes.

use crate::command_line::program::{refused, refused_in, with_tools, CallResult};
use std::fs;
use std::path::Path;

const QUARK: &str = "learn-fpga/FemtoRV/RTL/PROCESSOR/femtorv32_quark.v";

/// The parts of CoreMark's header that the port uses.
const HEADER: &str = "
#define TOTAL_DATA_SIZE 2*1000
#define SEED_VOLATILE 2
#define MEM_MALLOC 1
#include \"core_portme.h\"
typedef ee_u32 secs_ret;
typedef struct { ee_u16 crc; core_portable port; } core_results;
void start_time(void);
void stop_time(void);
CORE_TICKS get_time(void);
";

/// Returns a run that takes the time of a few stores and prints these words at the end.
fn main_that_says(words: &str) -> String {
    format!(
        "#include \"coremark.h\"
int main(void) {{
    core_results results = {{ .crc = 0xe714 }};
    portable_init(&results.port, 0, 0);
    start_time();
    stop_time();
    ee_printf(\"{words}\");
    portable_fini(&results.port);
    return 0;
}}"
    )
}

fn put(dir: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = dir.join("sources").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn coremark(dir: &Path, main: &str) {
    put(
        dir,
        &[
            ("coremark/coremark.h", HEADER),
            ("coremark/core_main.c", main),
            ("coremark/core_list_join.c", ""),
            ("coremark/core_matrix.c", ""),
            ("coremark/core_state.c", ""),
            ("coremark/core_util.c", ""),
        ],
    );
}

fn run_cost(dir: &Path) -> CallResult {
    with_tools(dir).args(ARGS).output().unwrap().into()
}

/// Checks the exit code and the error. Messages on tools may precede the error.
fn check_error(done: &CallResult, code: i32, says: &str) {
    assert_eq!(done.code, Some(code), "{done:?}");
    assert_eq!(done.stdout, "", "{done:?}");
    let (_, error) = done.stderr.split_once("error: ").unwrap_or_default();
    assert!(error.contains(says), "{done:?}");
}

const ARGS: &[&str] = &["cost", "--cores", "--sources", "sources"];

#[test]
fn missing_and_wrong_sources_are_reported_before_anything_runs() {
    refused(2, &["cost", "--sources", "."], "--cores");
    refused(2, ARGS, "sources: No such file");
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("sources/learn-fpga")).unwrap();
    let missing = format!("sources/{QUARK}: it cannot be read");
    refused_in(dir.path(), 2, ARGS, &missing);
    put(dir.path(), &[(QUARK, "module Other(); endmodule\n")]);
    let other = format!("sources/{QUARK}: it has no module FemtoRV32; accepted: a clone");
    refused_in(dir.path(), 2, ARGS, &other);
    fs::write(dir.path().join("sources").join(QUARK), b"\xff").unwrap();
    let bytes = format!("sources/{QUARK}: it is not text in UTF-8");
    refused_in(dir.path(), 2, ARGS, &bytes);
}

#[test]
#[ignore = "thorough: synthesises cores"]
fn sources_that_a_tool_rejects_are_named() {
    for (name, text) in [
        (QUARK, "module FemtoRV32(input clk);\nassign = ;\nendmodule\n"),
        ("coremark/core_main.c", "int main(void) { return }"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        coremark(dir.path(), &main_that_says("Correct operation validated."));
        put(dir.path(), &[(name, text)]);
        let done = run_cost(dir.path());
        let file = name.rsplit('/').next().unwrap();
        check_error(&done, 2, file);
    }
}

/// CoreMark's results count as wrong without the line in which it validates them.
#[test]
#[ignore = "thorough: synthesises cores"]
fn a_wrong_result_of_coremark_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    coremark(dir.path(), &main_that_says("Errors detected"));
    let done = run_cost(dir.path());
    check_error(
        &done,
        1,
        "SingleContextCore: CoreMark found an error in its results; the CRC of the run is 0xE714",
    );
}

#[test]
#[ignore = "thorough: synthesises cores"]
fn coremark_gives_columns() {
    let dir = tempfile::tempdir().unwrap();
    coremark(dir.path(), &main_that_says("Correct operation validated. See"));
    let done = run_cost(dir.path());
    assert_eq!(done.code, Some(0), "{done:?}");
    let heading = "| clock cycles for an instruction of CoreMark | CoreMark/MHz |";
    assert!(done.stdout.contains(heading), "{}", done.stdout);
    assert!(!done.stdout.contains("Not here: CoreMark"), "{}", done.stdout);
    let pin = ", coremark (SHA-256 of its 6 files ";
    let words: Vec<&str> = done.stdout.split_whitespace().collect();
    assert!(words.join(" ").contains(pin), "{}", done.stdout);
}
