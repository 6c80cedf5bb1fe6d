//! Packages of the Debian archive, unpacked without root.

use super::error::{At, Result, ToolError};
use super::exec;
use super::pins::Tool;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Downloads the pinned packages (`name==version`) with apt-get, which checks their signatures, and
/// unpacks them: programs to `dir/site/bin`, the parts of Icarus Verilog to `dir/site/ivl`.
pub(super) fn unpack(packages: &[&str], wanted: Tool, dir: &Path) -> Result<()> {
    let apt = needed("apt-get", wanted)?;
    let dpkg = needed("dpkg", wanted)?;
    let names: Vec<String> = packages.iter().map(|p| p.replace("==", "=")).collect();
    let mut download = Command::new(apt);
    download.arg("download").args(&names).current_dir(dir);
    exec::logged(&mut download, "apt-get download", &dir.join("apt.log")).map_err(|error| {
        match error {
            ToolError::Failed { tail, log, .. } => ToolError::Fetch {
                packages: names.join(" "),
                tail,
                log,
                remedy: remedy(wanted),
            },
            other => other,
        }
    })?;

    let tree = dir.join("tree");
    for archive in files(dir)?
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "deb"))
    {
        let mut unpack = Command::new(&dpkg);
        unpack.arg("-x").arg(archive).arg(&tree);
        exec::logged(&mut unpack, "dpkg -x", &dir.join("dpkg.log"))?;
        fs::remove_file(archive).at("remove", archive)?;
    }
    let site = dir.join("site");
    fs::create_dir(&site).at("create the folder", &site)?;
    // /usr/lib/<name of the architecture>/ivl
    let lib = tree.join("usr/lib");
    let parts = files(&lib)?
        .into_iter()
        .map(|arch| arch.join("ivl"))
        .find(|ivl| ivl.is_dir());
    let parts =
        parts.ok_or_else(|| ToolError::Bad(format!("{} has no ivl folder", names.join(" "))))?;
    for (from, to) in [(tree.join("usr/bin"), "bin"), (parts, "ivl")] {
        fs::rename(&from, site.join(to)).at("rename into place", &from)?;
    }
    fs::remove_dir_all(&tree).at("remove the folder", &tree)
}

fn needed(program: &str, wanted: Tool) -> Result<PathBuf> {
    exec::on_path(program).ok_or_else(|| ToolError::Missing {
        missing: program.into(),
        purpose: format!("fetch {}", wanted.name()),
        remedy: remedy(wanted),
    })
}

fn remedy(wanted: Tool) -> String {
    format!(
        "on Debian 12 run apt-get update; else put {} on PATH",
        wanted.wanted()
    )
}

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).at("read", dir)?;
    entries
        .map(|entry| Ok(entry.at("read", dir)?.path()))
        .collect()
}
