//! The crate's default tests on AArch64, in user-mode emulation. Rust's own linker and C library build
//! them, so that no other compiler is needed.

use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "aarch64-unknown-linux-musl";

const EMULATOR: &str = "qemu-aarch64-static";

/// Debian's package with the emulator.
const PACKAGE: &str = "qemu-user-static";

/// Runs a command, which must succeed.
fn run(command: &mut Command) {
    let status = command.status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

/// Returns the emulator: the installed one, or the one of Debian's package, unpacked without root.
fn emulator() -> PathBuf {
    if Command::new(EMULATOR).arg("--version").output().is_ok() {
        return EMULATOR.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PACKAGE);
    let program = folder.join("usr/bin").join(EMULATOR);
    if !program.exists() {
        println!("{EMULATOR} is missing; this test fetches Debian's package {PACKAGE}");
        std::fs::create_dir_all(&folder).unwrap();
        run(Command::new("apt-get").args(["download", PACKAGE]).current_dir(&folder));
        let unpack = format!("dpkg -x {PACKAGE}_*.deb .");
        run(Command::new("sh").args(["-c", &unpack]).current_dir(&folder));
    }
    program
}

#[test]
#[ignore = "thorough: builds for AArch64; needs rustup, and qemu-user-static or Debian's apt-get"]
fn the_tests_pass_in_emulation() {
    let emulator = emulator();
    run(Command::new("rustup").args(["target", "add", TARGET]));
    // The first processor has the instructions of SHA3, the second one lacks them.
    for (processor, filter) in [("max", ""), ("cortex-a72", "lanes::")] {
        let variable = |name: &str| {
            let target = TARGET.to_uppercase().replace('-', "_");
            format!("CARGO_TARGET_{target}_{name}")
        };
        let runner = format!("{} -cpu {processor}", emulator.display());
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--package", "lockstep-rtl", "--target", TARGET]);
        cargo.args(["--lib", "--tests", "--", filter]);
        cargo.env(variable("RUNNER"), runner);
        cargo.env(variable("LINKER"), "rust-lld");
        run(cargo.current_dir(env!("CARGO_MANIFEST_DIR")));
    }
}
