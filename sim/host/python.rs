//! The Python package and its examples, run with the system's Python on a simulated board.

use super::commands::Process;
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
    let printed = succeeds(python(&unittest).env("PHASECUBE_PORT", &board.port));
    let files = std::fs::read_dir(package().join("tests")).unwrap();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok());
    let tests: usize = texts
        .map(|text| text.matches("    def test_").count())
        .sum();
    // None was skipped.
    assert!(
        tests > 17
            && printed.contains(&format!("Ran {tests} tests"))
            && !printed.contains("skipped"),
        "{printed}"
    );
}

/// The client takes the address that the board prints, also with IPv6.
#[test]
fn it_reaches_a_board_by_ipv6() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    for listen in ["tcp:[::1]:0", "tcp:::1:0"] {
        let board = Process::new("1", listen);
        assert!(board.port.starts_with("tcp:[::1]:"), "{}", board.port);
        let script = "
from phasecube_host import Machine
import sys
with Machine(sys.argv[1]) as machine:
    print(machine.about.name)
";
        let printed = succeeds(&mut python(&["-c", script, &board.port]));
        assert_eq!(printed, "simulated 1-cube\n");
    }
}

/// A pseudo-terminal works if pyserial is missing.
#[cfg(unix)]
#[test]
fn it_runs_over_a_pseudo_terminal() {
    let board = Process::new("4", "pty");
    let script = "
from phasecube_host import Machine
import sys
with Machine(sys.argv[1]) as machine:
    machine.load('all_reduce')
    print(machine.run([[n] for n in range(16)]).values[7])
";
    let printed = succeeds(&mut python(&["-c", script, &board.port]));
    assert_eq!(printed, "[120, 0, 15]\n");
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
    let printed = succeeds(&mut python(&arguments));
    let heads = printed
        .lines()
        .filter(|line| line.starts_with("generation "));
    assert_eq!(heads.count(), 3);
    assert_eq!(printed.lines().count(), 3 * 5);
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
    let printed = succeeds(command.env("LIFE_DIMS", "4").env("LIFE_GENERATIONS", "2"));
    let rows = printed.lines().filter(|line| line.contains(['·', '█']));
    assert_eq!(rows.count(), 4, "{printed}");
}

/// The package's description of itself agrees with the crate.
#[test]
fn its_version_and_licence_are_those_of_the_crate() {
    let project = std::fs::read_to_string(package().join("pyproject.toml")).unwrap();
    for line in [
        format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
        format!("license = \"{}\"", env!("CARGO_PKG_LICENSE")),
    ] {
        assert!(project.lines().any(|other| other == line), "{line}");
    }
}

/// Neither the oldest nor the newest setuptools that is accepted warns of what the package uses.
#[test]
#[ignore = "thorough: pip fetches setuptools"]
fn it_is_built_without_warnings() {
    let dir = tempfile::tempdir().unwrap();
    let project = std::fs::read_to_string(package().join("pyproject.toml")).unwrap();
    let requires = project.lines().find(|line| line.starts_with("requires = "));
    let bound = |sign| requires?.split_once(sign)?.1.split(['"', ',']).next();
    let (oldest, above) = (bound(">=").unwrap(), bound("<").unwrap());
    let newest: u32 = above.parse().unwrap();
    for version in [format!("=={oldest}.*"), format!("=={}.*", newest - 1)] {
        let copy = dir.path().join(&version);
        let copied = Command::new("cp")
            .arg("-r")
            .arg(package())
            .arg(&copy)
            .status();
        assert!(copied.unwrap().success());
        let pinned = project.replace(
            requires.unwrap(),
            &format!("requires = [\"setuptools{version}\"]"),
        );
        std::fs::write(copy.join("pyproject.toml"), pinned).unwrap();
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "wheel", "-v", "--no-deps", "."])
            .current_dir(&copy);
        let printed = succeeds(&mut pip);
        assert!(
            printed.contains("Successfully built phasecube-host"),
            "{printed}"
        );
        assert!(!printed.contains("Deprecat"), "{printed}");
    }
}
