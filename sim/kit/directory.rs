//! Writes the kit to a directory and runs its Makefile with the project's tools.

use phasecube::kit::pin_mux;
use phasecube::toolchain::{ToolHandle, ToolOrigin, Toolchain};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;
use tempfile::TempDir;

pub static TOOLS: LazyLock<Toolchain> = LazyLock::new(|| Toolchain::open().unwrap());

/// Returns the kit for `dims` dimensions, with its modules changed by `change`.
pub fn kit(dims: u32, change: impl Fn(&str) -> String) -> TempDir {
    // The pinned yosys has no access to /tmp.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for file in pin_mux::files(dims) {
        let text = match file.name.as_str() {
            pin_mux::RTL => change(&file.text),
            _ => file.text.clone(),
        };
        std::fs::write(dir.path().join(&file.name), text).unwrap();
    }
    dir
}

/// Returns a tool's command line for a shell.
fn in_shell(handle: &ToolHandle) -> String {
    let command = handle.command();
    let mut words = vec!["env".to_owned()];
    let (set, unset): (Vec<_>, Vec<_>) = command.get_envs().partition(|(_, value)| value.is_some());
    words.extend(
        unset
            .iter()
            .map(|(name, _)| format!("-u {}", name.display())),
    );
    for (name, value) in set {
        let value = value.unwrap_or_default();
        words.push(format!("{}='{}'", name.display(), value.display()));
    }
    words.push(format!("'{}'", command.get_program().display()));
    words.extend(command.get_args().map(|a| format!("'{}'", a.display())));
    words.join(" ")
}

/// Runs make in the kit's directory with these tools.
pub fn make(dir: &Path, tools: &[(&str, ToolHandle)], arguments: &[&str]) -> Output {
    let mut command = Command::new("make");
    command.current_dir(dir).args(arguments);
    for (variable, handle) in tools {
        command.arg(format!("{variable}={}", in_shell(handle)));
    }
    command.output().expect("make is needed to check the kit")
}

/// Simulator of the kit's test benches.
pub struct Simulator {
    /// Name of the make target, and prefix of its log names.
    pub name: &'static str,
    pub tools: Vec<(&'static str, ToolHandle)>,
    /// Further arguments of make.
    pub arguments: Vec<&'static str>,
}

/// Returns Icarus Verilog, or Verilator if it is not available. That is reported on standard error
/// directly, because the test harness captures output.
pub fn icarus_or_verilator() -> Simulator {
    match (TOOLS.iverilog(), TOOLS.vvp()) {
        (Ok(iverilog), Ok(vvp)) => Simulator {
            name: "icarus",
            tools: vec![("IVERILOG", iverilog), ("VVP", vvp)],
            arguments: vec![],
        },
        (Err(error), _) | (_, Err(error)) => {
            let told = format!("the kit's benches run under Verilator alone: {error}\n");
            std::io::stderr().write_all(told.as_bytes()).unwrap();
            verilator()
        }
    }
}

pub fn verilator() -> Simulator {
    let verilator = TOOLS.verilator().unwrap_or_else(|e| panic!("{e}"));
    Simulator {
        name: "verilator",
        arguments: vec![verilator_flags(&verilator)],
        tools: vec![("VERILATOR", verilator)],
    }
}

/// Returns the flags for g++ and Python that the pinned Verilator needs, because its package was
/// built with other versions.
fn verilator_flags(verilator: &ToolHandle) -> &'static str {
    match verilator.origin() {
        ToolOrigin::System(_) => "VERILATOR_FLAGS=",
        ToolOrigin::Pinned(_) => {
            "VERILATOR_FLAGS=-MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include \
             -MAKEFLAGS CFG_CXXFLAGS_COROUTINES=-fcoroutines -MAKEFLAGS CFG_CXXFLAGS_STD=-std=c++20 \
             -MAKEFLAGS PYTHON3=python3"
        }
    }
}

/// Returns all output of a process.
pub fn process_output(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}
