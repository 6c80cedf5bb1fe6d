//! `phasecube flash` on a simulated computer whose board is a file.

use crate::board::{builds, FakeComputer};
use serde_json::Value;
use serialport::{SerialPort, TTYPort};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bitstreams");
const IMAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bitstreams/alchitry-cu-echo.bin");

/// Script that records its command line and a copy of its last argument.
const RECORD: &str = "echo \"$0 $*\" > called; for last; do :; done; /bin/cp \"$last\" flash";

#[test]
fn the_image_is_written_to_the_connected_board() {
    for (name, options) in [
        ("iceprog", "-d d:001/007"),
        ("openFPGALoader", "--busdev-num 1:7 --board ice40_generic --write-flash --verify"),
    ] {
        let computer = FakeComputer::new();
        // Another FTDI chip, then the board's own.
        computer.plug(3, "6001");
        computer.plug(7, "6010");
        computer.install(name, RECORD);
        let (code, stdout, stderr) = computer.run(&["flash", IMAGE]);
        assert_eq!(code, 0, "{stderr}");
        let called = fs::read_to_string(computer.path("called")).unwrap();
        let program = computer.path("bin").join(name);
        assert_eq!(called.trim_end(), format!("{} {options} {IMAGE}", program.display()));
        assert_eq!(fs::read(computer.path("flash")).unwrap(), fs::read(IMAGE).unwrap());
        // The output names the image, the board and the command.
        for printed in [
            "echo for the Alchitry Cu, 135260 bytes, sha256 as in the manifest",
            "Alchitry Cu at USB 1-7, bus 1, device 7",
            &format!("$ {}", called.trim_end()),
            "Written. The board runs echo now",
        ] {
            assert!(stdout.contains(printed), "{printed}: {stdout}");
        }
    }
}

#[test]
fn all_missing_requirements_are_reported_at_once() {
    let computer = FakeComputer::new();
    let (code, _, stderr) = computer.run(&["flash", IMAGE]);
    assert_eq!(code, 1);
    assert!(stderr.contains("install iceprog (sudo apt-get install fpga-icestorm)"), "{stderr}");
    assert!(stderr.contains("no Alchitry Cu is plugged in"), "{stderr}");
    assert!(stderr.contains("0403:6010"), "{stderr}");

    computer.plug(7, "6010");
    computer.plug(8, "6010");
    computer.install("iceprog", RECORD);
    let (code, _, stderr) = computer.run(&["flash", IMAGE]);
    assert_eq!(code, 1);
    assert!(stderr.contains("2 boards could be the Alchitry Cu, at 1-7, 1-8"), "{stderr}");
    assert!(!computer.path("called").exists());
}

/// No permission for the device. Root may write anything, so the test uses a device that root
/// cannot write either.
#[test]
fn a_device_that_cannot_be_opened_is_reported() {
    let computer = FakeComputer::new();
    computer.plug(7, "6010");
    computer.install("iceprog", RECORD);
    let node = computer.path("dev/bus/usb/001/007");
    fs::remove_file(&node).unwrap();
    fs::create_dir(&node).unwrap();
    let (code, _, stderr) = computer.run(&["flash", IMAGE]);
    assert_eq!(code, 1);
    let says = format!("{} cannot be opened", node.display());
    assert!(stderr.contains(&says), "{stderr}");
    assert!(!computer.path("called").exists());
}

#[test]
fn a_failing_programmer_fails_the_command() {
    let computer = FakeComputer::new();
    computer.plug(7, "6010");
    computer.install("iceprog", "echo flash ID unknown; exit 3");
    let (code, stdout, stderr) = computer.run(&["flash", IMAGE]);
    assert_eq!(code, 1);
    assert!(stdout.contains("flash ID unknown"), "{stdout}");
    assert!(stderr.contains("exit status: 3"), "{stderr}");
}

#[test]
fn only_the_image_of_the_manifest_is_written() {
    let computer = FakeComputer::new();
    computer.plug(7, "6010");
    computer.install("iceprog", RECORD);
    let refused = |says: &str| {
        let (code, _, stderr) = computer.run(&["flash", "alchitry-cu-echo.bin"]);
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(says), "{says}: {stderr}");
        assert!(!computer.path("called").exists());
    };
    refused("alchitry-cu-echo.bin: No such file");
    let mut image = fs::read(IMAGE).unwrap();
    let copy = computer.path("alchitry-cu-echo.bin");
    fs::write(&copy, &image).unwrap();
    refused("has no entry in ./manifest.toml");
    fs::write(&copy, "int main(void) { return 0; }\n").unwrap();
    refused("is not an image: it has no table of boot vectors");
    let manifest = fs::read_to_string(format!("{PUBLISHED}/manifest.toml")).unwrap();
    fs::write(computer.path("manifest.toml"), &manifest).unwrap();
    let last = image.len() - 1;
    image[last] ^= 1;
    fs::write(&copy, &image).unwrap();
    refused("is not the image that its manifest names: its sha256 is ");
    fs::write(&copy, &image[..100]).unwrap();
    refused("is not an image: it has no table of boot vectors");
    fs::write(&copy, fs::read(IMAGE).unwrap()).unwrap();
    let other = manifest.replace("board = \"alchitry-cu\"", "board = \"other\"");
    fs::write(computer.path("manifest.toml"), other).unwrap();
    refused("is an image for the other, not for the alchitry-cu");
    fs::write(computer.path("manifest.toml"), manifest).unwrap();
    let (code, _, stderr) = computer.run(&["flash", "alchitry-cu-echo.bin"]);
    assert_eq!(code, 0, "{stderr}");
}

// `phasecube monitor` on a pseudo-terminal, where the test plays the board, and on the virtual
// board.

/// Opens a pseudo-terminal. Returns the test's end, a file that keeps it open, and the path of the
/// other end.
fn line() -> (TTYPort, File, PathBuf) {
    let (mut board, host) = TTYPort::pair().unwrap();
    board.set_timeout(Duration::from_secs(60)).unwrap();
    let path = PathBuf::from(host.name().unwrap());
    // Keeps the line open, or it would hang up. It is opened as a plain file, because only one
    // program may open it as a serial port.
    let held = File::options().read(true).write(true).open(&path).unwrap();
    (board, held, path)
}

/// Reads until the end of a line.
fn command(board: &mut TTYPort) -> String {
    let mut text = String::new();
    while !text.ends_with('\n') {
        let mut byte = [0];
        board.read_exact(&mut byte).unwrap();
        text.push(byte[0].into());
    }
    text
}

const RUN: &str = "run pattern=complement seed=0x0000000000000007 messages=3 to_self=1\n\
    message t=4 from=0x2 to=0x5 payload=0123456789abcdef\r\n\
    message t=5 from=0x0 to=0x7 payload=fedcba9876543210\n\
    done delivered=3 lost=0 wrong=0 hops=6 refused=0 silences=0 late=0 superframes=1\nready\n";

#[test]
fn a_run_is_requested_printed_summarised_and_logged() {
    let (mut board, _held, path) = line();
    let computer = FakeComputer::new();
    computer.plug(7, "6010");
    computer.serial(7, &path);
    let arguments = ["monitor", "--run", "complement 7", "--log", "log.txt"];
    let child = computer.phasecube(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    // A board that has been on for a long time is silent until it receives a command.
    assert_eq!(command(&mut board), "complement 7\n");
    board.write_all(RUN.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{stdout}");
    for printed in [
        "ttyUSB9 at 1000000 baud\n",
        "run: complement with seed 0x7, 3 messages, 1 of them to their own source\n",
        "t   4  0x2 -> 0x5  0123456789abcdef\n",
        "done: 3 delivered, 0 lost, 0 wrong; 1 superframe, 6 hops",
        "\n\ncomplement 0x7: 3 of 3 messages delivered, 1 superframe, 6 hops\n",
    ] {
        assert!(stdout.contains(printed), "{printed}: {stdout}");
    }
    let log = std::fs::read_to_string(computer.path("log.txt")).unwrap();
    let lines: Vec<&str> = RUN.lines().filter(|line| *line != "ready").collect();
    assert_eq!(log.lines().collect::<Vec<_>>(), lines);
}

/// An interrupted monitor prints what it has received.
#[test]
fn an_interrupted_monitor_prints_its_summary() {
    for (signal, code, says) in [("INT", 130, "Ctrl-C"), ("TERM", 143, "SIGTERM")] {
        let (mut board, _held, path) = line();
        let computer = FakeComputer::new();
        let mut child = computer
            .phasecube(&["monitor", "--port", path.to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut received = BufReader::new(child.stdout.take().unwrap());
        let mut until = |what: &str| {
            let mut line = String::new();
            while !line.contains(what) {
                line.clear();
                assert!(received.read_line(&mut line).unwrap() > 0, "it ended: no {what}");
            }
        };
        until("listening to ");
        board.write_all(RUN.as_bytes()).unwrap();
        until("done: 3 delivered");
        let kill = format!("kill -{signal} {}", child.id());
        let kill = Command::new("sh").args(["-c", &kill]).status();
        assert!(kill.unwrap().success());
        until("complement 0x7: 3 of 3 messages delivered");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr, format!("phasecube: stopped by {says}\n"));
    }
}

#[test]
fn a_lost_message_fails_the_run_and_json_is_complete() {
    let (mut board, _held, path) = line();
    let computer = FakeComputer::new();
    let port = path.to_str().unwrap();
    let arguments = ["monitor", "--port", port, "--json", "--run", "complement 7"];
    let child = computer
        .phasecube(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(command(&mut board), "complement 7\n");
    let lossy = RUN.replace("delivered=3 lost=0", "delivered=2 lost=1");
    board.write_all(lossy.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("the run complement 0x7 lost 1 message,"), "{stderr}");
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = &printed["runs"][0];
    assert_eq!(run["pattern"], "complement");
    assert_eq!(run["arrivals"][1]["payload"], "fedcba9876543210");
    assert_eq!(run["counters"]["lost"], 1);
}

#[test]
fn missing_requirements_are_reported() {
    let computer = FakeComputer::new();
    let (code, _, stderr) = computer.run(&["monitor"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("no Alchitry Cu is plugged in"), "{stderr}");
    computer.plug(7, "6010");
    let (code, _, stderr) = computer.run(&["monitor"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("at 1-7 has no serial port: load the driver"), "{stderr}");
    let (code, _, stderr) = computer.run(&["monitor", "--port", "dev/ttyACM0"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("dev/ttyACM0: No such file or directory; plug"), "{stderr}");
    let (code, _, stderr) = computer.run(&["monitor", "--virtual", "none.bin"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("none.bin: cannot be read"), "{stderr}");
    let (code, _, stderr) = computer.run(&["monitor", "--run", "a\nb"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("accepted: one --run for each line"), "{stderr}");
}

/// Runs `monitor --virtual` on an image of `echo`, with or without icebox_vlog.
fn monitored(image: &Path, without: &str, builds: &Path) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_phasecube"))
        .args(["monitor", "--virtual"])
        .arg(image)
        .args(["--run", "Ahoy, Cube", "--run", "xyz"])
        .env("PHASECUBE_TOOLS", "auto")
        .env("PHASECUBE_WITHOUT", without)
        .env("CARGO_TARGET_DIR", builds)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const ECHO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bitstreams/alchitry-cu-echo.bin");

const ANSWERS: &str = "aHOY, cUBE\nXYZ\n\nno run was received, 2 other lines\n";

/// If icebox_vlog is missing, `monitor` rebuilds a published image and simulates its netlist. The
/// answers are the same with either, and the first line names the one used.
#[test]
#[ignore = "thorough: simulates the bits of an image"]
fn the_virtual_board_answers() {
    let (code, stdout, stderr) = monitored(ECHO.as_ref(), "icebox_vlog", builds());
    assert_eq!(code, Some(0), "{stderr}");
    let first =
        "simulating the placed and routed netlist that the image was made of: icebox_vlog, \
                 which unpacks bits, is not here\n";
    assert_eq!(stdout, format!("{first}{ANSWERS}"));

    let (code, stdout, stderr) = monitored(ECHO.as_ref(), "", builds());
    assert_eq!(code, Some(0), "{stderr}");
    let bits = "simulating the bits of the image, unpacked by icebox_vlog";
    assert!(stdout.starts_with(first) || stdout.starts_with(bits), "{stdout}");
    assert!(stdout.ends_with(&format!("\n{ANSWERS}")), "{stdout}");
}

/// An unknown image without a tool to unpack it.
#[test]
fn without_icebox_an_unknown_image_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut image = std::fs::read(ECHO).unwrap();
    *image.last_mut().unwrap() ^= 1;
    let path = dir.path().join("unknown.bin");
    std::fs::write(&path, image).unwrap();
    let (code, stdout, stderr) = monitored(&path, "icebox_vlog", dir.path());
    assert_eq!((code, &stdout[..]), (Some(1), ""), "{stderr}");
    assert!(
        stderr.contains("unknown.bin cannot be simulated: the image was not built here"),
        "{stderr}"
    );
    assert!(stderr.contains("icebox_vlog is needed"), "{stderr}");
}
