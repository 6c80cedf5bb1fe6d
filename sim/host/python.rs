//! The Python package and its examples, run with the system's Python on a simulated board.

use super::commands::Process;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("host/python")
}

/// Returns Python with the package on its path.
fn python(arguments: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command
        .args(arguments)
        .current_dir(package())
        .env("PYTHONPATH", format!("src{}examples", if cfg!(windows) { ";" } else { ":" }))
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

/// Runs the tests in a folder of the package. None may be skipped.
fn run_tests(folder: &str, mut python: Command) {
    let unittest = ["-m", "unittest", "discover", "-s", folder];
    let printed = succeeds(python.args(unittest));
    let files = std::fs::read_dir(package().join(folder)).unwrap();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok());
    let tests: usize = texts.map(|text| text.matches("    def test_").count()).sum();
    assert!(
        tests > 0
            && printed.contains(&format!("Ran {tests} tests"))
            && !printed.contains("skipped"),
        "{printed}"
    );
}

#[test]
fn its_own_tests_pass_over_tcp() {
    let board = Process::new("4", "tcp:0");
    let mut python = python(&[]);
    python.env("PHASECUBE_PORT", &board.port);
    run_tests("tests", python);
}

/// Sweeps have the same results on process pools and on Dask, also if a worker is killed. Data and
/// results can be numpy arrays. Pictures show the results.
#[test]
#[ignore = "thorough: pip fetches Dask, numpy and matplotlib"]
fn it_works_with_executors_and_arrays() {
    let dir = tempfile::tempdir().unwrap();
    let venv = Venv::new(dir.path(), &["dask[distributed]", "numpy", "matplotlib"]);
    run_tests("tests/thorough", venv.python(&[]));
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
from phasecube.host import Machine
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
from phasecube.host import Machine
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
    let arguments = ["examples/life.py", "--port", &board.port, "--generations", "2"];
    let printed = succeeds(&mut python(&arguments));
    let heads = printed.lines().filter(|line| line.starts_with("generation "));
    assert_eq!(heads.count(), 3);
    assert_eq!(printed.lines().count(), 3 * 5);
}

/// Runs the cells of the notebook in sequence, as a notebook does. Its StarC program computes what plain
/// Python does, and the film has a picture for each generation.
#[test]
#[ignore = "thorough: compiles firmware"]
fn the_notebook_runs() {
    let run = "
import json
names = {}
for cell in json.load(open('examples/life.ipynb'))['cells']:
    if cell['cell_type'] == 'code':
        assert cell['outputs'] == [] and cell['execution_count'] is None
        exec(''.join(cell['source']), names)
def after(grid):
    rows, columns = len(grid), len(grid[0])
    def cell(x, y):
        near = [grid[(y + v) % rows][(x + u) % columns] for u in (-1, 0, 1) for v in (-1, 0, 1)]
        alive = sum(near) - grid[y][x]
        return int(alive == 3 or alive == 2 and grid[y][x])
    return [[cell(x, y) for x in range(columns)] for y in range(rows)]
grids = [names['grid']]
for _ in range(2):
    grids.append(after(grids[-1]))
assert names['last'] == grids[-1], (names['last'], grids)
assert len({str(grid) for grid in grids}) == 3
assert names['film'].read_bytes().startswith(b'GIF89a')
assert names['result'].report['superframes'] == 4
";
    let mut command = python(&["-c", run]);
    let printed = succeeds(command.env("LIFE_DIMS", "6").env("LIFE_GENERATIONS", "2"));
    let rows = printed.lines().filter(|line| line.contains(['·', '█']));
    assert_eq!(rows.count(), 2 * 8, "{printed}");
}

/// The notebooks about networks run, on small machines.
#[test]
#[ignore = "thorough: pip fetches matplotlib"]
fn the_notebooks_about_networks_run() {
    let dir = tempfile::tempdir().unwrap();
    let venv = Venv::new(dir.path(), &["matplotlib"]);
    let run = "
import json, sys
import matplotlib
matplotlib.use('Agg')
names = {}
for cell in json.load(open(sys.argv[1]))['cells']:
    if cell['cell_type'] == 'code':
        assert cell['outputs'] == [] and cell['execution_count'] is None
        exec(''.join(cell['source']), names)
";
    let patterns = format!("{run}
assert len(names['saturation']) >= 15 and all(len(row.get_lines()) > 2 for row in names['rows'].flat)
");
    let own = format!("{run}
assert (names['one'].deadlock_free, names['two'].deadlock_free) == (False, True)
assert names['outcome'] != 'delivered' and 0.25 * names['bound'] < names['accepted'] < names['bound']
");
    for (name, script) in [("patterns", patterns), ("own_network", own)] {
        let mut command = venv.python(&["-c", &script, &format!("examples/{name}.ipynb")]);
        for (variable, value) in [
            ("PATTERNS_DIMS", "2"),
            ("PATTERNS_PERIODS", "30"),
            ("PATTERNS_SEEDS", "2"),
            ("RING_PERIODS", "100"),
            ("RING_SEEDS", "2"),
        ] {
            command.env(variable, value);
        }
        succeeds(&mut command);
    }
}

/// The functions for commands are generated from the program's own description.
/// `PHASECUBE_BLESS=1` writes them.
#[test]
fn its_commands_are_those_of_the_program() {
    let mut interface = Command::new(env!("CARGO_BIN_EXE_phasecube"))
        .arg("interface")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut generate = python(&["generate.py"]);
    let generated = succeeds(generate.stdin(interface.stdout.take().unwrap()));
    assert!(interface.wait().unwrap().success());
    let path = package().join("src/phasecube/commands.py");
    if std::env::var_os("PHASECUBE_BLESS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == generated,
        "the command line has changed; `PHASECUBE_BLESS=1 cargo sim host::python` writes commands.py"
    );
}

/// mypy accepts every type, from the oldest to the newest Python for which it can check. Results
/// become pandas frames.
#[test]
#[ignore = "thorough: pip fetches mypy and pandas"]
fn it_is_typed_and_makes_frames() {
    let dir = tempfile::tempdir().unwrap();
    let venv = Venv::new(dir.path(), &["mypy", "pandas", "pandas-stubs", "matplotlib"]);
    for version in ["3.10", "3.13"] {
        let mut mypy = venv.python(&["-m", "mypy", "--strict", "--python-version", version]);
        mypy.arg("--cache-dir").arg(dir.path().join("mypy"));
        let printed = succeeds(mypy.args(["src/phasecube", "src/phasecube_host"]));
        assert!(printed.contains("Success: no issues found"), "{printed}");
    }
    let script = "
import phasecube
result = phasecube.run(network='torus', radix=(4, 4), pattern='permutation')
frame = result.frame()
assert list(frame.columns) == ['source', 'destination', 'outcome', 'step', 'latency']
assert frame.latency.max() == result.latency.max and len(frame) == 16
loads = result.channel_loads.frame()
assert loads['count'].sum() == result.report['bytes'] and len(loads) == 32
assert list(phasecube.route(0, 11, dims=4).frame().next) == [1, 3, 11]
assert len(phasecube.claims().frame()) == phasecube.claims().counts['claims']
compared = phasecube.compare(dims=3, networks='torus', pattern='permutation', no_sweeps=True, no_synthesis=True)
assert list(compared.frame().bit_times) == [run.bit_times for run in compared.runs]
print('frames')
";
    assert_eq!(succeeds(&mut venv.python(&["-c", script])), "frames\n");
}

/// Python environment with packages from the registry.
struct Venv(PathBuf);

impl Venv {
    fn new(dir: &Path, packages: &[&str]) -> Self {
        let venv = Venv(dir.join("venv"));
        succeeds(Command::new("python3").args(["-m", "venv"]).arg(&venv.0));
        succeeds(venv.python(&["-m", "pip", "install", "--quiet"]).args(packages));
        venv
    }

    /// Returns the environment's Python with the package on its path.
    fn python(&self, arguments: &[&str]) -> Command {
        let with_path = python(arguments);
        let mut command = Command::new(self.0.join("bin/python"));
        command.args(arguments).current_dir(package());
        command.envs(with_path.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }
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
        let copied = Command::new("cp").arg("-r").arg(package()).arg(&copy).status();
        assert!(copied.unwrap().success());
        let pinned =
            project.replace(requires.unwrap(), &format!("requires = [\"setuptools{version}\"]"));
        std::fs::write(copy.join("pyproject.toml"), pinned).unwrap();
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "wheel", "-v", "--no-deps", "."]).current_dir(&copy);
        let printed = succeeds(&mut pip);
        assert!(printed.contains("Successfully built phasecube-host"), "{printed}");
        assert!(!printed.contains("Deprecat"), "{printed}");
    }
}
