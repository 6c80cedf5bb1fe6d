//! `phasecube board` and the commands of its clients.

use super::{EchoNodes, SimulatedBoard};
use crate::support::scratch::with_default_signals;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Returns the program in a directory. Its builds go to the folder that other tests use.
pub fn phasecube(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasecube"));
    with_default_signals(&mut command).current_dir(dir);
    command.env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// A board in a process of its own. Dropping it ends the process.
pub struct Process {
    child: Child,
    pub port: String,
}

impl Process {
    /// Starts a simulated board.
    pub fn new(dims: &str, listen: &str) -> Self {
        Process::of(&["--dims", dims, "--listen", listen, "--rest", "3"])
    }

    /// Starts a board that simulates the bits of the image for the Cu.
    fn of_image() -> Self {
        let image = "/bitstreams/alchitry-cu-programs3.bin";
        let image = env!("CARGO_MANIFEST_DIR").to_owned() + image;
        Process::of(&["--virtual", &image, "--listen", "tcp:0"])
    }

    pub fn of(args: &[&str]) -> Self {
        let mut child = phasecube(&std::env::temp_dir())
            .arg("board")
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let port = first.strip_prefix("listening on ").unwrap().to_owned();
        Process { child, port }
    }

    /// Sends Ctrl-C. Returns the exit code and standard error.
    fn interrupt(mut self) -> (Option<i32>, String) {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        let mut printed = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut stderr, &mut printed).unwrap();
        (code, printed)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the program. Returns standard output followed by standard error.
fn call(dir: &Path, port: &str, args: &[&str], code: i32) -> String {
    let done = phasecube(dir).args(args).args(["--port", port]).output();
    output_with_code(&done.unwrap(), code)
}

fn output_with_code(done: &Output, code: i32) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let printed = text(&done.stdout) + &text(&done.stderr);
    assert_eq!(done.status.code(), Some(code), "{printed}");
    printed
}

/// Runs the same session with any board over any line. `name` is the board's own name. A board that
/// `rests` soon reports that nothing moves.
fn session(board: Process, name: &str, rests: bool) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let port = board.port.as_str();
    let numbers: Vec<i32> = (0..8).map(|node| (node - 3) * 1000).collect();
    let lines: Vec<String> = (0..).zip(&numbers).map(|(node, n)| format!("{node},{n}\n")).collect();
    fs::write(dir.join("numbers.csv"), lines.concat()).unwrap();
    let loaded = call(dir, port, &["load", "all_reduce"], 0);
    assert!(loaded.contains(&format!("loaded into 8 nodes ({name})")), "{loaded}");
    call(dir, port, &["send", "--data", "numbers.csv"], 0);
    let collected = call(dir, port, &["collect", "--out", "results.csv"], 0);
    assert!(collected.contains("8 of 8 programs have ended"), "{collected}");
    let results = fs::read_to_string(dir.join("results.csv")).unwrap();
    let sum: i32 = numbers.iter().sum();
    let expected: Vec<String> =
        (0..8).map(|node| format!("0x{node:X},{sum},-3000,4000\n")).collect();
    assert_eq!(results, "node,values\n".to_owned() + &expected.concat());

    fs::write(dir.join("list.csv"), "0,7,AB\n1,6\n1,6\n3,3\n6,1,0102030405060708\n").unwrap();
    let carried = call(dir, port, &["run-on-board", "list.csv"], 0);
    assert!(carried.contains("4 of 4 messages delivered"), "{carried}");
    // Complements: 3 + 3 + 3 + 3 hops.
    assert!(
        carried.contains(", 12 hops; 0 lost, 0 dropped, 0 wrong; 1 to their own source"),
        "{carried}"
    );
    let sent = call(dir, port, &["send", "2", "0x5", "C0FFEE"], 0);
    assert!(sent.contains("0x2 -> 0x5: 3 bytes sent"), "{sent}");
    let came = call(dir, port, &["collect", "--messages", "1"], 0);
    assert!(came.starts_with("0x5 ") && came.contains("bytes:0500C0FFEE"), "{came}");
    if rests {
        let nothing = call(dir, port, &["collect", "--messages", "1"], 1);
        assert!(nothing.contains("0 of 1 message arrived; nothing moves any more"), "{nothing}");
    }

    // The same port answers lines of text.
    let command = ["monitor", "--run", "complement 7"];
    let monitored = call(dir, port, &command, 1);
    assert!(monitored.contains("frames of host protocol 1"), "{monitored}");
    let (code, printed) = board.interrupt();
    assert_eq!(code, Some(130), "{printed}");
    // Lines about tools that were fetched come before.
    assert!(printed.ends_with("phasecube: stopped by Ctrl-C\n"), "{printed}");
}

#[test]
fn a_session_over_tcp() {
    session(Process::new("3", "tcp:0"), "simulated 3-cube", true);
}

#[cfg(unix)]
#[test]
fn a_session_over_a_pseudo_terminal() {
    session(Process::new("3", "pty"), "simulated 3-cube", true);
}

/// The bits of the image that is flashed to a Cu.
#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn a_session_with_the_image() {
    session(Process::of_image(), "3-cube on a board", false);
}

#[test]
fn errors_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let board = Process::new("2", "tcp:0");
    let port = board.port.as_str();
    let printed = call(dir, port, &["collect"], 1);
    assert!(printed.contains("no program is loaded: there is nothing to collect"), "{printed}");
    let printed = call(dir, port, &["send", "0", "9", "AB"], 2);
    assert!(printed.contains("9 (0x9) is outside"), "{printed}");
    let printed = call(dir, port, &["send", "0", "1", "ABC"], 2);
    assert!(printed.contains("two hexadecimal digits"), "{printed}");
    call(dir, port, &["load", "all_reduce"], 0);
    fs::write(dir.join("three.csv"), "0,1\n1,1\n2,1\n").unwrap();
    call(dir, port, &["send", "--data", "three.csv"], 0);
    // Node 3 gets the end of data before any number, and ends. The others wait for it.
    let printed = call(dir, port, &["collect"], 1);
    assert!(
        printed.contains("nothing moves any more: 3 of 4 programs have not ended"),
        "{printed}"
    );
    assert!(printed.contains("\n  0x2     asleep"), "{printed}");
    assert!(!printed.contains("\n  0x3     asleep"), "{printed}");
    // `none` is no file, as in `run`.
    call(dir, port, &["load", "all_reduce"], 0);
    let sent = call(dir, port, &["send", "--data", "none"], 0);
    assert!(sent.contains("0 values sent, and the end of the data"), "{sent}");
    call(dir, port, &["collect"], 0);
    drop(board);
    let nobody = call(dir, "tcp:127.0.0.1:1", &["collect"], 1);
    assert!(nobody.contains("at which phasecube board listens"), "{nobody}");
}

/// `load` loads the same program as `run --firmware`. The file of an image contains its bytes.
#[test]
fn an_image_file_holds_the_program_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["load", "life", "--image", "life.bin"];
    output_with_code(&phasecube(dir.path()).args(args).output().unwrap(), 0);
    let words = crate::host::program("life").words;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(fs::read(dir.path().join("life.bin")).unwrap(), bytes);
}

/// The texts of a program need its formats, so another program is refused. The nodes return each
/// message reversed: here it is the report of a `ctrl_send` of 40 bytes, and no value.
#[test]
fn collect_reports_refused_calls_of_the_program_on_the_board() {
    let board = SimulatedBoard::of(EchoNodes::new);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let port = board.port.as_str();
    fs::write(dir.join("report.csv"), "5,bytes:00000028FBC5\n").unwrap();
    call(dir, port, &["load", "all_reduce"], 0);
    call(dir, port, &["send", "--data", "report.csv"], 0);
    let other = call(dir, port, &["collect", "--firmware", "parallel_sum"], 2);
    assert!(other.contains("parallel_sum does not run on the board: its CRC is 0x"), "{other}");
    let printed = call(dir, port, &["collect", "--firmware", "all_reduce"], 0);
    assert!(
        printed
            .contains("  node 0x5: 1 call of ctrl_send refused, of up to 40 bytes; --payload 38"),
        "{printed}"
    );
    assert!(!printed.contains("bytes:C5"), "{printed}");
}
