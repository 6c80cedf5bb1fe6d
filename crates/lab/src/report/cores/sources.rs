//! Cores and CoreMark that no package registry has. The user clones their repositories into a
//! folder (`--sources DIR`).

use super::trial::COREMARK_FILES;
use super::{CoreCandidate, CoresError};
use machine::bounded;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Largest size of a source file, in bytes.
const FILE_MAX: u64 = 4 << 20;

/// Repository that a user may have cloned.
struct Repository {
    /// Folder name in DIR.
    folder: &'static str,
    /// Address of the repository.
    address: &'static str,
    /// Contents of the repository, and the registries that did not have them in November 2026.
    contents: &'static str,
}

const SERV: Repository = Repository {
    folder: "serv",
    address: "github.com/olofk/serv",
    contents: "SERV 1.4 and QERV: the Python package index has no SERV after 1.2.0",
};

const QUARK: Repository = Repository {
    folder: "learn-fpga",
    address: "github.com/BrunoLevy/learn-fpga",
    contents:
        "FemtoRV32 quark: the package registries of Python, JavaScript and Rust do not have it",
};

const COREMARK: Repository = Repository {
    folder: "coremark",
    address: "github.com/eembc/coremark",
    contents: "CoreMark/MHz: no package registry of those has CoreMark in C",
};

/// Contents of the folder.
#[derive(Default)]
pub struct CoreSources {
    pub cores: Vec<CoreCandidate>,
    pub coremark: Option<CoreMark>,
    /// Missing repositories, with their addresses.
    pub missing: Vec<String>,
}

/// Sources of CoreMark.
pub struct CoreMark {
    pub dir: PathBuf,
    /// Names and texts.
    pub files: Vec<(String, String)>,
    /// Origin of the files.
    pub pin: String,
}

impl CoreSources {
    /// Reads the contents of the folder. Without a folder the result is empty.
    ///
    /// # Errors
    /// If the folder cannot be read, or a repository in it lacks a file or has an unexpected one.
    pub fn read(dir: Option<&Path>) -> Result<Self, CoresError> {
        let mut sources = CoreSources::default();
        if let Some(dir) = dir {
            fs::read_dir(dir).map_err(|e| source_error(dir, &e.to_string()))?;
        }
        match SERV.files(dir, serv_files)? {
            Some(files) => sources.cores.extend(serv(&files)?),
            None => sources.missing.push(SERV.missing()),
        }
        match QUARK.files(dir, |_| Ok(vec![QUARK_FILE.into()]))? {
            Some(files) => sources.cores.extend(quark(&files)?),
            None => sources.missing.push(QUARK.missing()),
        }
        let names = || COREMARK_FILES.iter().map(|name| (*name).to_owned());
        match COREMARK.files(dir, |_| Ok(names().collect()))? {
            Some(files) => {
                sources.coremark =
                    Some(CoreMark { pin: files.pin(None), dir: files.dir, files: files.texts });
            }
            None => sources.missing.push(COREMARK.missing()),
        }
        Ok(sources)
    }
}

fn source_error(path: &Path, why: &str) -> CoresError {
    CoresError::Source { path: path.into(), why: why.into() }
}

/// Text files of a repository.
struct Files {
    folder: &'static str,
    dir: PathBuf,
    /// Paths in the repository, and texts.
    texts: Vec<(String, String)>,
}

impl Repository {
    /// Reads the files that the function lists, if the repository is in the folder.
    fn files(
        &self,
        dir: Option<&Path>,
        names: impl Fn(&Path) -> Result<Vec<String>, CoresError>,
    ) -> Result<Option<Files>, CoresError> {
        let Some(dir) = dir.map(|dir| dir.join(self.folder)) else {
            return Ok(None);
        };
        if !dir.exists() {
            return Ok(None);
        }
        let mut texts = vec![];
        for name in names(&dir)? {
            let path = dir.join(&name);
            texts.push((name, text(&path)?));
        }
        Ok(Some(Files { folder: self.folder, dir, texts }))
    }

    fn missing(&self) -> String {
        format!(
            "{}; --sources DIR takes it from DIR/{}, a clone of {}",
            self.contents, self.folder, self.address
        )
    }
}

fn text(path: &Path) -> Result<String, CoresError> {
    let bytes = bounded::read(path, FILE_MAX);
    let bytes = bytes.map_err(|e| source_error(path, &format!("it cannot be read: {e}")))?;
    String::from_utf8(bytes).map_err(|_| source_error(path, "it is not text in UTF-8"))
}

impl Files {
    /// Identifies the files by the version in them, the output of git, and a digest.
    fn pin(&self, version: Option<&str>) -> String {
        let mut digest = Sha256::new();
        for (name, text) in &self.texts {
            digest.update(format!("{name} {}\n{text}", text.len()));
        }
        let digest: String =
            digest.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        let version = version.map(|version| format!("{version}, "));
        let commit = self.commit().map(|commit| format!("git {commit}, "));
        format!(
            "{} ({}{}SHA-256 of its {} {digest})",
            self.folder,
            version.unwrap_or_default(),
            commit.unwrap_or_default(),
            match self.texts.len() {
                1 => "file".into(),
                n => format!("{n} files"),
            }
        )
    }

    /// Output of `git describe`, if this is a clone and git is available.
    fn commit(&self) -> Option<String> {
        if !self.dir.join(".git").exists() {
            return None;
        }
        let describe = ["describe", "--tags", "--always", "--dirty"];
        let mut git = Command::new("git");
        let printed = git.arg("-C").arg(&self.dir).args(describe).output().ok()?;
        let printed = String::from_utf8(printed.stdout).ok()?;
        Some(printed.trim().to_owned()).filter(|printed| !printed.is_empty())
    }

    /// Verilog of all files. Each line has its source position for the messages of tools.
    fn verilog(&self) -> String {
        let files = self.texts.iter().filter(|(name, _)| name.ends_with(".v"));
        let files = files.map(|(name, text)| {
            let place = format!("`line 1 \"{}/{name}\" 0", self.folder);
            format!("`default_nettype wire\n{place}\n{text}\n")
        });
        files.collect::<String>() + "`default_nettype wire\n"
    }

    /// Checks that a file contains a text.
    fn check_contains(&self, name: &str, wanted: &str, accepted: &str) -> Result<(), CoresError> {
        let path = self.dir.join(name);
        let file = self.texts.iter().find(|(there, _)| there == name);
        let (_, text) = file.ok_or_else(|| source_error(&path, "it is missing"))?;
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let wanted: Vec<&str> = wanted.split(' ').collect();
        match words.windows(wanted.len()).any(|words| words == wanted) {
            true => Ok(()),
            false => Err(source_error(
                &path,
                &format!("it has no {}; accepted: {accepted}", wanted.join(" ")),
            )),
        }
    }
}

const QUARK_FILE: &str = "FemtoRV/RTL/PROCESSOR/femtorv32_quark.v";

/// Original core, and a variant with the faster shifts that are an option in its source.
fn quark(files: &Files) -> Result<[CoreCandidate; 2], CoresError> {
    let accepted = "a clone of the repository, unchanged";
    files.check_contains(QUARK_FILE, "module FemtoRV32", accepted)?;
    files.check_contains(QUARK_FILE, "endmodule", accepted)?;
    let contender = |name: &str, option: &str| CoreCandidate {
        name: format!("FemtoRV32 quark, 24-bit addresses{name}"),
        package: Some(files.pin(None)),
        verilog: format!("{option}{}{}", files.verilog(), include_str!("femtorv32_quark.v")),
        top: "quark_small",
        folder: Some(files.dir.clone()),
    };
    let shifter = "`define NRV_TWOLEVEL_SHIFTER\n";
    Ok([contender("", ""), contender(", two-level shifter", shifter)])
}

/// Core description file, which contains the version.
const SERV_CORE: &str = "serv.core";

/// All Verilog in `rtl`, and the core description.
fn serv_files(dir: &Path) -> Result<Vec<String>, CoresError> {
    let rtl = dir.join("rtl");
    let unread = |e: std::io::Error| source_error(&rtl, &format!("it cannot be read: {e}"));
    let mut names = vec![];
    for entry in fs::read_dir(&rtl).map_err(unread)? {
        let name = entry.map_err(unread)?.file_name();
        if let Some(name) = name.to_str().filter(|name| name.ends_with(".v")) {
            names.push(format!("rtl/{name}"));
        }
    }
    names.sort();
    names.push(SERV_CORE.into());
    Ok(names)
}

/// Variants with one and with four bits per clock cycle.
fn serv(files: &Files) -> Result<[CoreCandidate; 2], CoresError> {
    const TOP: &str = "rtl/serv_rf_top.v";
    let accepted = "SERV 1.4, which does W bits in a clock cycle, 1 or 4";
    files.check_contains(TOP, "module serv_rf_top", accepted)?;
    files.check_contains(TOP, "parameter W", accepted)?;
    files.check_contains("rtl/serv_top.v", "module serv_top", accepted)?;
    let named = files.texts.iter().find(|(name, _)| name == SERV_CORE);
    let version = named.and_then(|(_, text)| {
        let name = text.lines().find_map(|line| line.strip_prefix("name"))?;
        Some(name.rsplit_once(':')?.1.trim())
    });
    let version = version.ok_or_else(|| {
        let why = "it has no version; accepted: a line `name : ::serv:VERSION`";
        source_error(&files.dir.join(SERV_CORE), why)
    })?;
    let contender = |name: &str, width: u32| CoreCandidate {
        name: format!("{name} {version}, without CSRs"),
        package: Some(files.pin(Some(version))),
        verilog: format!(
            "`define SERV_WIDTH {width}\n{}{}",
            files.verilog(),
            include_str!("serv.v")
        ),
        top: "serv_small",
        folder: Some(files.dir.clone()),
    };
    Ok([contender("SERV", 1), contender("QERV of SERV", 4)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files into a folder, and creates their subfolders.
    fn put(dir: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = dir.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn names(sources: &CoreSources) -> Vec<&str> {
        let names = sources.cores.iter().map(|core| core.name.as_str());
        names.collect()
    }

    /// Substitute for SERV with the parts that the checks read.
    const SERV: &[(&str, &str)] = &[
        ("serv/serv.core", "CAPI=2:\n\nname : ::serv:1.4.0\n"),
        ("serv/rtl/serv_rf_top.v", "module serv_rf_top #(parameter W = 1)(); endmodule\n"),
        ("serv/rtl/serv_top.v", "module serv_top(); endmodule\n"),
    ];

    #[test]
    fn present_sources_are_read_and_missing_ones_named() {
        let dir = tempfile::tempdir().unwrap();
        let none = CoreSources::read(None).unwrap();
        let empty = CoreSources::read(Some(dir.path())).unwrap();
        assert_eq!(none.missing, empty.missing);
        assert!(names(&empty).is_empty() && empty.coremark.is_none());
        for (missing, address) in empty.missing.iter().zip(["serv", "learn-fpga", "coremark"]) {
            let place = format!("from DIR/{address}, a clone of github.com/");
            assert!(missing.contains(&place), "{missing}");
        }
        assert_eq!(empty.missing.len(), 3);

        put(dir.path(), SERV);
        let found = CoreSources::read(Some(dir.path())).unwrap();
        assert_eq!(names(&found), ["SERV 1.4.0, without CSRs", "QERV of SERV 1.4.0, without CSRs"]);
        assert_eq!(found.missing, empty.missing[1..]);
        let pin = found.cores[0].package.clone().unwrap();
        assert!(pin.starts_with("serv (1.4.0, SHA-256 of its 3 files "));
        // Another text has another digest.
        put(dir.path(), &[("serv/rtl/serv_top.v", "module serv_top; endmodule\n")]);
        let changed = CoreSources::read(Some(dir.path())).unwrap();
        assert_ne!(changed.cores[0].package, Some(pin));
    }

    #[test]
    fn the_error_names_a_broken_source() {
        let cases: &[(&str, &str, &str)] = &[
            ("serv/rtl/serv_rf_top.v", "module serv_rf_top(); endmodule", "no parameter W"),
            ("serv/rtl/serv_top.v", "module other(); endmodule", "no module serv_top"),
            ("serv/serv.core", "", "has no version"),
            (
                "learn-fpga/FemtoRV/RTL/PROCESSOR/femtorv32_quark.v",
                "module FemtoRV32(",
                "no endmodule",
            ),
        ];
        for (name, text, says) in cases {
            let dir = tempfile::tempdir().unwrap();
            put(dir.path(), SERV);
            put(dir.path(), &[(name, text)]);
            let reported = CoreSources::read(Some(dir.path())).err().unwrap().to_string();
            assert!(reported.contains(name) && reported.contains(says), "{reported}");
        }
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), &[("coremark/coremark.h", "")]);
        let reported = CoreSources::read(Some(dir.path())).err().unwrap().to_string();
        assert!(reported.contains("coremark/core_list_join.c: it cannot be read"), "{reported}");
    }
}
