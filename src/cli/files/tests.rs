//! Tests of the output files: contents written and files left unchanged.

use super::*;

fn write_text(path: &Path, text: &[u8]) -> Result<()> {
    let target = OutputTarget::at_path(path)?;
    target.write(|out| Ok(out.write_all(text)?))
}

#[test]
fn a_failed_write_keeps_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.csv");
    write_text(&path, b"old").unwrap();
    let error = OutputTarget::new("--out", &path).unwrap().write(|out| {
        out.write_all(b"half")?;
        anyhow::bail!("the disk is full")
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("a.csv cannot be written"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn an_uncommitted_file_keeps_the_old_one_and_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.vcd");
    write_text(&path, b"old").unwrap();
    let mut draft = OutputTarget::at_path(&path).unwrap().create().unwrap();
    draft.file.write_all(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    drop(draft);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    let mut draft = OutputTarget::at_path(&path).unwrap().create().unwrap();
    draft.commit().unwrap();
    draft.file.write_all(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn writes_follow_symlinks_and_keep_modes() {
    use std::os::unix::fs::{symlink, PermissionsExt};
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    write_text(&at("sub/real.svg"), b"old").unwrap();
    fs::set_permissions(at("sub/real.svg"), PermissionsExt::from_mode(0o640)).unwrap();
    symlink("sub/real.svg", at("link.svg")).unwrap();
    symlink("link.svg", at("link_of_link.svg")).unwrap();
    symlink("sub/new.svg", at("dangling.svg")).unwrap();
    write_text(&at("link_of_link.svg"), b"new").unwrap();
    write_text(&at("dangling.svg"), b"new").unwrap();
    for name in ["link.svg", "link_of_link.svg", "dangling.svg"] {
        assert!(fs::symlink_metadata(at(name)).unwrap().is_symlink());
    }
    assert_eq!(fs::read(at("sub/real.svg")).unwrap(), b"new");
    assert_eq!(fs::read(at("sub/new.svg")).unwrap(), b"new");
    let mode = fs::metadata(at("sub/real.svg")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o640);

    let same = |a: &str, b: &str| {
        let target = |name| OutputTarget::at_path(&at(name)).unwrap();
        target(a).id() == target(b).id()
    };
    assert!(same("link.svg", "sub/../sub/real.svg"));
    assert!(!same("link.svg", "dangling.svg"));

    symlink("circle", at("circle")).unwrap();
    assert!(OutputTarget::new("--out", &at("circle")).is_err());
}

#[test]
fn all_paths_of_standard_output_are_recognised() {
    for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let target = OutputTarget::at_path(Path::new(name));
        // Some systems lack some of these names.
        assert!(target.is_err() || target.unwrap().is_stdout(), "{name}");
    }
    assert!(OutputTarget::at_path(Path::new("-")).unwrap().is_stdout());
}

#[test]
fn unwritable_targets_are_rejected_in_advance() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "mine").unwrap();
    for (path, why) in [
        (dir.path().to_owned(), "it is a directory"),
        (dir.path().join("new/"), "it is a directory"),
        (dir.path().join("no/a.svg"), "No such file or directory"),
        (file.join("a.svg"), "Not a directory"),
    ] {
        let error = OutputTarget::new("--picture", &path).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let says = error.to_string();
        assert!(says.starts_with("--picture ") && says.contains(why), "{says}");
        assert!(says.contains("accepted: "), "{says}");
    }
    for (path, good) in [
        (dir.path().to_owned(), true),
        (dir.path().join("a/b"), true),
        (file.clone(), false),
        (file.join("sub"), false),
    ] {
        assert_eq!(check_directory("--out", &path).is_ok(), good, "{path:?}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn write_all_creates_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let sub = dir.path().join("a/b");
    let files = [("x.v".into(), &b"module"[..]), ("y.v".into(), b"")];
    write_all(&sub, &files).unwrap();
    assert_eq!(fs::read(sub.join("x.v")).unwrap(), b"module");
    assert_eq!(changed_files(&sub, &files), [] as [PathBuf; 0]);
    fs::write(sub.join("x.v"), "module by hand").unwrap();
    assert_eq!(changed_files(&sub, &files), [sub.join("x.v")]);
    let blocked = sub.join("x.v");
    assert!(write_all(&blocked, &files).is_err());
}

#[test]
fn one_blocked_file_prevents_all_writes() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("y.v")).unwrap();
    let files = [("x.v".into(), &b"module"[..]), ("y.v".into(), b"")];
    let error = write_all(dir.path(), &files).unwrap_err();
    let says = format!("{error:#}");
    assert!(says.ends_with("y.v cannot be written: it is a directory"), "{says}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// A device has no end, so the reader must stop at its limit.
#[cfg(unix)]
#[test]
fn files_over_the_limit_are_rejected() {
    let error = read(Path::new("/dev/zero"), 1000).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert_eq!(error.to_string(), "/dev/zero: it is too long; accepted: up to 1000 bytes");
}
