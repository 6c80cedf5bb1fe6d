//! Folder that is built once, by the first process that needs it, and is complete when it exists.
//!
//! The folder is built under a temporary name beside its target and renamed when done. A file lock
//! makes other processes wait. The system releases the lock when its process ends, so an
//! interrupted build is repeated.

use super::error::{IoContext, Result};
use super::progress;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
    Ok(FolderLock {
        _lock: lock(&folder.join(".lock"), does)?,
    })
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
    let asked = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // On a file system without locks, the rename still keeps the result complete.
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => return Ok(file),
            Err(TryLockError::Error(e)) => return Err(e).at("lock", path),
            Err(TryLockError::WouldBlock) if asked.elapsed() < REPORT_AFTER => {
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

#[cfg(test)]
mod tests {
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
                assert_eq!(
                    held.fetch_add(1, Ordering::SeqCst),
                    0,
                    "the first holds it no more"
                );
            });
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(held.fetch_sub(1, Ordering::SeqCst), 1);
            drop(first);
        });
        fs::remove_dir_all(&folder).unwrap();
    }
}
