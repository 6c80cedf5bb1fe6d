//! Ctrl-C, SIGTERM and SIGHUP end a run at the next phase, and it reports what was done so far.

use super::program::{program, CallResult};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Sends a signal to a command as soon as it has a handler for it, and again after 0.1 s, as
/// `timeout` does.
fn stopped(args: &str, signal: &str) -> CallResult {
    let dir = tempfile::tempdir().unwrap();
    stopped_in(dir.path(), args, signal)
}

fn stopped_in(dir: &Path, args: &str, signal: &str) -> CallResult {
    let mut child = begin(dir, &[], args);
    wait_until(&mut child, |child| has(child, "SigCgt", signal));
    let pid = child.id();
    send(&format!("kill -{signal} {pid}; sleep 0.1; kill -{signal} {pid} || true"));
    child.wait_with_output().unwrap().into()
}

/// Starts a command that ignores these signals and no others. The caller of the tests may ignore
/// some, as `nohup` does, so all dispositions are set.
fn begin(dir: &Path, ignored: &[&str], args: &str) -> Child {
    let program = program(dir);
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,TERM,HUP");
    let ignored = ignored.iter().map(|signal| format!("--ignore-signal={signal}"));
    command.args(ignored).arg(program.get_program());
    command.args(program.get_args()).args(args.split(' '));
    command.current_dir(dir).env_clear();
    let settings = program.get_envs();
    command.envs(settings.filter_map(|(name, value)| Some((name, value?))));
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_until(child: &mut Child, is_so: impl Fn(&Child) -> bool) {
    while !is_so(child) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(20));
    }
}

fn send(kill: &str) {
    let sent = Command::new("sh").args(["-c", kill]).status();
    assert!(sent.unwrap().success());
}

/// Whether the process has a handler for a signal (`SigCgt`), or ignores it (`SigIgn`).
fn has(child: &Child, what: &str, signal: &str) -> bool {
    let number = match signal {
        "HUP" => 1,
        "INT" => 2,
        _ => 15,
    };
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let mut lines = status.lines();
    let set = lines.find_map(|l| l.strip_prefix(what)?.strip_prefix(':'));
    let set = u64::from_str_radix(set.unwrap().trim(), 16).unwrap();
    set >> (number - 1) & 1 == 1
}

const SIGNALS: [(&str, i32, &str); 3] =
    [("HUP", 129, "SIGHUP"), ("INT", 130, "Ctrl-C"), ("TERM", 143, "SIGTERM")];

/// The reference engine needs at least half a minute for this run.
#[test]
fn an_interrupted_run_reports_its_progress() {
    for (signal, code, says) in SIGNALS {
        let done = stopped("run --dims 4 --pattern total-exchange --engine reference", signal);
        assert_eq!(done.code, Some(code), "{done:?}");
        let left = "messages still in flight";
        assert!(done.stdout.contains("of 240 messages delivered"), "{done:?}");
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
        assert_eq!((done.code, done.stdout.as_str()), (Some(code), ""), "{done:?}");
    }
}

/// A signal that the caller ignores, as `nohup` does, is ignored. The others are not.
#[test]
fn a_signal_that_the_caller_ignores_stays_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let board = "board --dims 1 --listen tcp:0";
    for (ignored, ..) in SIGNALS {
        let mut child = begin(dir.path(), &[ignored], board);
        let (other, code, _) = SIGNALS.into_iter().find(|(other, ..)| *other != ignored).unwrap();
        wait_until(&mut child, |child| has(child, "SigCgt", other));
        assert!(has(&child, "SigIgn", ignored) && !has(&child, "SigCgt", ignored));
        let pid = child.id();
        send(&format!("kill -{ignored} {pid}; sleep 0.1; kill -{other} {pid}"));
        let done: CallResult = child.wait_with_output().unwrap().into();
        assert_eq!(done.code, Some(code), "{done:?}");
    }
}

/// Waveforms of a run whose terminal hangs up are whole.
#[test]
fn an_interrupted_waveform_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["w.fst", "w.vcd"] {
        let run = format!("run --dims 5 --pattern total-exchange --wave {file}");
        let done = stopped_in(dir.path(), &run, "HUP");
        assert_eq!(done.code, Some(129), "{done:?}");
        let wave = wellen::simple::read(dir.path().join(file)).unwrap();
        assert!(wave.hierarchy().iter_vars().count() > 10);
    }
}

/// After SIGKILL nothing can be written. The file holds all blocks that were complete.
#[test]
fn a_fst_of_a_killed_run_is_read_up_to_its_last_block() {
    let dir = tempfile::tempdir().unwrap();
    let run = "run --dims 6 --pattern total-exchange --wave w.fst --watch node[*].* link[*].*";
    let mut child = begin(dir.path(), &[], run);
    let path = dir.path().join("w.fst");
    let length = || std::fs::metadata(&path).map_or(0, |file| file.len());
    // A block and its head beyond the description of the variables.
    let mut lengths = vec![];
    wait_until(&mut child, |_| length() > 0);
    lengths.push(length());
    for _ in 0..3 {
        let last = lengths[lengths.len() - 1];
        wait_until(&mut child, |_| length() > last);
        lengths.push(length());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut wave = wellen::simple::read(&path).unwrap();
    let times = wave.time_table();
    // Each block has one at least.
    assert!(times.len() >= 3 && times.is_sorted(), "{times:?}");
    let clock = wave.hierarchy().iter_vars().next().unwrap().signal_ref();
    wave.load_signals(&[clock]);
    assert!(wave.get_signal(clock).is_some());
}
