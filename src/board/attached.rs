//! A board on USB.

use std::path::PathBuf;

/// A board that is plugged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// Its place on the bus, `1-4.2`.
    pub place: String,
    pub bus: u32,
    pub device: u32,
    /// The device of the programmer: `/dev/bus/usb/001/004`.
    pub node: PathBuf,
    /// The serial port that is the host port, if a driver made one.
    pub serial: Option<PathBuf>,
}
