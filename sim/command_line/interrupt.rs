//! Ctrl-C ends a run at the next phase, and what was done so far is told.

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

/// The reference takes half a minute and more for this run.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_interrupted_says_how_far_it_came() {
    const SIGINT: u32 = 2;
    let dir = tempfile::tempdir().unwrap();
    let run = "run --dims 4 --pattern total-exchange --engine reference";
    let mut child = program(dir.path())
        .args(run.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while handled(&child) >> (SIGINT - 1) & 1 == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(20));
    }
    let pid = child.id();
    // Twice, as `timeout` does it.
    let twice = format!("kill -INT {pid} && sleep 0.1 && kill -INT {pid}");
    let kill = Command::new("sh").args(["-c", &twice]).status();
    assert!(kill.unwrap().success());
    let done: Done = child.wait_with_output().unwrap().into();
    assert_eq!(done.code, Some(1), "{done:?}");
    let left = "messages still under way";
    assert!(
        done.stdout.contains("of 240 messages delivered"),
        "{done:?}"
    );
    assert!(done.stdout.contains(left), "{done:?}");
    let end = "error: stopped by Ctrl-C in superframe 1; ";
    assert!(done.stderr.starts_with(end), "{done:?}");
}
