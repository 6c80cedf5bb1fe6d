//! Ctrl-C and SIGTERM end a run at the next phase, and what was done so far is told.

use crate::program::{program, Done};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Signals that the process has a handler for, a bit each, from 1 on.
fn handled(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    u64::from_str_radix(line.unwrap().trim(), 16).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_interrupted_says_how_far_it_came() {
    interrupted("INT", 2, 130, "Ctrl-C");
}

/// As `timeout`, a service manager or a batch system ends it.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_terminated_says_how_far_it_came() {
    interrupted("TERM", 15, 143, "SIGTERM");
}

/// The reference takes half a minute and more for this run.
#[cfg(target_os = "linux")]
fn interrupted(signal: &str, number: u32, code: i32, says: &str) {
    let dir = tempfile::tempdir().unwrap();
    let run = "run --dims 4 --pattern total-exchange --engine reference";
    let mut child = program(dir.path())
        .args(run.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while handled(&child) >> (number - 1) & 1 == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(20));
    }
    let pid = child.id();
    // Twice, as `timeout` does it.
    let twice = format!("kill -{signal} {pid} && sleep 0.1 && kill -{signal} {pid}");
    let kill = Command::new("sh").args(["-c", &twice]).status();
    assert!(kill.unwrap().success());
    let done: Done = child.wait_with_output().unwrap().into();
    assert_eq!(done.code, Some(code), "{done:?}");
    let left = "messages still under way";
    assert!(
        done.stdout.contains("of 240 messages delivered"),
        "{done:?}"
    );
    assert!(done.stdout.contains(left), "{done:?}");
    let end = format!("error: stopped by {says} in superframe 0 (counted from 0); ");
    assert!(done.stderr.starts_with(&end), "{done:?}");
}

/// What has no report to give ends at once, with the same exit code.
#[test]
#[cfg(target_os = "linux")]
fn other_commands_end_at_once() {
    for (signal, number, code) in [("INT", 2, 130), ("TERM", 15, 143)] {
        let dir = tempfile::tempdir().unwrap();
        let mut child = program(dir.path())
            .args("figure12 --dims 8 --ratios 64".split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while handled(&child) >> (number - 1) & 1 == 0 {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            sleep(Duration::from_millis(20));
        }
        let kill = format!("kill -{signal} {}", child.id());
        let kill = Command::new("sh").args(["-c", &kill]).status();
        assert!(kill.unwrap().success());
        let done: Done = child.wait_with_output().unwrap().into();
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(code), ""),
            "{done:?}"
        );
    }
}
