//! A simulated computer whose boards and programmers are files.

use crate::support::signals;
use std::fs;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The computer's `/sys`, `/dev` and `PATH` in one folder.
pub struct FakeComputer {
    dir: TempDir,
}

impl FakeComputer {
    /// Creates a computer with nothing plugged in and nothing installed.
    pub fn new() -> Self {
        let computer = FakeComputer {
            dir: tempfile::tempdir().unwrap(),
        };
        for folder in ["sys/bus/usb/devices", "dev", "bin"] {
            fs::create_dir_all(computer.path(folder)).unwrap();
        }
        computer
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Plugs in a USB device with an FTDI chip of this product ID, as USB device `1-PORT`.
    pub fn plug(&self, port: u32, product: &str) {
        self.plug_of("0403", port, product);
    }

    /// Plugs in a USB device of any vendor ID.
    pub fn plug_of(&self, vendor: &str, port: u32, product: &str) {
        let device = format!("sys/bus/usb/devices/1-{port}");
        for (name, text) in [
            ("idVendor", vendor),
            ("idProduct", product),
            ("busnum", "1"),
            ("devnum", &port.to_string()),
        ] {
            self.write(&format!("{device}/{name}"), &format!("{text}\n"));
        }
        self.write(&format!("dev/bus/usb/001/{port:03}"), "");
    }

    /// Adds the driver's serial port for the second interface of such a device.
    pub fn serial(&self, port: u32, line: &Path) {
        let interface = self.path(&format!("sys/bus/usb/devices/1-{port}:1.1/ttyUSB9"));
        fs::create_dir_all(interface).unwrap();
        symlink(line, self.path("dev/ttyUSB9")).unwrap();
    }

    /// Installs a program on the path that runs this shell script.
    pub fn install(&self, name: &str, script: &str) {
        let path = self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Returns a `phasecube` command that runs on this computer.
    pub fn phasecube(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_phasecube"));
        signals::reset(&mut command)
            .arg("--quiet")
            .args(arguments)
            .current_dir(self.dir.path())
            .env_clear()
            .env("PATH", self.path("bin"))
            .env("PHASECUBE_SYS", self.path("sys"))
            .env("PHASECUBE_DEV", self.path("dev"));
        command
    }

    /// Runs `phasecube`. Returns exit code, standard output and standard error.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.phasecube(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }
}
