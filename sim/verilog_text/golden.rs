//! The published Verilog of the main blocks equals the files in `sim/golden/verilog`. A change of
//! the printer appears there and can be read before it is accepted:
//!
//! ```text
//! PHASECUBE_BLESS=1 cargo sim verilog_text::golden
//! ```

use crate::verilog_text::diff::diff;
use hdl::verilog::publish;
use phasecube::kit::publication;
use phasecube::machine::catalog::CatalogEntry;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Once;
use std::{env, fs};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sim/golden/verilog");

/// Files that hold all modules of a circuit, and the names of the circuits in the catalogue.
const FILES: &[(&str, &str)] = &[
    ("phase_clock_3.v", "PhaseClock<3>"),
    ("phase_sequencer_3.v", "PhaseSequencer<3>"),
    ("pin_mux_4.v", "PinMux<4>"),
    ("uart_8.v", "Uart<8>"),
    ("link_8.v", "Link<8>"),
    ("byte_channel_8_2.v", "byte-channel"),
];

fn text(circuit: &str) -> String {
    let entry = CatalogEntry::named(circuit).unwrap();
    let design = entry.default_design().unwrap();
    publish(&design, &publication()).verilog.to_string()
}

/// Regenerates the files once, if requested.
fn regenerate() {
    static DONE: Once = Once::new();
    if env::var_os("PHASECUBE_BLESS").is_none_or(|value| value != "1") {
        return;
    }
    DONE.call_once(|| {
        fs::create_dir_all(FOLDER).unwrap();
        for (file, circuit) in FILES {
            fs::write(Path::new(FOLDER).join(file), text(circuit)).unwrap();
        }
    });
}

/// Returns a description of the difference from a file, if any.
fn compare(file: &str, text: &str) -> Option<String> {
    let path = Path::new(FOLDER).join(file);
    let golden = match fs::read_to_string(&path) {
        // A checkout may change the line ends.
        Ok(golden) => golden.replace("\r\n", "\n"),
        Err(error) => return Some(format!("{}: {error}", path.display())),
    };
    let changes = diff(&golden, text);
    match changes.is_empty() {
        true => None,
        false => Some(format!("{}:\n{changes}", path.display())),
    }
}

#[test]
fn the_verilog_of_the_main_blocks_is_known() {
    regenerate();
    let wrong: Vec<String> =
        FILES.iter().filter_map(|(file, circuit)| compare(file, &text(circuit))).collect();
    assert!(
        wrong.is_empty(),
        "the emitted Verilog changed (- was, + is); if it should, PHASECUBE_BLESS=1 takes it over\n{}",
        wrong.join("\n")
    );
}

#[test]
fn no_golden_file_is_left_over() {
    regenerate();
    let expected: BTreeSet<String> = FILES.iter().map(|(file, _)| (*file).into()).collect();
    let found: BTreeSet<String> = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_changed_line_is_found_and_shown() {
    regenerate();
    let (file, circuit) = FILES[2];
    let changed = text(circuit).replacen("assign", "assing", 1);
    let message = compare(file, &changed).expect("the text differs");
    assert!(message.contains("\n-") && message.contains("assing"), "{message}");
    let message = compare("no_such_file.v", &changed).expect("there is no file");
    assert!(message.contains("no_such_file.v"), "{message}");
}
