//! Programs that a test writes, compiles against `phasecube` and runs, and the signals of programs
//! that tests start.
//!
//! They are in `<target dir>/phasecube/scratch/<name>`. `rustc` compiles them directly against the
//! libraries that this test was linked with. A cargo package would compile `phasecube` again, which
//! takes minutes, because cargo treats a path dependency of another workspace as another crate.

use rayon::prelude::*;
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, io};

/// Libraries available to a program.
const LIBRARIES: [&str; 6] =
    ["hdl", "phasecube", "lockstep", "testbench", "rust_hdl", "num_bigint"];

/// A folder of sources. Each name is used by one test at a time.
pub struct Scratch {
    dir: PathBuf,
    /// `name=file` of each library.
    libraries: Vec<String>,
}

impl Scratch {
    /// Creates an empty folder.
    pub fn new(name: &str) -> Self {
        let dir = target_dir().join("phasecube/scratch").join(name);
        match fs::remove_dir_all(&dir) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => panic!("{}: {e}", dir.display()),
            _ => {}
        }
        Scratch { dir, libraries: libraries() }
    }

    /// Renames a library, as a `Cargo.toml` can.
    pub fn rename(&mut self, library: &str, name: &str) {
        for known in &mut self.libraries {
            if let Some(file) = known.strip_prefix(&format!("{library}=")) {
                *known = format!("{name}={file}");
            }
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes a file, such as `main.rs`.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .and_then(|()| fs::write(&path, text))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }

    /// Returns `rustc` for a source, run in the folder. The output stays there under `name`, and
    /// others can use it with `--extern name`.
    pub fn rustc(&self, name: &str, kind: &str, source: &str) -> Command {
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc
            .current_dir(&self.dir)
            .args(["--edition=2021", "--crate-name", name, "--crate-type", kind])
            .args(["-C", "opt-level=0", "-C", "debuginfo=0", source, "-L", "."])
            .arg("-L")
            .arg(format!("dependency={}", deps().display()));
        for library in &self.libraries {
            rustc.arg("--extern").arg(library);
        }
        rustc
    }

    /// Returns a program that [`rustc`](Self::rustc) compiled.
    pub fn program(&self, name: &str) -> Command {
        let path = self.dir.join(name);
        Command::new(path.with_extension(env::consts::EXE_EXTENSION))
    }
}

/// Returns the folder in which cargo put this test and its libraries.
fn deps() -> PathBuf {
    let test = env::current_exe().expect("this test is a file");
    test.parent().expect("it is in a folder").into()
}

fn target_dir() -> &'static Path {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tmp.parent().expect("cargo puts `tmp` into it")
}

/// Returns the libraries' files. They are listed when cargo builds this test again. `cargo build`
/// would produce other files, because dev-dependencies affect the features of shared dependencies.
fn libraries() -> Vec<String> {
    let profile = match deps().parent().and_then(Path::file_name) {
        Some(folder) if folder != "debug" => folder.to_os_string(),
        _ => "test".into(),
    };
    let output = Command::new(env!("CARGO"))
        .args(["test", "--no-run", "--test", env!("CARGO_CRATE_NAME")])
        .args(["--offline", "--message-format=json", "--profile"])
        .arg(profile)
        .arg("--target-dir")
        .arg(target_dir())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let artifacts: Vec<Value> = messages(&output.stdout);
    let file = |name: &str| {
        let artifact = artifacts.iter().find(|m| {
            m["reason"] == "compiler-artifact"
                && m["target"]["name"].as_str().map(|n| n.replace('-', "_")) == Some(name.into())
        });
        let file = artifact.and_then(|a| a["filenames"].as_array()?.first()?.as_str());
        file.map_or_else(
            || {
                let printed = String::from_utf8_lossy(&output.stderr);
                panic!("cargo made no library {name}:\n{printed}")
            },
            |file| format!("{name}={file}"),
        )
    };
    LIBRARIES.map(file).to_vec()
}

/// Returns the lines that are JSON.
pub fn messages(lines: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(lines)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Runs commands in parallel, one for each processor.
pub fn run_all(commands: impl IntoIterator<Item = Command>) -> Vec<Output> {
    let commands: Vec<Command> = commands.into_iter().collect();
    let run = |mut command: Command| match command.output() {
        Ok(output) => output,
        Err(e) => panic!("{command:?}: {e}"),
    };
    commands.into_par_iter().map(run).collect()
}

// Compiles firmware for a PC with plain `cc`, against a model of its surroundings.

/// Compiles these files of the project, with these folders of `firmware` for their headers.
///
/// # Panics
/// With the compiler's output if it reports an error or a warning, or if there is no compiler.
pub fn compiled(name: &str, folders: &[&str], files: &[&str], flags: &[String]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let cc = env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut compile = Command::new(&cc);
    compile.args(["-Wall", "-Wextra", "-Werror", "-O1"]);
    for folder in folders {
        compile.arg("-I").arg(root.join("firmware").join(folder));
    }
    compile.args(files.iter().map(|file| root.join(file)));
    compile.args(flags).arg("-o").arg(&program);
    let output = compile.output();
    let output =
        output.unwrap_or_else(|e| panic!("a C compiler (cc, or the one that CC names): {e}"));
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{printed}", output.status);
    program
}

/// Lets SIGHUP, SIGINT and SIGTERM end the program, even if the caller of the tests ignores them. `nohup` ignores SIGHUP,
/// and a shell without job control ignores SIGINT for what it starts in the background.
pub fn with_default_signals(command: &mut Command) -> &mut Command {
    let reset = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            // SAFETY: `signal` with SIG_DFL may be called between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(reset) }
}
