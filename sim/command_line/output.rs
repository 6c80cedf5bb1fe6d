//! Where standard output goes.

use crate::command_line::program::program;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// A reader that closes standard output early, as `head` does, causes no failure.
#[test]
fn a_reader_that_leaves_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = program(dir.path())
        .args(["verilog", "--design", "link"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::with_capacity(64, stdout)
        .read_line(&mut line)
        .unwrap();
    assert!(!line.is_empty());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// A full disk causes a failure.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = program(dir.path())
        .args(["route", "1", "2"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.starts_with("error: cannot write to standard output: "),
        "{error}"
    );
}
