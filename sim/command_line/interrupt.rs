//! Ctrl-C and SIGTERM end a run at the next phase, and the run reports its results up to then.

use crate::command_line::program::{program, Done};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Sends a signal to a command as soon as it has a handler for it, and again after 0.1 s, as
/// `timeout` does.
fn stopped(args: &str, signal: &str) -> Done {
    let number: u32 = match signal {
        "INT" => 2,
        _ => 15,
    };
    let dir = tempfile::tempdir().unwrap();
    let mut child = program(dir.path())
        .args(args.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while handled(&child) >> (number - 1) & 1 == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(20));
    }
    let pid = child.id();
    let twice = format!("kill -{signal} {pid}; sleep 0.1; kill -{signal} {pid} || true");
    let kill = Command::new("sh").args(["-c", &twice]).status();
    assert!(kill.unwrap().success());
    child.wait_with_output().unwrap().into()
}

/// Returns the signals that the process handles. Bit 0 is signal 1.
fn handled(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    u64::from_str_radix(line.unwrap().trim(), 16).unwrap()
}

const SIGNALS: [(&str, i32, &str); 2] = [("INT", 130, "Ctrl-C"), ("TERM", 143, "SIGTERM")];

/// The reference engine needs at least half a minute for this run.
#[test]
fn a_run_that_is_interrupted_says_how_far_it_came() {
    for (signal, code, says) in SIGNALS {
        let done = stopped(
            "run --dims 4 --pattern total-exchange --engine reference",
            signal,
        );
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
}

/// A command without a report ends immediately with the same exit code.
#[test]
fn other_commands_end_at_once() {
    for (signal, code, _) in SIGNALS {
        let done = stopped("figure12 --dims 8 --ratios 64", signal);
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(code), ""),
            "{done:?}"
        );
    }
}
