//! `phasecube verilog`.

use crate::program::{call, refused, refused_in, stdout};
use std::fs;
use std::path::Path;

fn modules(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// The pin mux is a kit, for a user who has no other part of the project.
#[test]
fn the_pin_mux_is_a_directory_for_any_number_of_dimensions() {
    let dir = tempfile::tempdir().unwrap();
    for dims in 1..=16 {
        let (number, out) = (dims.to_string(), format!("kit{dims}"));
        let args = [
            "verilog", "--design", "pin-mux", "--dims", &number, "--out", &out,
        ];
        let done = call(dir.path(), &args);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
        let files = modules(&dir.path().join(&out));
        assert_eq!(done.stdout, format!("{} files in {out}\n", files.len()));
        let text = fs::read_to_string(dir.path().join(out).join("tdma_pin_mux.v")).unwrap();
        let default = format!("module tdma_pin_mux #(parameter DIMS = {dims}) (");
        assert!(text.contains(&default), "{text}");
    }
}

#[test]
fn the_pin_mux_goes_into_a_directory_of_its_own_name() {
    let dir = tempfile::tempdir().unwrap();
    let done = call(dir.path(), &["verilog", "--design", "pin-mux"]);
    assert_eq!(done.stdout, "6 files in tdma_pin_mux\n", "{done:?}");
    let mut expected = [
        "Makefile",
        "README.md",
        "frames_tb.v",
        "switch_tb.v",
        "tdma_pin_mux.v",
        "timing.json",
    ];
    expected.sort_unstable();
    assert_eq!(modules(&dir.path().join("tdma_pin_mux")), expected);
    let makefile = fs::read_to_string(dir.path().join("tdma_pin_mux/Makefile")).unwrap();
    assert!(makefile.contains("\nDIMS      = 4\n"), "{makefile}");
}

/// Files hold what standard output shows, one module each.
#[test]
fn the_link_is_written_module_by_module() {
    let dir = tempfile::tempdir().unwrap();
    let done = call(dir.path(), &["verilog", "--design", "link", "--out", "a/b"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    let whole = stdout(&["verilog", "--design", "link"]);
    let written = modules(&dir.path().join("a/b"));
    assert_eq!(whole.matches("\nendmodule").count(), written.len());
    assert_eq!(done.stdout, format!("{} files in a/b\n", written.len()));
    for block in ["link", "link_port", "pin_mux", "uart"] {
        assert!(written.contains(&format!("{block}.v")), "{written:?}");
    }
    for name in &written {
        let text = fs::read_to_string(dir.path().join("a/b").join(name)).unwrap();
        assert!(whole.contains(&text), "{name}");
        assert_eq!(text.matches("\nendmodule").count(), 1, "{name}");
    }
}

#[test]
fn the_link_has_one_dimension() {
    refused(
        2,
        &["verilog", "--design", "link", "--dims", "2"],
        "the design link is a 1-cube; accepted: --dims 1, or no --dims",
    );
    stdout(&["verilog", "--design", "link", "--dims", "1"]);
}

/// All files or none.
#[test]
fn a_place_that_cannot_be_written_is_left_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "mine").unwrap();
    let out = |to: &'static str| ["verilog", "--design", "link", "--out", to];
    refused_in(
        dir.path(),
        1,
        &out("file"),
        "file cannot be made a directory; give one that can be written to",
    );
    refused_in(
        dir.path(),
        1,
        &out("file/sub"),
        "file/sub cannot be made a directory",
    );
    assert_eq!(fs::read(dir.path().join("file")).unwrap(), b"mine");

    fs::create_dir_all(dir.path().join("out/uart.v")).unwrap();
    refused_in(
        dir.path(),
        1,
        &out("out"),
        "out/uart.v cannot be written: it is a directory",
    );
    assert_eq!(modules(&dir.path().join("out")), ["uart.v"]);
}
