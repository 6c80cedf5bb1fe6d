//! Tools that are not there. Nothing here fetches anything.

use crate::program::{is_refusal, program, Done};
use std::path::Path;

fn cost(dir: &Path, environment: &[(&str, &str)]) -> Done {
    let mut command = program(dir);
    command.arg("cost").envs(environment.iter().copied());
    command.output().unwrap().into()
}

#[test]
fn a_missing_system_tool_is_named_with_its_version() {
    let dir = tempfile::tempdir().unwrap();
    let done = cost(dir.path(), &[("PATH", ""), ("PHASECUBE_TOOLS", "system")]);
    is_refusal(&done, 1, "yosys >= 0.40 is needed");
    assert!(
        done.stderr
            .contains("put it on PATH, or unset PHASECUBE_TOOLS"),
        "{done:?}"
    );
}

#[test]
fn a_missing_python_is_named_with_the_way_round_it() {
    let dir = tempfile::tempdir().unwrap();
    let done = cost(dir.path(), &[("PATH", "")]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{done:?}");
    assert!(
        done.stderr.contains("python3 is needed to fetch yosys"),
        "{done:?}"
    );
    assert!(
        done.stderr.contains("or put yosys >= 0.40 on PATH"),
        "{done:?}"
    );
}

#[test]
fn a_setting_that_is_not_known_is_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let done = cost(dir.path(), &[("PHASECUBE_TOOLS", "newest")]);
    is_refusal(
        &done,
        2,
        "PHASECUBE_TOOLS=newest is unknown: use auto, pinned or system",
    );
}

/// The main job shows the wire before it needs any tool, and says what it lacks.
#[test]
fn without_tools_the_main_job_shows_the_wire_and_fails() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command.env("PATH", "").env("PHASECUBE_TOOLS", "system");
    let done: Done = command.output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("AA  sync\n"), "{done:?}");
    assert!(done.stdout.contains("\"hello, node 1\"\n"), "{done:?}");
    assert!(done.stderr.starts_with("error: "), "{done:?}");
    assert!(
        done.stderr
            .contains(" is needed to work with PHASECUBE_TOOLS=system"),
        "{done:?}"
    );
    let link = dir.path().join("target/phasecube/verilog/link/link.v");
    assert!(link.exists(), "the Verilog needs no tool");
}

/// Where builds cannot be written, the main job says so.
#[test]
fn a_target_directory_that_cannot_be_made_is_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("target"), "a file").unwrap();
    let done: Done = program(dir.path()).output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    let says =
        "the Verilog was not written: target/phasecube/verilog/link cannot be made a directory";
    assert!(done.stderr.contains(says), "{done:?}");
}
