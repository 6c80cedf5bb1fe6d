//! Errors of commands, and their exit codes.

use super::interrupt::Signal;
use crate::board::{BoardDesignError, BuildError};
use crate::claims::{CheckError, LedgerError, Unknown};
use crate::engine::EngineError;
use crate::engine::TooLarge;
use crate::machine::LoadError;
use crate::networks::Refusal;
use crate::program::FirmwareError;
use crate::report::{AgreedRunError, CoresError, CostError};
use crate::toolchain::ToolError;
use crate::topology::Outside;
use crate::traffic::RecipeError;
use std::fmt;

/// Reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// Invalid arguments or files of the user. The message says what is accepted.
    BadInput(anyhow::Error),
    /// Failure of a run, a check, or the machine under them.
    Failed(anyhow::Error),
    /// Interruption by a signal.
    Interrupted { signal: Signal, what: anyhow::Error },
}

impl Failure {
    /// Returns the exit code of the process (docs/command-line.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::BadInput(_) => 2,
            Self::Failed(_) => 1,
            Self::Interrupted { signal, .. } => signal.exit_code(),
        }
    }
}

/// Prints the error and its causes. Some library errors already include their cause, which is
/// printed once.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::BadInput(error) | Self::Failed(error) | Self::Interrupted { what: error, .. }) =
            self;
        let mut said = String::new();
        for cause in error.chain().map(ToString::to_string) {
            if said.contains(&cause) {
                continue;
            }
            if !said.is_empty() {
                said += ": ";
            }
            said += &cause;
        }
        f.write_str(&said)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::BadInput(error) | Refusal::Size(error) => Self::BadInput(error),
            Refusal::Firmware(error) => error.into(),
            Refusal::Failed(error) => Self::Failed(error),
        }
    }
}

impl From<Unknown> for Failure {
    fn from(unknown: Unknown) -> Self {
        Self::BadInput(unknown.into())
    }
}

/// The ledger is part of the program, so the user is not at fault.
impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<TooLarge> for Failure {
    fn from(error: TooLarge) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<RecipeError> for Failure {
    fn from(error: RecipeError) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<Outside> for Failure {
    fn from(error: Outside) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error {
            // Environment variables come from the user, like arguments.
            ToolError::Bad(_) => Self::BadInput(error.into()),
            _ => Self::Failed(error.into()),
        }
    }
}

impl From<FirmwareError> for Failure {
    fn from(error: FirmwareError) -> Self {
        match error {
            FirmwareError::Tool(error) => error.into(),
            // The stale firmware came with the program, not from the user.
            error @ FirmwareError::Stale { .. } => Self::Failed(error.into()),
            error => Self::BadInput(error.into()),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Tool(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<AgreedRunError> for Failure {
    fn from(error: AgreedRunError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<CostError> for Failure {
    fn from(error: CostError) -> Self {
        match error {
            CostError::Tool(error) => error.into(),
            CostError::Lower(error) => Self::Failed(error.into()),
        }
    }
}

impl From<CoresError> for Failure {
    fn from(error: CoresError) -> Self {
        match error {
            CoresError::Cost(error) => error.into(),
            error @ CoresError::Source { .. } => Self::BadInput(error.into()),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Tool(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<BoardDesignError> for Failure {
    fn from(error: BoardDesignError) -> Self {
        match error {
            BoardDesignError::Tool(error) => error.into(),
            BoardDesignError::Firmware(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn a_cause_is_said_once() {
        let said = |error: anyhow::Error| Failure::Failed(error).to_string();
        let disk = || anyhow!("the disk is full");
        assert_eq!(said(disk()), "the disk is full");
        assert_eq!(
            said(disk().context("a.csv cannot be written")),
            "a.csv cannot be written: the disk is full"
        );
        assert_eq!(
            said(
                disk()
                    .context("no a.csv: the disk is full")
                    .context("no list")
            ),
            "no list: no a.csv: the disk is full"
        );
    }
}
