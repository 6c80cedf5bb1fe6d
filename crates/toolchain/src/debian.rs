//! Unpacks packages of the Debian archive without root.

use super::command;
use super::error::{IoContext, Result, ToolError};
use super::pins::Tool;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Destination of the parts of a package: the folder below `usr`, and the name below `site`. `*` is
/// the name of the machine's architecture.
const PARTS: &[(&str, &str)] = &[
    ("bin", "bin"),
    // Icarus Verilog.
    ("lib/*/ivl", "ivl"),
    // IceStorm.
    ("share/fpga-icestorm/python", "python"),
];

/// Rejects other systems than the packages' own, because an attempt would take long.
pub(super) fn check(wanted: Tool) -> Result<()> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let is = |line: &str| release.lines().any(|other| other == line);
    match is("ID=debian") && is("VERSION_CODENAME=bookworm") {
        true => Ok(()),
        false => Err(ToolError::Missing {
            missing: wanted.name().into(),
            purpose: "go on".into(),
            remedy: remedy(wanted),
        }),
    }
}

/// Downloads the pinned packages (`name==version`) with apt-get, which checks their signatures.
/// Unpacks them into `dir/site`.
pub(super) fn unpack(packages: &[&str], wanted: Tool, dir: &Path) -> Result<()> {
    let apt = needed("apt-get", wanted)?;
    let dpkg = needed("dpkg", wanted)?;
    let names: Vec<String> = packages.iter().map(|p| p.replace("==", "=")).collect();
    download(&apt, &names, dir).map_err(|error| match error {
        ToolError::Failed { tail, log, .. } => ToolError::Fetch {
            packages: names.join(" "),
            unreachable: unreachable(&log).into(),
            tail,
            log,
            remedy: remedy(wanted),
        },
        other => other,
    })?;

    let tree = dir.join("tree");
    for archive in files(dir)?.iter().filter(|path| path.extension().is_some_and(|e| e == "deb")) {
        let mut unpack = Command::new(&dpkg);
        unpack.arg("-x").arg(archive).arg(&tree);
        command::run_logged(&mut unpack, "dpkg -x", &dir.join("dpkg.log"))?;
        fs::remove_file(archive).at("remove", archive)?;
    }
    let (usr, site) = (tree.join("usr"), dir.join("site"));
    fs::create_dir(&site).at("create the folder", &site)?;
    for (from, to) in PARTS {
        if let Some(from) = find(&usr, from)? {
            fs::rename(&from, site.join(to)).at("rename into place", &from)?;
        }
    }
    fs::remove_dir_all(&tree).at("remove the folder", &tree)
}

/// Returns the addresses in the log from which apt-get could not fetch.
fn unreachable(log: &Path) -> Vec<String> {
    let printed = fs::read_to_string(log).unwrap_or_default();
    let failed = printed.lines().filter_map(|line| {
        let (_, rest) = line.split_once("Failed to fetch ")?;
        rest.split_whitespace().next().map(str::to_owned)
    });
    let mut all: Vec<String> = failed.collect();
    all.dedup();
    all
}

/// Downloads packages with the system's package lists. These lists may be old, or missing on a new
/// machine. If the download fails, a second attempt uses new lists in `dir`, which need no root
/// rights.
fn download(apt: &Path, names: &[String], dir: &Path) -> Result<()> {
    let get = |options: &[String], words: &[&str], names: &[String], log: &str| {
        let mut command = Command::new(apt);
        // Some networks need several attempts.
        command.args(["-o", "Acquire::Retries=3"]);
        command.args(options).args(words).args(names);
        let name = format!("apt-get {}", words.join(" "));
        command::run_logged(command.current_dir(dir), &name, &dir.join(log))
    };
    if get(&[], &["download"], names, "apt.log").is_ok() {
        return Ok(());
    }
    let own = std::path::absolute(dir.join("apt")).at("find", dir)?;
    let (lists, cache) = (own.join("lists"), own.join("cache"));
    for folder in [lists.join("partial"), cache.join("archives/partial")] {
        fs::create_dir_all(&folder).at("create the folder", &folder)?;
    }
    let options = [
        "-o".to_string(),
        format!("Dir::State::lists={}", lists.display()),
        "-o".to_string(),
        format!("Dir::Cache={}", cache.display()),
    ];
    get(&options, &["update", "-q"], &[], "apt-update.log")?;
    get(&options, &["download"], names, "apt.log")?;
    fs::remove_dir_all(&own).at("remove the folder", &own)
}

/// Folder below `usr`, if it exists.
fn find(usr: &Path, pattern: &str) -> Result<Option<PathBuf>> {
    let candidates = match pattern.split_once("/*/") {
        None => vec![usr.join(pattern)],
        Some((above, below)) if usr.join(above).is_dir() => {
            files(&usr.join(above))?.into_iter().map(|arch| arch.join(below)).collect()
        }
        Some(_) => vec![],
    };
    Ok(candidates.into_iter().find(|folder| folder.is_dir()))
}

fn needed(program: &str, wanted: Tool) -> Result<PathBuf> {
    command::find_on_path(program).ok_or_else(|| ToolError::Missing {
        missing: program.into(),
        purpose: format!("fetch {}", wanted.name()),
        remedy: remedy(wanted),
    })
}

fn remedy(wanted: Tool) -> String {
    format!(
        "the package is Debian 12's: check the network and the sources of apt-get, or put {} on PATH",
        wanted.accepted_program()
    )
}

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).at("read", dir)?;
    entries.map(|entry| Ok(entry.at("read", dir)?.path())).collect()
}
