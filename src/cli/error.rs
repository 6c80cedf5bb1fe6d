//! Errors of commands, and their exit codes.

use super::interrupt::StopSignal;
use board::{BoardDesignError, BuildError};
use engine::EngineError;
use engine::TooLarge;
use interconnect::topology::AddressOutOfRange;
use interconnect::traffic::RecipeError;
use lab::claims::{CheckError, LedgerError, UnknownClaim};
use lab::report::{AgreedRunError, CoresError, CostError};
use lab::simulate::SimulateError;
use machine::networks::NetworkError;
use machine::program::FirmwareError;
use machine::user_core::UserCoreError;
use machine::verilog::ElaborateError;
use machine::LoadError;
use std::fmt;
use toolchain::ToolError;

/// Reason why a command failed.
#[derive(Debug)]
pub enum CliError {
    /// Invalid arguments or files of the user. The message says what is accepted.
    BadInput(anyhow::Error),
    /// Failure of a run, a check, or the machine under them.
    Failed(anyhow::Error),
    /// Interruption by a signal.
    Interrupted { signal: StopSignal, what: anyhow::Error },
    /// End by a signal of a command that ends only by signals. It has reported the signal.
    Stopped(StopSignal),
}

impl CliError {
    /// Returns the exit code of the process (docs/command-line.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::BadInput(_) => 2,
            Self::Failed(_) => 1,
            Self::Interrupted { signal, .. } | Self::Stopped(signal) => signal.exit_code(),
        }
    }
}

/// Prints the error and its causes. Some library errors already include their cause, which is
/// printed once.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = match self {
            Self::BadInput(error) | Self::Failed(error) => error,
            Self::Interrupted { what, .. } => what,
            Self::Stopped(signal) => return write!(f, "stopped by {}", signal.name()),
        };
        let mut text = String::new();
        for cause in error.chain().map(ToString::to_string) {
            if text.contains(&cause) {
                continue;
            }
            if !text.is_empty() {
                text += ": ";
            }
            text += &cause;
        }
        f.write_str(&text)
    }
}

impl From<NetworkError> for CliError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::BadInput(error) | NetworkError::Size(error) => Self::BadInput(error),
            NetworkError::Firmware(error) => error.into(),
            NetworkError::Failed(error) => Self::Failed(error),
        }
    }
}

impl From<UnknownClaim> for CliError {
    fn from(unknown: UnknownClaim) -> Self {
        Self::BadInput(unknown.into())
    }
}

/// The ledger is part of the program, so the user is not at fault.
impl From<LedgerError> for CliError {
    fn from(error: LedgerError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<CheckError> for CliError {
    fn from(error: CheckError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<LoadError> for CliError {
    fn from(error: LoadError) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<TooLarge> for CliError {
    fn from(error: TooLarge) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<RecipeError> for CliError {
    fn from(error: RecipeError) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<AddressOutOfRange> for CliError {
    fn from(error: AddressOutOfRange) -> Self {
        Self::BadInput(error.into())
    }
}

impl From<ToolError> for CliError {
    fn from(error: ToolError) -> Self {
        match error {
            // Environment variables come from the user, like arguments.
            ToolError::Invalid(_) => Self::BadInput(error.into()),
            _ => Self::Failed(error.into()),
        }
    }
}

impl From<FirmwareError> for CliError {
    fn from(error: FirmwareError) -> Self {
        match error {
            FirmwareError::Tool(error) => error.into(),
            FirmwareError::Core(error) => error.into(),
            // The stale firmware came with the program, not from the user.
            error @ FirmwareError::Stale { .. } => Self::Failed(error.into()),
            error => Self::BadInput(error.into()),
        }
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Tool(error) => error.into(),
            EngineError::TooLarge(error) => error.into(),
            error @ EngineError::NoModel(_) => Self::BadInput(error.into()),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<AgreedRunError> for CliError {
    fn from(error: AgreedRunError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<ElaborateError> for CliError {
    fn from(error: ElaborateError) -> Self {
        match error {
            ElaborateError::Tool(error) => error.into(),
            error @ ElaborateError::File { .. } => Self::Failed(error.into()),
            error => Self::BadInput(error.into()),
        }
    }
}

impl From<UserCoreError> for CliError {
    fn from(error: UserCoreError) -> Self {
        match error {
            UserCoreError::Elaborate(error) => error.into(),
            error => Self::BadInput(error.into()),
        }
    }
}

impl From<SimulateError> for CliError {
    fn from(error: SimulateError) -> Self {
        match error {
            SimulateError::Elaborate(error) => error.into(),
            SimulateError::Tool(error) => error.into(),
            error @ (SimulateError::Lanes(_) | SimulateError::File { .. }) => {
                Self::Failed(error.into())
            }
            error => Self::BadInput(error.into()),
        }
    }
}

impl From<CostError> for CliError {
    fn from(error: CostError) -> Self {
        match error {
            CostError::Tool(error) => error.into(),
            CostError::Lower(error) => Self::Failed(error.into()),
        }
    }
}

impl From<CoresError> for CliError {
    fn from(error: CoresError) -> Self {
        match error {
            CoresError::Cost(error) => error.into(),
            error @ CoresError::Source { .. } => Self::BadInput(error.into()),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<BuildError> for CliError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Tool(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}

impl From<BoardDesignError> for CliError {
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
    fn a_repeated_cause_is_printed_once() {
        let printed = |error: anyhow::Error| CliError::Failed(error).to_string();
        let disk = || anyhow!("the disk is full");
        assert_eq!(printed(disk()), "the disk is full");
        assert_eq!(
            printed(disk().context("a.csv cannot be written")),
            "a.csv cannot be written: the disk is full"
        );
        assert_eq!(
            printed(disk().context("no a.csv: the disk is full").context("no list")),
            "no list: no a.csv: the disk is full"
        );
    }
}
