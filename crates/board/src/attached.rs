//! A board on USB.

use std::path::PathBuf;

/// Board that is plugged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// Position on the bus, such as `1-4.2`.
    pub bus_position: String,
    pub bus: u32,
    pub device: u32,
    /// Device file of the programmer: `/dev/bus/usb/001/004`.
    pub node: PathBuf,
    /// Serial port for the host, if a driver created one.
    pub serial: Option<PathBuf>,
}
