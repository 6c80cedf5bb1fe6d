//! Missing tools and missing networks. These tests fetch nothing.

use crate::command_line::program::{is_refusal, program, Done};
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
    let says = "yosys >= 0.40 is needed to work with PHASECUBE_TOOLS=system";
    is_refusal(&done, 1, says);
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

/// The main job without a network and with an empty cache. It makes one attempt, prints one line,
/// and completes all steps that need no tool.
#[test]
#[ignore = "thorough: runs the main job"]
fn without_a_network_the_main_job_does_what_needs_no_tool() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    // No server listens at this address.
    let nowhere = [
        ("PIP_INDEX_URL", "http://127.0.0.1:9/simple"),
        ("PHASECUBE_TOOLS", "pinned"),
    ];
    let done: Done = command.envs(nowhere).output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    for shown in [
        "AA  sync\n",
        "\"hello, node 1\"\n",
        "Both: the same outputs in every clock cycle.\n",
        "3-cube, acked link, lockstep engine: 8 of 8 messages delivered",
        "12-cube, acked link, lockstep engine: 4096 of 4096 messages delivered\n",
        "$ phasecube compare --pattern permutation,complement --no-synthesis\n",
        "| complement  | CM-1                |    8 of 8 |",
        "12 of 12 letters delivered, every byte compared. Two simulators (rust-hdl on the Rust\n",
    ] {
        assert!(done.stdout.contains(shown), "{shown}: {done:?}");
    }
    // Skipped steps print no heading.
    for heading in ["\n3. ", "\n5. "] {
        assert!(!done.stdout.contains(heading), "{heading}: {done:?}");
    }
    let link = dir.path().join("target/phasecube/verilog/link/link.v");
    assert!(link.exists(), "the Verilog needs no tool");

    let stderr: Vec<&str> = done.stderr.lines().collect();
    let attempts = stderr.iter().filter(|line| line.contains("fetching"));
    assert_eq!(attempts.count(), 1, "{done:?}");
    let last = stderr.last().unwrap();
    assert!(
        last.starts_with(
            "error: left out: the Verilog in Verilator (2), the link on the FPGA (3), "
        ) && last.contains(
            "the bitstream (5), the cells in the comparison (7); could not fetch verilator=="
        ),
        "{last}"
    );
    assert!(stderr.len() <= 5, "the last line says it all: {done:?}");
}

/// `route` is shipped compiled and needs neither a compiler nor a network.
#[test]
fn route_needs_no_compiler() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command
        .env("PATH", "")
        .args(["run", "--dims", "2", "--firmware", "route"]);
    let done: Done = command.output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!dir.path().join("cache").exists(), "{done:?}");
}

/// The main job reports that builds cannot be written.
#[test]
#[ignore = "thorough: fetches tools"]
fn a_target_directory_that_cannot_be_made_is_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("target"), "a file").unwrap();
    let done: Done = program(dir.path()).output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    let says =
        "the Verilog was not written: target/phasecube/verilog/link cannot be made a directory";
    assert!(done.stderr.contains(says), "{done:?}");
}
