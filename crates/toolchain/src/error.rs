//! Errors of tools. Every message names the object, the place and the accepted values.

use std::path::{Path, PathBuf};

/// Error while finding, fetching or running a tool.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// A setting or argument that is not accepted.
    #[error("{0}")]
    Invalid(String),
    /// A prerequisite is missing on the machine.
    #[error("{missing} is needed to {purpose}: {remedy}")]
    Missing {
        /// The missing program or file.
        missing: String,
        /// Purpose of the missing program or file.
        purpose: String,
        /// Advice to the user.
        remedy: String,
    },
    /// Packages could not be fetched.
    #[error("could not fetch {packages}{}:\n{tail}\nwhole log: {}\n{remedy}", reached(unreachable), log.display())]
    Fetch {
        /// The requested packages.
        packages: String,
        /// Addresses that did not answer. Empty if the fetch failed for another reason.
        unreachable: Box<[String]>,
        /// Last lines of the installer.
        tail: String,
        /// Log file of the installer.
        log: PathBuf,
        /// Advice to the user.
        remedy: String,
    },
    /// Packages are not requested again, because an earlier attempt failed.
    #[error("{tool} is not available and is not fetched again: {before}")]
    Unreachable {
        /// The tool.
        tool: String,
        /// Result of the first attempt, in a line.
        before: String,
    },
    /// A tool ran and failed.
    #[error("{tool} failed ({status}):\n{tail}\nwhole log: {}", log.display())]
    Failed {
        /// The tool, with version and origin.
        tool: String,
        /// Exit code or signal.
        status: String,
        /// Last lines of its output.
        tail: String,
        /// Log file with the whole output.
        log: PathBuf,
    },
    /// Lint found something.
    #[error("lint of {top} found:\n{findings}")]
    Lint {
        /// The module.
        top: String,
        /// Whole output of the linter.
        findings: String,
    },
    /// A design needs more resources than the chip has.
    #[error("{top} does not fit the {device}: it needs {excess}")]
    TooBig {
        /// The module.
        top: String,
        /// The chip.
        device: String,
        /// The insufficient resource, with the needed and the available number.
        excess: String,
    },
    /// A tool's report lacks a value.
    #[error("{report} has no {missing}; made by {tool}")]
    Report {
        /// The report file.
        report: String,
        /// The missing value.
        missing: String,
        /// The tool.
        tool: String,
    },
    /// A running simulation ended or violated its protocol.
    #[error("the simulation of {top} stopped: {what}")]
    Simulation {
        /// The module.
        top: String,
        /// The event that stopped it.
        what: String,
    },
    /// A file or process operation failed.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// The operation.
        what: &'static str,
        /// The file or program.
        path: PathBuf,
        /// Error from the system.
        source: std::io::Error,
    },
}

impl ToolError {
    /// True if a tool is unavailable, so that the operation would succeed if it were installed.
    pub fn is_unavailable(&self) -> bool {
        matches!(
            self,
            ToolError::Missing { .. } | ToolError::Fetch { .. } | ToolError::Unreachable { .. }
        )
    }

    /// Formats the error in one line, without the output of an installer.
    pub fn in_one_line(&self) -> String {
        match self {
            ToolError::Fetch { packages, unreachable, log, .. } => {
                let (reached, log) = (reached(unreachable), log.display());
                format!("could not fetch {packages}{reached}; its log is {log}")
            }
            ToolError::Unreachable { before, .. } => before.clone(),
            other => other.to_string().lines().next().unwrap_or_default().to_owned(),
        }
    }
}

/// Describes the addresses that did not answer.
fn reached(unreachable: &[String]) -> String {
    match unreachable {
        [] => String::new(),
        all => format!(" ({} cannot be reached; is there a network?)", all.join(", ")),
    }
}

/// Result of tool work.
pub type Result<T, E = ToolError> = std::result::Result<T, E>;

/// Adds operation and path to an I/O error.
pub(crate) trait IoContext<T> {
    /// `what` is a verb phrase: "read", "create the folder".
    fn at(self, what: &'static str, path: &Path) -> Result<T>;
}

impl<T> IoContext<T> for std::io::Result<T> {
    fn at(self, what: &'static str, path: &Path) -> Result<T> {
        self.map_err(|source| ToolError::Io { what, path: path.to_path_buf(), source })
    }
}

/// Last 20 non-empty lines of a text. If the last line with "error" is further up, it is put in
/// front, because yosys prints its help after an error.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> =
        text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let (above, last) = lines.split_at(lines.len().saturating_sub(20));
    let says_error = |line: &&&str| ["ERROR", "Error", "error:"].iter().any(|e| line.contains(e));
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
    fn tail_has_twenty_lines() {
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
