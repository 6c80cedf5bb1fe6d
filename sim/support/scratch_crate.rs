//! A crate that a test writes, compiles against `phasecube` and runs.
//!
//! It stands in `<target dir>/phasecube/scratch/<name>`, shares the target
//! directory, the locked versions and the profile of this workspace, and needs
//! no network: what it depends on is compiled already.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, io};

/// A crate of this name, one per name at a time.
pub struct ScratchCrate {
    name: String,
    dir: PathBuf,
}

impl ScratchCrate {
    /// Begins a crate with a manifest and a lock file and whatever sources an
    /// earlier run left: write all that matter, or [`clear`](Self::clear) first.
    pub fn new(name: &str) -> Self {
        Self::with_opt_level(name, 0)
    }

    /// With another optimisation of the crate itself; its dependencies have
    /// that of this workspace.
    pub fn with_opt_level(name: &str, opt_level: u8) -> Self {
        let dir = target_dir().join("phasecube/scratch").join(name);
        let scratch = ScratchCrate {
            name: name.into(),
            dir,
        };
        let lock = fs::read_to_string(workspace().join("Cargo.lock"))
            .unwrap_or_else(|e| panic!("Cargo.lock of the workspace: {e}"));
        scratch.write("Cargo.toml", &manifest(name, opt_level));
        // Cargo adds the crate itself to the lock file and drops what it does
        // not need, so the copy is made only when the original changes.
        let copied = scratch.dir.join("Cargo.lock.copied");
        if fs::read_to_string(&copied).ok().as_deref() != Some(&lock) {
            scratch.write("Cargo.lock", &lock);
            scratch.write("Cargo.lock.copied", &lock);
        }
        scratch
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Removes the sources.
    pub fn clear(&self) {
        for dir in ["src", "examples"] {
            match fs::remove_dir_all(self.dir.join(dir)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => panic!("{dir}: {e}"),
                _ => {}
            }
        }
    }

    /// Writes a file, such as `src/main.rs`. One that stands there already with
    /// the same text is left alone: cargo then need not compile it again.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.join(path);
        if fs::read_to_string(&path).ok().as_deref() == Some(text) {
            return;
        }
        fs::create_dir_all(path.parent().expect("a file stands in a folder"))
            .and_then(|()| fs::write(&path, text))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }

    /// `cargo <subcommand>` in the crate, offline and without colours.
    pub fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .arg(subcommand)
            .args(["--offline", "--quiet", "--color=never", "--target-dir"])
            .arg(target_dir())
            .current_dir(&self.dir)
            // What the crate makes is seldom made twice in nearly the same way.
            .env("CARGO_INCREMENTAL", "0")
            // These would be for the crates of this workspace.
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .env_remove("CARGO_MANIFEST_DIR")
            .env_remove("CARGO_MANIFEST_PATH");
        cargo
    }

    /// Runs `cargo <subcommand>` with what follows it, for instance
    /// `run("check", &["--message-format=json"])`.
    pub fn run(&self, subcommand: &str, args: &[&str]) -> Output {
        self.cargo(subcommand)
            .args(args)
            .output()
            .unwrap_or_else(|e| panic!("cargo {subcommand}: {e}"))
    }

    /// What the compiler says of the crate's own targets: the messages of
    /// `cargo check --message-format=json` whose reason is `compiler-message`,
    /// for all targets, after an error too.
    pub fn diagnostics(&self) -> Vec<serde_json::Value> {
        let args = ["--all-targets", "--keep-going", "--message-format=json"];
        let output = self.run("check", &args);
        let messages: Vec<serde_json::Value> = String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(|m: &serde_json::Value| m["reason"] == "compiler-message")
            .filter(|m| {
                m["target"]["src_path"]
                    .as_str()
                    .is_some_and(|p| Path::new(p).starts_with(&self.dir))
            })
            .collect();
        assert!(
            output.status.success() || !messages.is_empty(),
            "cargo check of {} failed without a word on it:\n{}",
            self.name,
            String::from_utf8_lossy(&output.stderr)
        );
        messages
    }

    /// Compiles the crate.
    ///
    /// # Panics
    /// With the compiler's errors, if there are any.
    pub fn build(&self) {
        let output = self.run("build", &[]);
        assert!(
            output.status.success(),
            "{} does not compile:\n{}",
            self.dir.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Where [`build`](Self::build) leaves the program that is called like the
    /// crate, or the one of `src/bin/<name>.rs`.
    pub fn program(&self, name: &str) -> PathBuf {
        let path = target_dir().join("debug").join(name);
        path.with_extension(env::consts::EXE_EXTENSION)
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The target directory of this workspace.
fn target_dir() -> &'static Path {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tmp.parent().expect("cargo puts `tmp` into it")
}

fn manifest(name: &str, opt_level: u8) -> String {
    let root = fs::read_to_string(workspace().join("Cargo.toml"))
        .unwrap_or_else(|e| panic!("Cargo.toml of the workspace: {e}"));
    let mut text = String::new();
    let path = workspace().display();
    write!(
        text,
        r#"[package]
name = "{name}"
version = "0.0.0"
edition = "2021"
publish = false

[workspace]
resolver = "2"

[dependencies]
phasecube = {{ path = {path:?} }}
rust-hdl = "{rust_hdl}"
num-bigint = "0.4"

[profile.dev.package."*"]
opt-level = {dependencies}

[profile.dev.package.phasecube]
opt-level = {phasecube}

# For this crate alone: the others would have to be compiled once more.
[profile.dev.package.{name}]
opt-level = {opt_level}
debug = "none"
"#,
        path = path.to_string(),
        rust_hdl = setting(&root, "[dependencies]", "rust-hdl"),
        phasecube = setting(&root, "[profile.dev]", "opt-level"),
        dependencies = setting(&root, "[profile.dev.package.\"*\"]", "opt-level"),
    )
    .expect("a string takes any text");
    text
}

/// The value of a key in a section of a manifest, without quotes.
fn setting<'a>(manifest: &'a str, section: &str, key: &str) -> &'a str {
    manifest
        .lines()
        .skip_while(|line| line.trim() != section)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('='))
        .find(|(name, _)| name.trim() == key)
        .map_or_else(
            || panic!("Cargo.toml has no {key} in {section}"),
            |(_, value)| value.trim().trim_matches('"'),
        )
}
