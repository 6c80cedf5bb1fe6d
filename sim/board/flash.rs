//! `phasecube flash` on a simulated computer whose board is a file.

use crate::board::fake_computer::FakeComputer;
use std::fs;

const PUBLISHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bitstreams");
const IMAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/bitstreams/alchitry-cu-echo.bin"
);

/// Script that records its command line and a copy of its last argument.
const RECORD: &str = "echo \"$0 $*\" > called; for last; do :; done; /bin/cp \"$last\" flash";

#[test]
fn the_image_is_written_to_the_connected_board() {
    for (name, options) in [
        ("iceprog", "-d d:001/007"),
        (
            "openFPGALoader",
            "--busdev-num 1:7 --board ice40_generic --write-flash --verify",
        ),
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
        assert_eq!(
            called.trim_end(),
            format!("{} {options} {IMAGE}", program.display())
        );
        assert_eq!(
            fs::read(computer.path("flash")).unwrap(),
            fs::read(IMAGE).unwrap()
        );
        // The output names the image, the board and the command.
        for said in [
            "echo for the Alchitry Cu, 135260 bytes, sha256 as in the manifest",
            "Alchitry Cu at USB 1-7, bus 1, device 7",
            &format!("$ {}", called.trim_end()),
            "Written. The board runs echo now",
        ] {
            assert!(stdout.contains(said), "{said}: {stdout}");
        }
    }
}

#[test]
fn all_missing_requirements_are_reported_at_once() {
    let computer = FakeComputer::new();
    let (code, _, stderr) = computer.run(&["flash", IMAGE]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("install iceprog (sudo apt-get install fpga-icestorm)"),
        "{stderr}"
    );
    assert!(stderr.contains("no Alchitry Cu is plugged in"), "{stderr}");
    assert!(stderr.contains("0403:6010"), "{stderr}");

    computer.plug(7, "6010");
    computer.plug(8, "6010");
    computer.install("iceprog", RECORD);
    let (code, _, stderr) = computer.run(&["flash", IMAGE]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("2 boards could be the Alchitry Cu, at 1-7, 1-8"),
        "{stderr}"
    );
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
