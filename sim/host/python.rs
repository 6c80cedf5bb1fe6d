//! The Python package and its examples, run with the system's Python on a simulated board.

use crate::host::commands::Process;
use std::path::{Path, PathBuf};
use std::process::Command;

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("host/python")
}

/// Returns Python with the package on its path.
fn python(arguments: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command
        .args(arguments)
        .current_dir(package())
        .env(
            "PYTHONPATH",
            format!("src{}examples", if cfg!(windows) { ";" } else { ":" }),
        )
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PHASECUBE", env!("CARGO_BIN_EXE_phasecube"));
    command
}

fn succeeds(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(done.stdout), text(done.stderr));
    assert!(done.status.success(), "{stdout}\n{stderr}");
    stdout + &stderr
}

#[test]
fn its_own_tests_pass_over_tcp() {
    let board = Process::new("4", "tcp:0");
    let unittest = ["-m", "unittest", "discover", "-s", "tests"];
    let said = succeeds(python(&unittest).env("PHASECUBE_PORT", &board.port));
    // No test was skipped.
    assert!(
        said.contains("Ran 17 tests") && !said.contains("skipped"),
        "{said}"
    );
}

/// The package can use a pseudo-terminal if pyserial is missing.
#[cfg(unix)]
#[test]
fn it_runs_over_a_pseudo_terminal() {
    let board = Process::new("4", "pty");
    let script = "
from phasecube_host import ThinkinMachine
import sys
with ThinkinMachine(sys.argv[1]) as machine:
    machine.load('all_reduce')
    print(machine.run([[n] for n in range(16)]).values[7])
";
    let said = succeeds(&mut python(&["-c", script, &board.port]));
    assert_eq!(said, "[120, 0, 15]\n");
}

#[test]
fn the_example_prints_generations() {
    let board = Process::new("4", "tcp:0");
    let arguments = [
        "examples/life.py",
        "--port",
        &board.port,
        "--generations",
        "2",
    ];
    let said = succeeds(&mut python(&arguments));
    let heads = said.lines().filter(|line| line.starts_with("generation "));
    assert_eq!(heads.count(), 3);
    assert_eq!(said.lines().count(), 3 * 5);
}

/// Runs the cells of the notebook in sequence, as a notebook does.
#[test]
fn the_notebook_runs() {
    let run = "
import json
names = {}
for cell in json.load(open('examples/life.ipynb'))['cells']:
    if cell['cell_type'] == 'code':
        assert cell['outputs'] == [] and cell['execution_count'] is None
        exec(''.join(cell['source']), names)
assert len(names['grids']) == 3 and len(names['grids'][0]) == 4
";
    let mut command = python(&["-c", run]);
    let said = succeeds(command.env("LIFE_DIMS", "4").env("LIFE_GENERATIONS", "2"));
    let rows = said.lines().filter(|line| line.contains(['·', '█']));
    assert_eq!(rows.count(), 4, "{said}");
}

/// The package's description of itself agrees with the crate.
#[test]
fn its_version_is_that_of_the_crate() {
    let project = std::fs::read_to_string(package().join("pyproject.toml")).unwrap();
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(project.contains(&version));
}
