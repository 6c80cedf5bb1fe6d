//! Runs a command and writes all its output to a log file.

use super::error::{tail, IoContext, Result, ToolError};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

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
    Ok(CommandOutput {
        text,
        log: log.to_path_buf(),
    })
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
