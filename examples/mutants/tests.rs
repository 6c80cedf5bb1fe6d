//! Tests of the copy: building, timing, finding the faults that they reach, and running with a
//! fault.

use anyhow::{bail, ensure, Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Tests of a target that judge a part of the project.
#[derive(Debug)]
pub struct TestSelection {
    pub part: &'static str,
    /// A test binary of the program, or `package/*` for all test binaries of a package.
    pub target: &'static str,
    /// Module of the binary that contains the tests. Empty for all modules.
    pub area: &'static str,
    /// Parts of test names within the area. A test takes part if its name contains one of these.
    pub names: &'static [&'static str],
}

impl TestSelection {
    fn has_target(&self, target: &str) -> bool {
        match self.target.strip_suffix('*') {
            Some(package) => target.starts_with(package),
            None => target == self.target,
        }
    }

    fn has_test(&self, target: &str, name: &str) -> bool {
        let within = match self.area {
            "" => Some(name),
            area => name.strip_prefix(area).and_then(|rest| rest.strip_prefix("::")),
        };
        let named = |within: &str| self.names.iter().any(|part| within.contains(part));
        // A comparison of engines cannot judge a circuit: all engines run the same faulty circuit.
        let judges = |within: &str| self.part != "circuits" || !within.contains("agree");
        self.has_target(target) && within.is_some_and(|within| named(within) && judges(within))
    }
}

/// Time limit of a quick test. Slower tests do not take part.
const QUICK_LIMIT: Duration = Duration::from_secs(8);

/// Area and time limit of tests that compile the programs they run. They count as able to detect
/// every fault, because the compiled programs record no faults.
const COMPILING_TESTS: (&str, Duration) = ("random_kernels::", Duration::from_secs(60));

/// A test of the copy.
#[derive(Serialize, Deserialize, Clone)]
pub struct Test {
    pub part: String,
    pub target: String,
    pub name: String,
    program: PathBuf,
    pub seconds: f64,
    /// True if the test is part of the default tier, which `cargo test` runs.
    pub default_tier: bool,
    /// True if the test exceeds the limit of a quick test.
    #[serde(default)]
    pub late: bool,
    /// Faults that the test reaches.
    pub sees: BTreeSet<String>,
}

impl Test {
    fn compiles_programs(&self) -> bool {
        self.name.starts_with(COMPILING_TESTS.0)
    }

    fn for_part(&self, part: &str) -> Test {
        Test { part: part.into(), ..self.clone() }
    }

    /// Returns whether the test may detect a fault.
    pub fn may_detect(&self, fault: &str) -> bool {
        self.compiles_programs() && !self.late || self.sees.contains(fault)
    }
}

/// Stored results about the tests of a program.
#[derive(Serialize, Deserialize)]
struct StoredTests {
    /// Build time of the program, and the selection of tests.
    key: String,
    tests: Vec<Test>,
}

struct TestProgram {
    target: String,
    path: PathBuf,
}

/// The copy, and its build folder.
pub struct FaultTree {
    pub tree: PathBuf,
    pub target: PathBuf,
}

impl FaultTree {
    /// Returns all quick tests of `judges`, or only the tests of one part, with the faults that
    /// they reach.
    ///
    /// Tests of the default tier come first, then the order is by time. Stored results of unchanged
    /// programs are reused. With `stays` no program is examined again.
    pub fn tests(
        &self,
        judges: &[TestSelection],
        only: Option<&str>,
        binary: Option<&str>,
        reuse_known: bool,
    ) -> Result<Vec<Test>> {
        let wanted = judges.iter().filter(|judges| only.is_none_or(|part| part == judges.part));
        let targets: BTreeSet<&str> = wanted.map(|judges| judges.target).collect();
        let mut programs = self.build(&targets)?;
        programs.retain(|program| binary.is_none_or(|binary| program.target.ends_with(binary)));
        let mut tests = vec![];
        for program in &programs {
            let known = program.path.with_extension("mutants.json");
            let built = std::fs::metadata(&program.path)?.modified()?;
            let of = judges.iter().filter(|judges| judges.has_target(&program.target));
            let key = format!("{built:?} {:?}", of.collect::<Vec<_>>());
            let before = std::fs::read(&known).ok();
            let before = before.and_then(|json| serde_json::from_slice(&json).ok());
            let of_program = match before {
                Some(StoredTests { key: of, tests }) if of == key => tests,
                Some(StoredTests { tests, .. }) if reuse_known => {
                    merge_new_tests(tests, program, judges)?
                }
                _ => {
                    let tests = self.measure_tests(program, judges)?;
                    let known_now = StoredTests { key, tests };
                    std::fs::write(&known, serde_json::to_vec(&known_now)?)?;
                    known_now.tests
                }
            };
            tests.extend(of_program);
        }
        let thorough = |test: &Test| !test.default_tier;
        tests.sort_by(|a, b| (thorough(a).cmp(&thorough(b))).then(a.seconds.total_cmp(&b.seconds)));
        Ok(tests)
    }

    fn build(&self, targets: &BTreeSet<&str>) -> Result<Vec<TestProgram>> {
        let mut programs = vec![];
        // Packages that are built together share one build of the packages below them.
        let groups: [&[&str]; 4] = [
            &["phasecube", "phasecube-rtl"],
            &["phasecube-hdl"],
            &["lockstep-rtl"],
            &["phasecube-import"],
        ];
        for group in groups {
            let split = |target: &&str| match target.split_once('/') {
                Some((package, name)) => (package.to_owned(), name.to_owned()),
                None => ("phasecube".to_owned(), (*target).to_owned()),
            };
            let of_group = targets.iter().map(split);
            let of_group: Vec<(String, String)> =
                of_group.filter(|(package, _)| group.contains(&&package[..])).collect();
            if of_group.is_empty() {
                continue;
            }
            let mut command = Command::new(env!("CARGO"));
            command
                .current_dir(&self.tree)
                .args(["test", "--locked", "--no-run", "--message-format=json-render-diagnostics"])
                .args(["--target-dir".as_ref(), self.target.as_os_str()]);
            for (package, name) in &of_group {
                command.args(["--package", package]);
                match &package[..] {
                    "phasecube-hdl" => _ = command.arg("--lib"),
                    "lockstep-rtl" | "phasecube-import" => {
                        _ = command.args(["--lib", "--tests"]);
                    }
                    _ => _ = command.args(["--test", name]),
                }
            }
            let output = command.stderr(Stdio::inherit()).output()?;
            ensure!(output.status.success(), "the copy does not build");
            for line in String::from_utf8(output.stdout)?.lines() {
                let message: CargoMessage = serde_json::from_str(line)?;
                let (Some(target), Some(path)) = (message.target, message.executable) else {
                    continue;
                };
                let package = of_group.iter().find(|of| of.1 == target.name);
                let target = match package.map_or(group[0], |of| &of.0) {
                    "phasecube" => target.name,
                    package => format!("{package}/{}", target.name),
                };
                if message.profile.is_some_and(|profile| profile.test) {
                    programs.push(TestProgram { target, path });
                }
            }
        }
        for target in targets {
            let is_built = |program: &TestProgram| match target.strip_suffix('*') {
                Some(package) => program.target.starts_with(package),
                None => program.target == *target,
            };
            ensure!(programs.iter().any(is_built), "no program has the tests {target}");
        }
        Ok(programs)
    }

    /// Runs the tests of a program, each alone.
    fn measure_tests(&self, program: &TestProgram, judges: &[TestSelection]) -> Result<Vec<Test>> {
        let notes = self.target.join("notes");
        let mut tests = vec![];
        for (mut test, parts) in selected_tests(program, judges)? {
            let name = test.name.clone();
            let limit = if test.compiles_programs() { COMPILING_TESTS.1 } else { QUICK_LIMIT };
            let (verdict, seconds) = self.run(&test, &[], limit)?;
            test.seconds = seconds;
            eprintln!("{} {name}: {verdict:?}, {:.1} s", program.target, test.seconds);
            match verdict {
                TestVerdict::Passed => {}
                TestVerdict::Failed => bail!("{name} of {} fails without a fault", program.target),
                TestVerdict::TimedOut => test.late = true,
            }
            if !test.late && !test.compiles_programs() {
                // Finding all faults of a circuit takes longer than the test.
                _ = std::fs::remove_file(&notes);
                let into = [("MUTANTS_NOTES", &*notes.to_string_lossy())];
                test.late = self.run(&test, &into, 10 * QUICK_LIMIT)?.0 != TestVerdict::Passed;
                let seen = std::fs::read_to_string(&notes).unwrap_or_default();
                test.sees = seen.lines().map(str::to_owned).collect();
            }
            tests.extend(parts.iter().map(|part| test.for_part(part)));
        }
        Ok(tests)
    }

    /// Runs a test with a fault. The limit is 10 s plus five times its normal duration.
    pub fn run_with_fault(&self, test: &Test, fault: &str) -> Result<TestVerdict> {
        let limit = Duration::from_secs_f64(10.0 + 5.0 * test.seconds);
        Ok(self.run(test, &[("MUTANTS_FAULT", fault)], limit)?.0)
    }

    /// Runs a test with a fault and this limit in seconds.
    pub fn run_with_fault_within(
        &self,
        test: &Test,
        fault: &str,
        seconds: f64,
    ) -> Result<TestVerdict> {
        let limit = Duration::from_secs_f64(seconds);
        Ok(self.run(test, &[("MUTANTS_FAULT", fault)], limit)?.0)
    }

    /// Returns whether a fault leaves every netlist of a test unchanged.
    pub fn keeps_netlists(&self, test: &Test, fault: &str) -> Result<bool> {
        let notes = self.target.join("notes");
        let environment = [("MUTANTS_FAULT", fault), ("MUTANTS_NOTES", &notes.to_string_lossy())];
        _ = std::fs::remove_file(&notes);
        self.run(test, &environment, 20 * QUICK_LIMIT)?;
        let notes = std::fs::read_to_string(notes).unwrap_or_default();
        let mut netlist_notes =
            notes.lines().filter(|line| ["same netlist", "changed"].contains(line));
        Ok(netlist_notes.next().is_some() && !notes.lines().any(|line| line == "changed"))
    }

    /// Runs a test. Returns its verdict and its CPU seconds, which also have the limit. A busy machine
    /// therefore gives the same results. A test that waits ends by the clock, at ten times the limit.
    fn run(
        &self,
        test: &Test,
        environment: &[(&str, &str)],
        limit: Duration,
    ) -> Result<(TestVerdict, f64)> {
        let folder = self.folder(&test.target);
        let before = cpu_seconds_of_children();
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -t \"$0\" && exec \"$@\""])
            .arg(limit.as_secs_f64().ceil().to_string())
            .arg(&test.program)
            .current_dir(folder)
            .args(["--include-ignored", "--exact", &test.name])
            .envs(environment.iter().copied())
            .env("CARGO_MANIFEST_DIR", package_folder(&self.tree, &test.target))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| test.program.display().to_string())?;
        let began = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                let verdict = match (status.success(), status.signal()) {
                    (true, _) => TestVerdict::Passed,
                    (false, Some(libc::SIGXCPU | libc::SIGKILL)) => TestVerdict::TimedOut,
                    (false, _) => TestVerdict::Failed,
                };
                return Ok((verdict, cpu_seconds_of_children() - before));
            }
            if began.elapsed() > 10 * limit {
                child.kill()?;
                child.wait()?;
                return Ok((TestVerdict::TimedOut, limit.as_secs_f64()));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn folder(&self, target: &str) -> PathBuf {
        package_folder(&self.tree, target)
    }
}

/// Returns the CPU time of all processes that have ended and been waited for, in seconds.
fn cpu_seconds_of_children() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for the result, and all zeros are a valid value.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Returns the tests of a program that judge a part, each with its parts. Their results are empty.
fn selected_tests(
    program: &TestProgram,
    judges: &[TestSelection],
) -> Result<Vec<(Test, Vec<&'static str>)>> {
    let list = |which: &[&str]| -> Result<Vec<String>> {
        let list =
            Command::new(&program.path).args(["--list", "--format=terse"]).args(which).output()?;
        let list = String::from_utf8(list.stdout)?;
        let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(names.map(str::to_owned).collect())
    };
    let thorough: BTreeSet<String> = list(&["--ignored"])?.into_iter().collect();
    let tests = list(&[])?.into_iter().map(|name| {
        let of = judges.iter();
        let of = of.filter(|judges| judges.has_test(&program.target, &name));
        let test = Test {
            part: String::new(),
            target: program.target.clone(),
            default_tier: !thorough.contains(&name),
            name: name.clone(),
            program: program.path.clone(),
            seconds: 0.0,
            late: false,
            sees: BTreeSet::new(),
        };
        (test, of.map(|judges| judges.part).collect())
    });
    Ok(tests.filter(|(_, parts): &(_, Vec<_>)| !parts.is_empty()).collect())
}

/// Returns the known tests of a program, and new ones marked as late.
fn merge_new_tests(
    known: Vec<Test>,
    program: &TestProgram,
    judges: &[TestSelection],
) -> Result<Vec<Test>> {
    let mut tests = vec![];
    for (mut test, parts) in selected_tests(program, judges)? {
        test.late = true;
        for part in parts {
            let test = test.for_part(part);
            let same = |known: &&Test| known.name == test.name && known.part == part;
            tests.push(match known.iter().find(same) {
                Some(known) => Test { program: program.path.clone(), ..known.clone() },
                None => test,
            });
        }
    }
    Ok(tests)
}

/// Returns the folder of the package of a target.
fn package_folder(tree: &Path, target: &str) -> PathBuf {
    match target.split_once('/') {
        Some(("phasecube-hdl", _)) => tree.join("crates/hdl"),
        Some(("phasecube-rtl", _)) => tree.join("crates/rtl"),
        Some(("phasecube-import", _)) => tree.join("crates/import"),
        Some(_) => tree.join("crates/lockstep"),
        None => tree.to_owned(),
    }
}

/// Result of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestVerdict {
    Passed,
    Failed,
    TimedOut,
}

/// A message of cargo about a build.
#[derive(Deserialize)]
struct CargoMessage {
    executable: Option<PathBuf>,
    target: Option<CargoTarget>,
    profile: Option<CargoProfile>,
}

#[derive(Deserialize)]
struct CargoTarget {
    name: String,
}

#[derive(Deserialize)]
struct CargoProfile {
    test: bool,
}
