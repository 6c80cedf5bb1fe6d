//! Code shared by the commands that use boards on USB.

use super::CliError;
use board::port::PortError;
use board::usb::Devices;
use board::virtual_board::VirtualBoardError;
use std::env;
use std::path::Path;

/// Returns the devices of the system. For tests, `PHASECUBE_SYS` and `PHASECUBE_DEV` replace `/sys`
/// and `/dev`.
pub fn devices() -> Devices {
    let mut devices = Devices::default();
    if let Some(sys) = env::var_os("PHASECUBE_SYS") {
        devices.sys = sys.into();
    }
    if let Some(dev) = env::var_os("PHASECUBE_DEV") {
        devices.dev = dev.into();
    }
    devices
}

impl CliError {
    /// Errors of the image are the user's fault, errors of the tools are not.
    pub fn virtual_board(image: &Path, error: VirtualBoardError) -> Self {
        match error {
            VirtualBoardError::Tool(error) => error.into(),
            VirtualBoardError::Design(error) => error.into(),
            VirtualBoardError::Build(error) => error.into(),
            error @ VirtualBoardError::Unknown { .. } => {
                let what = format!("{} cannot be simulated", image.display());
                CliError::Failed(anyhow::Error::new(error).context(what))
            }
            error => {
                let what = format!("{} is not an image for this board", image.display());
                CliError::BadInput(anyhow::Error::new(error).context(what))
            }
        }
    }
}

impl From<PortError> for CliError {
    fn from(error: PortError) -> Self {
        match error {
            PortError::Simulation(error) => error.into(),
            error => Self::Failed(error.into()),
        }
    }
}
