//! The Python that fetched tools are written in, or wrapped in.

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
    let found = exec::on_path("python3").ok_or_else(|| ToolError::Missing {
        missing: "python3".into(),
        purpose: format!("{purpose} {tool}", tool = tool.name()),
        remedy: remedy(tool),
    })?;
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    Ok(PYTHON.get_or_init(|| interpreter(&found)).clone())
}

/// The program that a script of that name starts in the end: pyenv has such a script, and it takes twice as
/// long as Python to start. Whatever else is found is taken as it is.
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

/// What to do where there is none, or none that is good enough.
pub(super) fn remedy(tool: Tool) -> String {
    format!(
        "install Python {} or newer with venv (Debian: python3-venv), or put {} on PATH",
        pins::PYTHON_FLOOR,
        tool.wanted()
    )
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// By another process: what this one writes it can't always run at once.
    fn script(folder: &Path, text: &str) -> PathBuf {
        let (written, path) = (folder.join("text"), folder.join("python3"));
        fs::write(&written, text).unwrap();
        let mut install = Command::new("install");
        install.args(["-m", "755"]).args([&written, &path]);
        assert!(install.status().unwrap().success());
        path
    }

    // Claim: of a script that stands for Python the program is taken that it names; of one that names none, or
    // ends with an error, and of what is no script, the file itself.
    #[test]
    fn a_script_tells_its_interpreter() {
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
