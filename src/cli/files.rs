//! Output files of a command. Each is checked before the command begins ([`OutputTarget`],
//! [`check_files`]). Each is written completely or stays unchanged.
//!
//! A complete file in the same directory replaces the old one. Symbolic links are followed. Devices
//! and pipes are written directly, and `-` is standard output.

use super::file_flags::InputFiles;
use super::{output, CliError};
use anyhow::{anyhow, Context, Result};
use hdl::verilog::VerilogFiles;
use machine::bounded;
use machine::flags::OutputFile;
use machine::text::wrapped;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// Accepted paths, for the error about a path that cannot be written.
const ACCEPTED: &str =
    "accepted: a file in an existing directory that can be written to, or - for standard output";

/// File that can be written, as far as a check in advance can find out.
#[derive(Clone, Debug)]
pub struct OutputTarget {
    /// Path as the user writes it.
    path: PathBuf,
    kind: OutputKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum OutputKind {
    /// Standard output, named `-` or by one of its paths.
    Stdout,
    /// Device, pipe, or file by its descriptor. All are written directly.
    Direct(PathBuf),
    /// Regular file, which may not exist yet. Symbolic links are resolved.
    Regular(PathBuf),
}

impl OutputTarget {
    /// Returns the file that the value of this flag names; `None` if the flag is absent.
    ///
    /// # Errors
    /// Bad input, if the file cannot be written.
    pub fn from_flag(flag: &str, file: Option<&OutputFile>) -> Result<Option<Self>, CliError> {
        file.map(|file| Self::new(flag, file)).transpose()
    }

    pub(super) fn new(flag: &str, path: &Path) -> Result<Self, CliError> {
        let refused = |why: io::Error| {
            let path = path.display();
            CliError::BadInput(anyhow!("{flag} {path} cannot be written: {why}; {ACCEPTED}"))
        };
        Self::at_path(path).map_err(refused)
    }

    fn at_path(path: &Path) -> io::Result<Self> {
        let target = |place| OutputTarget { path: path.to_owned(), kind: place };
        if path == Path::new("-") {
            return Ok(target(OutputKind::Stdout));
        }
        let there = match fs::metadata(path) {
            Ok(there) => Some(there),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let names_directory = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if names_directory || there.as_ref().is_some_and(Metadata::is_dir) {
            return Err(io::Error::other("it is a directory"));
        }
        let place = match (resolve_links(path)?, &there) {
            (ResolvedPath::Stdout, _) => OutputKind::Stdout,
            (ResolvedPath::Descriptor, _) => OutputKind::Direct(path.into()),
            (ResolvedPath::Path(_), Some(there)) if !there.is_file() => {
                OutputKind::Direct(path.into())
            }
            (ResolvedPath::Path(end), _) => OutputKind::Regular(end),
        };
        if there.is_some() {
            check_writable(path)?;
        }
        if let OutputKind::Regular(end) = &place {
            check_writable(parent(end))?;
        }
        Ok(target(place))
    }

    /// Path as the user writes it.
    pub fn display_path(&self) -> impl std::fmt::Display + '_ {
        self.path.display()
    }

    pub fn is_stdout(&self) -> bool {
        self.kind == OutputKind::Stdout
    }

    /// Whether the output can seek backwards, as in a file. A pipe cannot.
    pub fn is_seekable(&self) -> bool {
        matches!(self.kind, OutputKind::Regular(_))
    }

    /// Identity of the file, whether or not it exists.
    pub fn id(&self) -> Option<FileId> {
        match &self.kind {
            OutputKind::Stdout => FileId::of_stdout(),
            OutputKind::Direct(path) => {
                fs::metadata(path).ok().map(|there| FileId::of(path, &there))
            }
            OutputKind::Regular(path) => Some(match fs::metadata(path) {
                Ok(there) => FileId::of(path, &there),
                Err(_) => FileId::Path(path.clone()),
            }),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If a write fails. A regular file then keeps its previous contents. A device or pipe may be
    /// partly written.
    pub fn write(&self, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let write = || {
            let mut draft = self.create()?;
            let mut out = BufWriter::new(&draft.file);
            fill(&mut out)?;
            out.flush()?;
            drop(out);
            draft.commit()
        };
        match write() {
            // A reader may close the pipe early, as `head` does. That is no error.
            Err(error) if self.is_stdout() && is_broken_pipe(&error) => Ok(()),
            done => done.with_context(|| self.write_error()),
        }
    }

    /// Opens a new file. The old file keeps its name until [`commit`](PendingFile::commit) replaces it.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn create(&self) -> Result<PendingFile> {
        let (file, waits) = match &self.kind {
            OutputKind::Stdout => (stdout()?, None),
            OutputKind::Direct(path) => {
                let regular = fs::metadata(path).is_ok_and(|there| there.is_file());
                let mut options = File::options();
                // Appends, because other processes may write to the same open file.
                let file = options.write(true).append(regular).open(path)?;
                (file, None)
            }
            OutputKind::Regular(path) => {
                let (file, temporary) = create_temporary(path)?;
                (file, Some((temporary, path.clone())))
            }
        };
        Ok(PendingFile { file, pending_rename: waits })
    }

    /// Error message for a failed write.
    pub fn write_error(&self) -> String {
        format!("{} cannot be written", self.path.display())
    }
}

/// Identity of a file: equal for all names of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileId {
    /// Device and inode of a file that exists.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Path without symbolic links: for a file that does not exist yet, or on a system without
    /// inodes.
    Path(PathBuf),
}

impl FileId {
    #[cfg(unix)]
    fn of(_: &Path, file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        FileId::Inode(file.dev(), file.ino())
    }

    #[cfg(not(unix))]
    fn of(path: &Path, _: &Metadata) -> Self {
        FileId::Path(fs::canonicalize(path).unwrap_or_else(|_| path.into()))
    }

    /// Returns the identity of a regular file; `None` if no regular file has this name. A write to
    /// a device or pipe destroys no contents.
    pub fn of_regular(path: &Path) -> Option<Self> {
        let there = fs::metadata(path).ok().filter(Metadata::is_file);
        there.map(|there| Self::of(path, &there))
    }

    /// Returns the identity of standard output, if it is a regular file.
    pub fn of_stdout() -> Option<Self> {
        let there = stdout().and_then(|file| file.metadata()).ok();
        let there = there.filter(Metadata::is_file);
        there.map(|there| Self::of(Path::new("/dev/stdout"), &there))
    }
}

/// File that is being written.
#[derive(Debug)]
pub struct PendingFile {
    pub file: File,
    /// Temporary name and final path, until the file replaces the one at that path.
    pending_rename: Option<(TempPath, PathBuf)>,
}

impl PendingFile {
    /// Renames the file to its final path. The file stays open for further writes.
    ///
    /// # Errors
    /// If the file cannot be renamed.
    pub fn commit(&mut self) -> Result<()> {
        match self.pending_rename.take() {
            // The library's own error would name the temporary file.
            Some((temporary, path)) => Ok(temporary.persist(path).map_err(|e| e.error)?),
            None => Ok(()),
        }
    }
}

/// Target of a path after its symbolic links.
enum ResolvedPath {
    Stdout,
    /// Open file descriptor of a process.
    Descriptor,
    Path(PathBuf),
}

fn resolve_links(path: &Path) -> io::Result<ResolvedPath> {
    const MOST: usize = 40;
    let mut at = path.to_owned();
    for _ in 0..MOST {
        if ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(&&*at.to_string_lossy()) {
            return Ok(ResolvedPath::Stdout);
        }
        if at.starts_with("/proc") || at.starts_with("/dev/fd") {
            return Ok(ResolvedPath::Descriptor);
        }
        match fs::read_link(&at) {
            Ok(next) => at = parent(&at).join(next),
            Err(_) => {
                // Two names of one file must give the same path.
                let dir = fs::canonicalize(parent(&at))?;
                let name = at.file_name().unwrap_or_default();
                return Ok(ResolvedPath::Path(dir.join(name)));
            }
        }
    }
    Err(io::Error::other("its links form a cycle"))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    }
}

/// Checks that this user may write to a file, or create files in a directory.
fn check_writable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{access, Access};
        let mut wanted = Access::WRITE_OK;
        if fs::metadata(path)?.is_dir() {
            wanted |= Access::EXEC_OK;
        }
        access(path, wanted)?;
    }
    #[cfg(not(unix))]
    if fs::metadata(path)?.permissions().readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

/// Returns standard output as a file.
fn stdout() -> io::Result<File> {
    io::stdout().flush()?;
    #[cfg(unix)]
    let same = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let same = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(same.into())
}

/// Creates a temporary file in the same directory. It gets the owner and mode of the existing file,
/// or the defaults of a new file.
fn create_temporary(path: &Path) -> io::Result<(File, TempPath)> {
    let mut builder = tempfile::Builder::new();
    // Gives the mode of an ordinary new file. The library's default admits the owner only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The library's own error would name the temporary file.
    let temporary = builder.tempfile_in(parent(path));
    let temporary = temporary.map_err(|error| io::Error::from(error.kind()))?;
    if let Ok(there) = fs::metadata(path) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{fchown, MetadataExt};
            // Only root may change the owner. For other users this fails and the owner stays.
            let _ = fchown(temporary.as_file(), Some(there.uid()), Some(there.gid()));
        }
        temporary.as_file().set_permissions(there.permissions())?;
    }
    Ok(temporary.into_parts())
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|e| e.downcast_ref::<io::Error>());
    kinds.into_iter().any(|e| e.kind() == ErrorKind::BrokenPipe)
}

/// Checks that these files can be written into the directory that this flag names. None of them may
/// be one of the `inputs`. A missing directory is created later.
///
/// # Errors
/// Bad input, if a file cannot be written or is an input.
pub fn check_files(
    flag: &str,
    dir: &Path,
    names: &[impl AsRef<str>],
    inputs: &InputFiles,
) -> Result<(), CliError> {
    check_directory(flag, dir)?;
    for name in names {
        let path = dir.join(name.as_ref());
        let folder = parent(&path);
        if folder.is_dir() {
            let target = OutputTarget::new(flag, &path)?;
            inputs.check_not_input(&format!("{flag} {}", dir.display()), &target, flag)?;
        } else {
            check_directory(flag, folder)?;
        }
    }
    Ok(())
}

/// Checks that files can be written into the directory that this flag names. A missing directory is
/// created later.
fn check_directory(flag: &str, dir: &Path) -> Result<(), CliError> {
    let check = || -> io::Result<()> {
        let there = |dir: &&Path| fs::symlink_metadata(dir).is_ok();
        let ancestors = dir.ancestors().map(|dir| match dir.as_os_str().is_empty() {
            true => Path::new("."),
            false => dir,
        });
        let nearest = ancestors.into_iter().find(there).unwrap_or(Path::new("."));
        match fs::metadata(nearest)?.is_dir() {
            true => check_writable(nearest),
            false => Err(io::Error::other(format!("{} is a file", nearest.display()))),
        }
    };
    check().map_err(|why| {
        let dir = dir.display();
        CliError::BadInput(anyhow!(
            "{flag} {dir} cannot be created or written to: {why}; accepted: a directory that can \
             be written to"
        ))
    })
}

/// Returns the files that exist in the directory with different contents.
pub fn changed_files(dir: &Path, files: &[(String, impl AsRef<[u8]>)]) -> Vec<PathBuf> {
    let other = |name: &String, bytes: &[u8]| {
        let path = dir.join(name);
        match fs::read(&path) {
            Ok(there) if there != bytes => Some(path),
            _ => None,
        }
    };
    let other = files.iter().filter_map(|(name, bytes)| other(name, bytes.as_ref()));
    other.collect()
}

/// Writes files for the user to work with into the directory of `--out`, and prints their number.
/// Existing files with other contents are only replaced if `force`. `reason` says why they may differ.
///
/// # Errors
/// Bad input, if a file cannot be written, or would be replaced.
pub fn write_kit(
    dir: &Path,
    files: &[(String, impl AsRef<[u8]>)],
    force: bool,
    reason: &str,
) -> Result<(), CliError> {
    let names: Vec<&str> = files.iter().map(|(name, _)| &**name).collect();
    check_files("--out", dir, &names, &InputFiles::default())?;
    let changed = changed_files(dir, files);
    if let ([first, others @ ..], false) = (&changed[..], force) {
        let more = match others.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return Err(CliError::BadInput(anyhow!(
            "{}{more} would be overwritten: {reason}; accepted: --force, or another --out",
            first.display()
        )));
    }
    write_all(dir, files).map_err(CliError::Failed)?;
    output::print(&format!("{} files in {}\n", files.len(), dir.display()))
}

/// Writes the files of a report. Returns the lines that name them, after an empty line.
///
/// # Errors
/// As [`write_all`].
pub fn write_report(dir: &Path, files: &[(String, String)]) -> Result<String, CliError> {
    write_all(dir, files).map_err(CliError::Failed)?;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let text = format!("In {}: {}", dir.display(), names.join(", "));
    Ok("\n".to_owned() + &wrapped(&text, output::text_width()))
}

/// Writes files into a directory, whose names may contain folders. Creates missing directories. All
/// files are complete before the first one replaces an old one.
pub fn write_all(dir: &Path, files: &[(String, impl AsRef<[u8]>)]) -> Result<()> {
    let mut prepared = vec![];
    for (name, bytes) in files {
        let path = dir.join(name);
        let folder = parent(&path);
        fs::create_dir_all(folder).with_context(|| {
            format!(
                "{} cannot be created; accepted: a directory that can be written to",
                folder.display()
            )
        })?;
        let prepare = || -> Result<PendingFile> {
            let mut draft = OutputTarget::at_path(&path)?.create()?;
            draft.file.write_all(bytes.as_ref())?;
            Ok(draft)
        };
        let unwritten = || format!("{} cannot be written", path.display());
        prepared.push((prepare().with_context(unwritten)?, unwritten()));
    }
    for (mut draft, unwritten) in prepared {
        draft.commit().context(unwritten)?;
    }
    Ok(())
}

/// Returns each module of a design as a separate file.
pub fn module_files(design: &VerilogFiles) -> Vec<(String, &str)> {
    let modules = design.modules.iter();
    let files = modules.map(|module| (format!("{}.v", module.name), module.text.as_str()));
    files.collect()
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// Bad input, if the file cannot be read or is longer.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let refused = |error: io::Error| {
        let path = path.display();
        CliError::BadInput(match error.kind() {
            ErrorKind::FileTooLarge => anyhow!("{path}: {error}"),
            _ => anyhow!(error).context(format!("{path}: cannot be read")),
        })
    };
    bounded::read(path, most).map_err(refused)
}

#[cfg(test)]
mod tests;
