//! Where standard output goes.

use super::program::{program, stdout};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// A reader that closes standard output early, as `head` does, causes no failure.
#[test]
fn a_closed_pipe_is_no_error() {
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
fn a_failed_write_to_standard_output_is_an_error() {
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

/// Help, version and lists are printed by clap or by a command. To a full device all of them fail.
#[cfg(target_os = "linux")]
#[test]
fn help_and_version_to_a_full_device_are_failures() {
    let help = stdout(&["--help"]);
    // The commands are listed with two spaces before their names.
    let commands = help.lines().filter_map(|line| line.strip_prefix("  "));
    let commands = commands.filter_map(|line| line.split(' ').next());
    let is_one = |name: &&str| {
        name.starts_with(char::is_alphabetic) && !["help", "phasecube"].contains(name)
    };
    let commands: Vec<&str> = commands.filter(is_one).collect();
    assert!(
        commands.contains(&"run") && commands.contains(&"figure12"),
        "{help}"
    );
    let mut lines: Vec<Vec<&str>> = [
        "--help",
        "-h",
        "--version",
        "-V",
        "help",
        "man",
        "boards",
        "claims",
        "verilog --list",
        "prove --list",
        "equivalence --list",
        "sweep load --help",
        "help sweep load",
        "completions bash",
        "completions elvish",
        "completions fish",
        "completions zsh",
    ]
    .map(|line| line.split(' ').collect())
    .into();
    for command in commands {
        lines.push(vec![command, "--help"]);
        lines.push(vec!["help", command]);
    }
    let dir = tempfile::tempdir().unwrap();
    for line in lines {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = program(dir.path())
            .args(&line)
            .stdout(full)
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        let says = "error: cannot write to standard output: No space left on device";
        assert!(error.starts_with(says), "{line:?}: {error}");
        assert_eq!(output.status.code(), Some(1), "{line:?}");
    }
}
