//! Files that are either written whole or left as they were.

use crate::verilog::VerilogFiles;
use anyhow::{ensure, Context, Result};
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

/// Writes one file, by a temporary one beside it.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    prepare(path, fill)?
        .persist(path)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(())
}

/// Writes files into a directory, which is made if it is not there. All are
/// prepared before the first takes its place.
pub fn write_all(dir: &Path, files: &[(String, &str)]) -> Result<()> {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (name.clone(), text.as_bytes()))
        .collect();
    write_all_bytes(dir, &files)
}

fn write_all_bytes(dir: &Path, files: &[(String, &[u8])]) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| {
        format!(
            "{} cannot be made a directory; give one that can be written to",
            dir.display()
        )
    })?;
    let mut prepared = vec![];
    for (name, bytes) in files {
        let path = dir.join(name);
        let file = prepare(&path, |out| Ok(out.write_all(bytes)?))?;
        prepared.push((file, path));
    }
    for (file, path) in prepared {
        file.persist(&path)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

/// Writes one file into a directory, which is made if it is not there.
pub fn write_bytes(dir: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    write_all_bytes(dir, &[(name.into(), bytes)])
}

/// Writes each module of a design into a file of its own.
pub fn write_modules(dir: &Path, design: &VerilogFiles) -> Result<()> {
    let modules = design.modules.iter();
    let files = modules.map(|module| (format!("{}.v", module.name), module.text.as_str()));
    write_all(dir, &files.collect::<Vec<_>>())
}

fn prepare(path: &Path, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<NamedTempFile> {
    let cannot = || format!("{} cannot be written", path.display());
    ensure!(
        !path.is_dir(),
        "{} cannot be written: it is a directory",
        path.display()
    );
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // As any other new file; the default is for its owner alone.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(dir).with_context(cannot)?;
    {
        let mut out = std::io::BufWriter::new(file.as_file_mut());
        fill(&mut out).with_context(cannot)?;
        out.flush().with_context(cannot)?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_fails_halfway_leaves_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        write(&path, |out| Ok(out.write_all(b"old")?)).unwrap();
        let error = write(&path, |out| {
            out.write_all(b"half")?;
            anyhow::bail!("the disk is full")
        });
        assert!(error
            .unwrap_err()
            .to_string()
            .contains("a.csv cannot be written"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_is_made_and_filled() {
        let dir = tempfile::tempdir().unwrap();
        let sub = dir.path().join("a/b");
        write_all(&sub, &[("x.v".into(), "module"), ("y.v".into(), "")]).unwrap();
        assert_eq!(std::fs::read(sub.join("x.v")).unwrap(), b"module");
        let blocked = sub.join("x.v");
        assert!(write_all(&blocked, &[]).is_err());
    }

    #[test]
    fn a_directory_in_the_way_of_one_file_stops_all() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("y.v")).unwrap();
        let error = write_all(dir.path(), &[("x.v".into(), "module"), ("y.v".into(), "")]);
        assert!(error
            .unwrap_err()
            .to_string()
            .ends_with("it is a directory"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
