//! Finds boards on USB in Linux's sysfs.

use super::{Board, Usb};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Device folders of the system, or of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Devices {
    /// Folder `/sys`.
    pub sys: PathBuf,
    /// Folder `/dev`.
    pub dev: PathBuf,
}

impl Default for Devices {
    fn default() -> Self {
        Devices { sys: "/sys".into(), dev: "/dev".into() }
    }
}

/// Reason why no board was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotAttached {
    #[error(
        "no {board} is plugged in: no USB device {vendor:04x}:{product:04x} in {}; connect it with a data cable, \
         or pass the device on to this container or virtual machine",
        searched.display()
    )]
    None { board: &'static str, vendor: u16, product: u16, searched: PathBuf },
    #[error("{count} boards could be the {board}, at {places}: unplug all but one")]
    Several { board: &'static str, count: usize, places: String },
    #[error(
        "the {board} at {place} has no serial port: load the driver (sudo modprobe ftdi_sio), or give the port with --port"
    )]
    NoSerial { board: &'static str, place: String },
    #[error(
        "no right to write {}: put SUBSYSTEM==\"usb\", ATTR{{idVendor}}==\"{vendor:04x}\", \
         ATTR{{idProduct}}==\"{product:04x}\", MODE=\"0666\" into /etc/udev/rules.d/53-{board}.rules, \
         run sudo udevadm control --reload, and plug the board in again",
        node.display()
    )]
    NoRight { board: &'static str, node: PathBuf, vendor: u16, product: u16 },
    #[error("{} cannot be opened: {what}", node.display())]
    Node { node: PathBuf, what: String },
}

impl Devices {
    /// Returns the only board of its kind.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn find(&self, board: &Board) -> Result<Attached, NotAttached> {
        let found = self.matching(board.usb);
        let Usb { vendor, product, .. } = board.usb;
        match &found[..] {
            [] => Err(NotAttached::None {
                board: board.title,
                vendor,
                product,
                searched: self.list(),
            }),
            [one] => Ok(one.clone()),
            several => Err(NotAttached::Several {
                board: board.title,
                count: several.len(),
                places: several
                    .iter()
                    .map(|one| one.bus_position.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    /// Returns the serial port of the only board of its kind.
    ///
    /// # Errors
    /// If there is no such board, or it has no serial port.
    pub fn find_serial(&self, board: &Board) -> Result<PathBuf, NotAttached> {
        let found = self.find(board)?;
        found.serial.ok_or(NotAttached::NoSerial { board: board.title, place: found.bus_position })
    }

    /// Checks the access right to the board's programmer.
    ///
    /// # Errors
    /// If the right is missing. The error contains advice.
    pub fn check_access(&self, board: &Board, found: &Attached) -> Result<(), NotAttached> {
        let node = found.node.clone();
        let opened = fs::File::options().read(true).write(true).open(&node);
        let Usb { vendor, product, .. } = board.usb;
        match opened {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                Err(NotAttached::NoRight { board: board.name, node, vendor, product })
            }
            Err(error) => Err(NotAttached::Node { node, what: error.to_string() }),
        }
    }

    fn list(&self) -> PathBuf {
        self.sys.join("bus/usb/devices")
    }

    /// All devices with this id, sorted by position.
    fn matching(&self, usb: Usb) -> Vec<Attached> {
        let mut found: Vec<Attached> =
            names(&self.list()).into_iter().filter_map(|place| self.attached(place, usb)).collect();
        found.sort_by(|a, b| a.bus_position.cmp(&b.bus_position));
        found
    }

    fn attached(&self, place: String, usb: Usb) -> Option<Attached> {
        let dir = self.list().join(&place);
        let text = |name: &str| fs::read_to_string(dir.join(name)).ok();
        let hex = |name| u16::from_str_radix(text(name)?.trim(), 16).ok();
        let decimal = |name| text(name)?.trim().parse().ok();
        if (hex("idVendor")?, hex("idProduct")?) != (usb.vendor, usb.product) {
            return None;
        }
        let (bus, device) = (decimal("busnum")?, decimal("devnum")?);
        let interface = self.list().join(format!("{place}:1.{}", usb.serial));
        // Drivers of serial chips list the port in this folder, and modem drivers in its subfolder
        // `tty`.
        let serial = names(&interface)
            .into_iter()
            .chain(names(&interface.join("tty")))
            .find(|name| ["ttyUSB", "ttyACM"].iter().any(|tty| name.starts_with(tty)));
        Some(Attached {
            bus_position: place,
            bus,
            device,
            node: self.dev.join(format!("bus/usb/{bus:03}/{device:03}")),
            serial: serial.map(|name| self.dev.join(name)),
        })
    }
}

/// Names in a directory. Empty if the directory does not exist.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

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
