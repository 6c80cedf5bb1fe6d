//! Designs on boards: images match their designs, and the programs that load and monitor them
//! report correctly. No board is needed.

mod boards;
mod flash;
mod placed;
mod virtual_echo;

use crate::support::scratch::with_default_signals;
use lockstep::design::Design;
use lockstep::lanes::{LaneMachine, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;
use phasecube::board::virtual_board::{BoardOutputs, VirtualBoard, FIRST_EDGE};
use phasecube::board::{
    self, Board, BoardDesign, BoardDesignName, BuildError, BuiltImage, DEFAULT_SEED,
};
use phasecube::engine::{LockstepEngine, NodeEngine, NodePortId};
use phasecube::toolchain::{cache, Policy, Tool, Toolchain};
use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

// The pinned tools, the folder of their results, and virtual boards.

static TOOLS: LazyLock<Toolchain> =
    LazyLock::new(|| Toolchain::new(cache::cache_dir().unwrap(), Policy::Pinned));

/// Folder where images and models are built, and where `phasecube` finds them when tests call it.
fn builds() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/phasecube/board"))
}

fn build(design: &BoardDesign) -> Result<BuiltImage, BuildError> {
    build_for(Board::ALCHITRY_CU, design)
}

fn build_for(board: &'static Board, design: &BoardDesign) -> Result<BuiltImage, BuildError> {
    board::build(&TOOLS, board, design, DEFAULT_SEED, builds())
}

/// Returns a released design.
fn design(name: BoardDesignName, dims: u32) -> BoardDesign {
    name.design(dims, &TOOLS, builds()).unwrap()
}

/// Returns the virtual board of an image as users get it: from its bits, or from its netlist if
/// icebox_vlog is missing. The latter is reported on standard error.
fn virtual_board(image: &[u8]) -> VirtualBoard {
    let tools = Toolchain::open().unwrap();
    if let Err(error) = tools.icebox_vlog() {
        report_netlist_fallback(&error);
    }
    VirtualBoard::new(&tools, Board::ALCHITRY_CU, image, builds()).unwrap_or_else(|e| panic!("{e}"))
}

/// Reports that netlists are checked instead of image bits.
fn report_netlist_fallback(error: &dyn Display) {
    let reported = format!("the bits of images are not checked, their netlists are: {error}\n");
    // Writes to standard error directly, because the test harness captures `eprintln!`.
    std::io::stderr().write_all(reported.as_bytes()).unwrap();
}

/// Returns the virtual boards of an image, each with the name of what it simulates: its netlist,
/// rebuilt if necessary, and its bits. Without icebox_vlog, that is reported and the netlist is
/// returned alone.
fn virtual_boards(image: &[u8]) -> Vec<(&'static str, VirtualBoard)> {
    let board = |tools: &Toolchain| {
        VirtualBoard::new(tools, Board::ALCHITRY_CU, image, builds())
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let mut boards = vec![("netlist", board(&TOOLS.without(Tool::IceboxVlog)))];
    // Includes the system's tools unless the environment forbids them.
    let tools = Toolchain::open().unwrap();
    match tools.icebox_vlog() {
        Ok(_) => boards.push(("bits", board(&tools))),
        Err(error) => report_netlist_fallback(&error),
    }
    boards
}

// Expected outputs of a board: its circuit and the logic around it, simulated in the project's own
// engine.

/// A design whose clock starts in clock cycle [`FIRST_EDGE`] and whose `rx` passes through two
/// flip-flops.
struct BoardReference {
    engine: LockstepEngine,
    rx: NodePortId,
    tx: NodePortId,
    led: NodePortId,
    flip_flops: [bool; 2],
    cycle: usize,
}

/// The engine needs at least two nodes.
const LANES: usize = 2;

impl BoardReference {
    pub fn new(design: &Design) -> Self {
        let netlist = flatten(design).unwrap();
        let (wiring, options) = (LaneWiring::default(), LaneOptions::default());
        let lanes = LaneMachine::new(netlist, LANES, &wiring, &options).unwrap();
        let mut engine = LockstepEngine::new(lanes);
        let [rx, tx, led] = ["rx", "tx", "led"].map(|name| engine.port(name));
        BoardReference { engine, rx, tx, led, flip_flops: [true; 2], cycle: 0 }
    }

    /// Runs one clock cycle for each level of the line from the host.
    pub fn run(&mut self, rx: &[bool]) -> Vec<BoardOutputs> {
        rx.iter().map(|level| self.step(*level)).collect()
    }

    pub fn step(&mut self, level: bool) -> BoardOutputs {
        let engine = &mut self.engine;
        for lane in 0..LANES {
            engine.set(self.rx, lane, u64::from(self.flip_flops[1]));
        }
        engine.settle().unwrap();
        let seen =
            BoardOutputs { tx: engine.get(self.tx, 0) == 1, led: engine.get(self.led, 0) as u8 };
        if self.cycle >= FIRST_EDGE {
            engine.clock().unwrap();
            self.flip_flops = [level, self.flip_flops[0]];
        }
        self.cycle += 1;
        seen
    }
}

// A simulated computer whose boards and programmers are files.

/// The computer's `/sys`, `/dev` and `PATH` in one folder.
struct FakeComputer {
    dir: TempDir,
}

impl FakeComputer {
    /// Creates a computer with nothing plugged in and nothing installed.
    pub fn new() -> Self {
        let computer = FakeComputer { dir: tempfile::tempdir().unwrap() };
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
        with_default_signals(&mut command)
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
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}
