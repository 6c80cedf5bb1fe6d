//! What can go wrong with tools; every message names the thing, the place and what would be accepted.

use std::path::{Path, PathBuf};

/// Trouble with finding, fetching or running a tool.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// A setting or argument that is not accepted.
    #[error("{0}")]
    Bad(String),
    /// Something that must already be on the machine is missing.
    #[error("{missing} is needed to {purpose}: {remedy}")]
    Missing {
        /// What is missing.
        missing: String,
        /// What it is for.
        purpose: String,
        /// What to do about it.
        remedy: String,
    },
    /// Packages could not be fetched.
    #[error("could not fetch {packages}{}:\n{tail}\nwhole log: {}\n{remedy}", reached(unreachable), log.display())]
    Fetch {
        /// The packages asked for.
        packages: String,
        /// Addresses that did not answer; none if something else is wrong.
        unreachable: Box<[String]>,
        /// Last lines of the installer.
        tail: String,
        /// The installer's log.
        log: PathBuf,
        /// What to do about it.
        remedy: String,
    },
    /// Packages are not asked for, because asking was in vain before.
    #[error("{tool} is not here, and is not asked for again: {before}")]
    Unreachable {
        /// The tool.
        tool: String,
        /// What came of the first attempt, in a line.
        before: String,
    },
    /// A tool ran and failed.
    #[error("{tool} failed ({status}):\n{tail}\nwhole log: {}", log.display())]
    Failed {
        /// The tool, with version and origin.
        tool: String,
        /// Exit code or signal.
        status: String,
        /// The last lines it printed.
        tail: String,
        /// All that it printed.
        log: PathBuf,
    },
    /// Lint found something.
    #[error("lint of {top} found:\n{findings}")]
    Lint {
        /// The module.
        top: String,
        /// All that the linter printed.
        findings: String,
    },
    /// A design needs more than the chip has.
    #[error("{top} does not fit the {device}: it needs {excess}")]
    TooBig {
        /// The module.
        top: String,
        /// The chip.
        device: String,
        /// What is short, and how much of it there is.
        excess: String,
    },
    /// A tool's report does not say what is needed.
    #[error("{report} has no {missing}; made by {tool}")]
    Report {
        /// The file.
        report: String,
        /// What was looked for.
        missing: String,
        /// The tool.
        tool: String,
    },
    /// A running simulation ended or broke its protocol.
    #[error("the simulation of {top} stopped: {what}")]
    Simulation {
        /// The module.
        top: String,
        /// What happened.
        what: String,
    },
    /// A file or process operation failed.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// The operation.
        what: &'static str,
        /// The file or program.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl ToolError {
    /// Whether a tool cannot be had: the same would be done if it were there.
    pub fn is_lack(&self) -> bool {
        matches!(
            self,
            ToolError::Missing { .. } | ToolError::Fetch { .. } | ToolError::Unreachable { .. }
        )
    }

    /// The same in a line, without what an installer printed.
    pub fn line(&self) -> String {
        match self {
            ToolError::Fetch {
                packages,
                unreachable,
                log,
                ..
            } => {
                let (reached, log) = (reached(unreachable), log.display());
                format!("could not fetch {packages}{reached}; its log is {log}")
            }
            ToolError::Unreachable { before, .. } => before.clone(),
            other => other
                .to_string()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    }
}

/// What could not be reached, in words.
fn reached(unreachable: &[String]) -> String {
    match unreachable {
        [] => String::new(),
        all => format!(
            " ({} cannot be reached: is there a network?)",
            all.join(", ")
        ),
    }
}

/// Result of tool work.
pub type Result<T, E = ToolError> = std::result::Result<T, E>;

/// Adds operation and path to an I/O error.
pub(crate) trait At<T> {
    /// `what` is a verb phrase: "read", "create the folder".
    fn at(self, what: &'static str, path: &Path) -> Result<T>;
}

impl<T> At<T> for std::io::Result<T> {
    fn at(self, what: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| ToolError::Io {
            what,
            path: path.to_path_buf(),
            source,
        })
    }
}

/// The last 20 lines of a text that say something; before them the last line that says "error", should it
/// stand further up (yosys prints its help after an error).
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    let (above, last) = lines.split_at(lines.len().saturating_sub(20));
    let says_error = |line: &&&str| {
        ["ERROR", "Error", "error:"]
            .iter()
            .any(|e| line.contains(e))
    };
    let error = match last.iter().find(says_error) {
        None => above.iter().rfind(says_error),
        Some(_) => None,
    };
    let mut shown: Vec<&str> = error.copied().into_iter().collect();
    shown.extend(last);
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: an error shows at most the last 20 lines.
    #[test]
    fn tail_is_short() {
        let text: String = (0..50).map(|i| format!("line {i}\n\n")).collect();
        let tail = tail(&text);
        assert_eq!(tail.lines().count(), 20);
        assert!(tail.starts_with("line 30") && tail.ends_with("line 49"));
    }

    // Claim: the line with the error is shown even when more than 20 lines follow it.
    #[test]
    fn tail_keeps_the_error() {
        let text = format!("ERROR: unknown option\n{}", "help\n".repeat(30));
        let tail = tail(&text);
        assert!(tail.starts_with("ERROR: unknown option\nhelp"));
        assert_eq!(tail.lines().count(), 21);
    }
}
