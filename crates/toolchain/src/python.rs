//! Python interpreter for fetched tools that are written in Python or have a Python wrapper.

use super::error::{Result, ToolError};
use super::exec;
use super::pins::{self, Tool};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Python 3 on `PATH`.
pub(super) fn find(purpose: &str, tool: Tool) -> Result<PathBuf> {
    let found = exec::find_on_path("python3").ok_or_else(|| ToolError::Missing {
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
    let told = || {
        let mut begin = [0; 2];
        fs::File::open(found).ok()?.read_exact(&mut begin).ok()?;
        (begin == *b"#!").then_some(())?;
        let mut command = Command::new(found);
        command.args(["-I", "-c", "import sys; print(sys.executable)"]);
        let output = command.stdin(Stdio::null()).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
        (output.status.success() && path.is_absolute() && path.is_file()).then_some(path)
    };
    told().unwrap_or_else(|| found.into())
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
mod tests {
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
        let said = |text: &str| interpreter(&script(folder.path(), text));
        let itself = folder.path().join("python3");
        assert_eq!(said("#!/bin/sh\necho /bin/sh\n"), Path::new("/bin/sh"));
        for other in [
            "#!/bin/sh\necho /bin/sh\nexit 1\n",
            "#!/bin/sh\necho /no/such/file\n",
            "#!/bin/sh\necho sh\n",
            "#!/bin/sh\n",
            "no script",
        ] {
            assert_eq!(said(other), itself, "{other}");
        }
    }
}
