//! Cache folder of fetched tools, and which tools may be used: the three environment settings.

use super::error::{IoContext, Result, ToolError};
use super::pins::Tool;
use super::progress;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Tools that may be used, from `PHASECUBE_TOOLS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Policy {
    /// A system tool if its version is sufficient, otherwise the pinned one.
    #[default]
    Auto,
    /// Only the pinned tools.
    Pinned,
    /// Only system tools. Nothing is fetched.
    System,
}

impl Policy {
    /// Reads `PHASECUBE_TOOLS`. The accepted values are `auto`, `pinned` and `system`. Unset and
    /// empty mean `auto`.
    pub fn from_env() -> Result<Policy> {
        Self::parse(std::env::var("PHASECUBE_TOOLS").ok().as_deref())
    }

    fn parse(value: Option<&str>) -> Result<Policy> {
        match value {
            None | Some("" | "auto") => Ok(Policy::Auto),
            Some("pinned") => Ok(Policy::Pinned),
            Some("system") => Ok(Policy::System),
            Some(other) => Err(ToolError::Invalid(format!(
                "PHASECUBE_TOOLS={other} is unknown; accepted: auto, pinned or system"
            ))),
        }
    }
}

/// Tools that are treated as missing even if they are installed. `PHASECUBE_WITHOUT` lists them
/// with commas. Shows or tests the behaviour without them.
pub fn without_from_env() -> Result<BTreeSet<Tool>> {
    parse_without(std::env::var("PHASECUBE_WITHOUT").as_deref().unwrap_or_default())
}

fn parse_without(value: &str) -> Result<BTreeSet<Tool>> {
    let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
    let tool = |name: &str| {
        let tool = Tool::ALL.into_iter().find(|tool| tool.name() == name);
        tool.ok_or_else(|| {
            let known = Tool::ALL.map(Tool::name).join(", ");
            ToolError::Invalid(format!(
                "PHASECUBE_WITHOUT names {name:?}, which is not a tool; accepted: {known}"
            ))
        })
    };
    names.map(tool).collect()
}

/// Returns the cache folder: `$PHASECUBE_CACHE`, otherwise `$XDG_CACHE_HOME/phasecube`, otherwise
/// `~/.cache/phasecube`.
///
/// # Errors
/// If none of the three variables is set.
pub fn cache_dir() -> Result<PathBuf> {
    find()?.ok_or_else(no_cache_error)
}

/// Returns the cache folder, or `None` if none of the three variables is set.
pub(super) fn find() -> Result<Option<PathBuf>> {
    cache_from_variables(|name| std::env::var_os(name))
}

/// Error for a tool that cannot be fetched because there is no cache folder.
pub(super) fn no_cache_error() -> ToolError {
    ToolError::Invalid(
        "there is no folder for fetched tools; set PHASECUBE_CACHE, XDG_CACHE_HOME or HOME".into(),
    )
}

fn cache_from_variables(var: impl Fn(&str) -> Option<OsString>) -> Result<Option<PathBuf>> {
    let path = |name| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(own) = path("PHASECUBE_CACHE") {
        let absolute = std::path::absolute(&own).map(Some);
        return absolute
            .map_err(|e| ToolError::Invalid(format!("PHASECUBE_CACHE={}: {e}", own.display())));
    }
    // The XDG convention requires that a relative path is ignored.
    if let Some(xdg) = path("XDG_CACHE_HOME").filter(|p| p.is_absolute()) {
        return Ok(Some(xdg.join("phasecube")));
    }
    Ok(path("HOME").map(|home| home.join(".cache").join("phasecube")))
}

// Folder that is built once, by the first process that needs it, and is complete when it exists.
//
// The folder is built under a temporary name beside its target and renamed when done. A file lock
// makes other processes wait. The system releases the lock when its process ends, so an
// interrupted build is repeated.

/// Time to wait for another process before reporting it.
const REPORT_AFTER: Duration = Duration::from_secs(2);

/// Makes sure that the folder `target` exists. If it does not, calls `build` with an empty folder
/// to fill. If `build` fails, its folder is kept until the next attempt, because it contains logs.
pub fn build_if_missing(
    target: &Path,
    what: &str,
    build: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    if target.exists() {
        return Ok(());
    }
    let parent = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).at("create the folder", parent)?;
    let _lock = lock(&sibling(target, ".lock"), &format!("makes {what}"))?;
    if target.exists() {
        return Ok(());
    }
    remove_partials(target, parent);
    // The name is unique, so children of an interrupted builder that still run write to another
    // folder.
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let stamp = now.map_or(0, |d| d.as_nanos());
    let partial = sibling(target, &format!(".partial-{}-{stamp}", std::process::id()));
    fs::create_dir(&partial).at("create the folder", &partial)?;
    build(&partial)?;
    fs::rename(&partial, target).at("rename into place", &partial)?;
    // Repeated because children of an interrupted builder may have written meanwhile.
    remove_partials(target, parent);
    Ok(())
}

/// Locks a folder as long as the result lives, and creates it if necessary. Other processes wait
/// for the lock and report that a process `does` this.
pub fn lock_folder(folder: &Path, does: &str) -> Result<FolderLock> {
    fs::create_dir_all(folder).at("create the folder", folder)?;
    Ok(FolderLock { _lock: lock(&folder.join(".lock"), does)? })
}

/// Folder that is locked.
#[derive(Debug)]
pub struct FolderLock {
    _lock: File,
}

fn lock(path: &Path, does: &str) -> Result<File> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .at("open the lock file", path)?;
    let requested = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // On a file system without locks, the rename still keeps the result complete.
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(e)) => return Err(e).at("lock", path),
            Err(TryLockError::WouldBlock) if requested.elapsed() < REPORT_AFTER => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => break,
        }
    }
    progress::note(&format!("waiting for another process that {does}"));
    file.lock().at("lock", path)?;
    Ok(file)
}

fn remove_partials(target: &Path, parent: &Path) {
    let prefix = sibling(target, ".partial-");
    let Some(prefix) = prefix.file_name().map(|n| n.to_string_lossy().into_owned()) else {
        return;
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    path.with_file_name(name)
}

// Stable digest for cache keys (FNV-1a, 128 bits). The digest is not cryptographic.

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Accumulates parts. Each part is closed by its length, so `("ab", "c")` differs from `("a",
/// "bc")`.
#[derive(Debug, Clone)]
pub struct Digest(u128);

/// The digest of no parts.
impl Default for Digest {
    fn default() -> Self {
        Digest(OFFSET)
    }
}

impl Digest {
    /// Adds a part and its length, so that two parts cannot be confused with one long part.
    pub fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        for &byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Digest of several parts at once.
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut digest = Digest::default();
        for part in parts {
            digest.add(part);
        }
        digest
    }

    /// Sixteen hex digits, for file names.
    pub fn short(&self) -> String {
        format!("{:016x}", (self.0 ^ (self.0 >> 64)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(vars: &[(&str, &str)]) -> Option<String> {
        let find = |name: &str| {
            let (_, value) = vars.iter().find(|(n, _)| *n == name)?;
            Some(OsString::from(value))
        };
        let found = cache_from_variables(find).unwrap();
        found.map(|p| p.to_string_lossy().into_owned())
    }

    // Claim: the order is PHASECUBE_CACHE, XDG_CACHE_HOME, HOME. An empty variable counts as unset.
    #[test]
    fn order_of_choice() {
        let all = [("PHASECUBE_CACHE", "/a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")];
        assert_eq!(chosen(&all).unwrap(), "/a");
        assert_eq!(chosen(&all[1..]).unwrap(), "/b/phasecube");
        assert_eq!(chosen(&all[2..]).unwrap(), "/c/.cache/phasecube");
        assert_eq!(
            chosen(&[("PHASECUBE_CACHE", ""), ("HOME", "/c")]).unwrap(),
            "/c/.cache/phasecube"
        );
        assert_eq!(chosen(&[]), None);
    }

    // Claim: a relative PHASECUBE_CACHE is made absolute, because tools run in other folders.
    #[test]
    fn relative_is_made_absolute() {
        let path = chosen(&[("PHASECUBE_CACHE", "some/where")]).unwrap();
        assert!(PathBuf::from(&path).is_absolute() && path.ends_with("some/where"));
    }

    // Claim: tools are hidden by name, and only then.
    #[test]
    fn hidden_tools() {
        assert_eq!(parse_without("").unwrap(), BTreeSet::new());
        let two = BTreeSet::from([Tool::IceboxVlog, Tool::Verilator]);
        assert_eq!(parse_without("icebox_vlog, verilator").unwrap(), two);
        let error = parse_without("icebox").unwrap_err().to_string();
        assert!(error.contains("\"icebox\"") && error.contains("icebox_vlog"), "{error}");
    }

    // Claim: an unknown policy is rejected, and the error lists the accepted ones.
    #[test]
    fn policies() {
        assert_eq!(Policy::parse(None).unwrap(), Policy::Auto);
        assert_eq!(Policy::parse(Some("pinned")).unwrap(), Policy::Pinned);
        assert_eq!(Policy::parse(Some("system")).unwrap(), Policy::System);
        let error = Policy::parse(Some("latest")).unwrap_err().to_string();
        assert!(error.contains("latest") && error.contains("auto, pinned or system"));
    }
}

#[cfg(test)]
mod once_tests {
    use super::super::error::ToolError;
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn scratch(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("phasecube-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        dir
    }

    // Claim: of many callers, one builds.
    #[test]
    fn one_of_many_callers_builds() {
        let dir = scratch("once");
        let target = dir.join("thing");
        let built = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    build_if_missing(&target, "a thing", |partial| {
                        built.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(30));
                        fs::write(partial.join("file"), "whole").at("write", partial)
                    })
                    .unwrap();
                    assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "whole");
                });
            }
        });
        assert_eq!(built.load(Ordering::SeqCst), 1);
        fs::remove_dir_all(&dir).unwrap();
    }

    // Claim: a failed or interrupted build does not pass for complete, and is repeated.
    #[test]
    fn a_failed_build_is_repeated() {
        let dir = scratch("again");
        let target = dir.join("thing");
        let failed = build_if_missing(&target, "a thing", |_| Err(ToolError::Invalid("no".into())));
        assert!(failed.is_err() && !target.exists());
        build_if_missing(&target, "a thing", |_| Ok(())).unwrap();
        assert!(target.exists());
        let names = fs::read_dir(&dir).unwrap().count();
        assert_eq!(names, 2, "the folder and its lock file, no partial");
        fs::remove_dir_all(&dir).unwrap();
    }

    // Claim: the second caller waits until the first is done.
    #[test]
    fn the_second_locker_waits_for_the_first() {
        let folder = scratch("held");
        let held = AtomicUsize::new(1);
        let first = lock_folder(&folder, "tests").unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _second = lock_folder(&folder, "tests").unwrap();
                assert_eq!(held.fetch_add(1, Ordering::SeqCst), 0, "the first holds it no more");
            });
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(held.fetch_sub(1, Ordering::SeqCst), 1);
            drop(first);
        });
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[cfg(test)]
mod digest_tests {
    use super::*;

    // Claim: the key depends on the boundaries between the parts, and is reproducible.
    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(Digest::of(["ab", "c"]).short(), Digest::of(["a", "bc"]).short());
        assert_eq!(Digest::of(["ab", "c"]).short(), Digest::of(["ab", "c"]).short());
        assert_eq!(Digest::of(["x"]).short().len(), 16);
    }
}
