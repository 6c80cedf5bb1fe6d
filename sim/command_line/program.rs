//! Runs the program as a user would.

use crate::support::scratch::with_default_signals;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns the program in a directory of its own with an empty environment, so that no setting of
/// the developer affects it. Explanations and progress lines are off.
pub fn program(dir: &Path) -> Command {
    let mut command = explaining(dir);
    command.arg("--quiet");
    command
}

/// Returns the program with explanations and progress lines, as by default.
pub fn explaining(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasecube"));
    with_default_signals(&mut command)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("PHASECUBE_CACHE", dir.join("cache"))
        .stdin(Stdio::null());
    command
}

/// Returns the program with the pinned tools. They are fetched into the developer's cache if
/// necessary, and built files are kept.
pub fn with_tools(dir: &Path) -> Command {
    let mut command = program(dir);
    command
        .env_remove("PHASECUBE_CACHE")
        .env("PHASECUBE_TOOLS", "pinned")
        .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"));
    for name in ["PHASECUBE_CACHE", "XDG_CACHE_HOME", "HOME"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Runs a command on a terminal with this number of columns. Both of its streams are in `stdout`,
/// with the lines as the terminal shows them at the end.
#[cfg(unix)]
pub fn on_terminal(command: &Command, columns: u16) -> CallResult {
    let mut python = Command::new("python3");
    python.args(["-c", TERMINAL, &columns.to_string()]);
    python.arg(command.get_program()).args(command.get_args());
    let settings = command.get_envs();
    python.env_clear();
    python.envs(settings.filter_map(|(name, value)| Some((name, value?))));
    python.env("TERM", "xterm");
    if let Some(dir) = command.get_current_dir() {
        python.current_dir(dir);
    }
    python.stdin(Stdio::null()).output().unwrap().into()
}

/// Program in Python that runs its arguments on a terminal, whose width is the first of them.
#[cfg(unix)]
const TERMINAL: &str = r#"
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    size = struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0)
    fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
while True:
    try:
        block = os.read(terminal, 65536)
    except OSError:
        break
    if not block:
        break
    shown += block
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

/// Exit code and outputs of a call of the program.
#[derive(Debug)]
pub struct CallResult {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for CallResult {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text is UTF-8");
        CallResult {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Runs the program in a directory.
pub fn call(dir: &Path, args: &[&str]) -> CallResult {
    program(dir).args(args).output().unwrap().into()
}

/// Runs the program in a temporary directory. Returns its standard output.
pub fn stdout(args: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let done = call(dir.path(), args);
    assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
    assert_eq!(done.stderr, "", "{args:?}");
    done.stdout
}

/// Runs the program in a temporary directory, where it must fail with this exit code. The error is
/// one sentence that contains `says`, and standard output is empty.
pub fn refused(code: i32, args: &[&str], says: &str) {
    let dir = tempfile::tempdir().unwrap();
    refused_in(dir.path(), code, args, says);
}

/// Like [`refused`], in a given directory.
pub fn refused_in(dir: &Path, code: i32, args: &[&str], says: &str) {
    assert_rejected(&call(dir, args), code, says);
}

pub fn assert_rejected(done: &CallResult, code: i32, says: &str) {
    assert_eq!(done.code, Some(code), "{done:?}");
    assert_eq!(done.stdout, "", "{done:?}");
    assert!(done.stderr.starts_with("error: "), "{done:?}");
    assert!(done.stderr.contains(says), "{done:?}");
    assert!(!done.stderr.contains('\u{1b}'), "no colour: {done:?}");
    assert!(!done.stderr.contains("panicked"), "{done:?}");
}
