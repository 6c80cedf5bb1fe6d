//! Truncated files.

use crate::waves::file::WaveFile;
use crate::waves::machine::{messages, RecordingSettings, SmallCube};
use std::fs;

/// A VCD that ends after any line shows the same values as the complete one up to there.
#[test]
fn a_truncated_vcd_can_be_read() {
    let small = SmallCube::new::<2>(true);
    let dir = tempfile::tempdir().unwrap();
    let (whole, cut) = (dir.path().join("whole.vcd"), dir.path().join("cut.vcd"));
    let watches = ["node[2].uart.*", "link[*].*"];
    let shot = RecordingSettings {
        path: &whole,
        watches: &watches,
        phases: 0..3,
    };
    let mut engine = small.lockstep(&small.choose(&watches));
    small.record(&mut engine, &messages(small.cube), &shot);
    let bytes = fs::read(&whole).unwrap();
    let full = WaveFile::open(&whole);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let header = text.find("$enddefinitions $end").unwrap() + 30;
    let mut some = 0;
    for end in (header..bytes.len()).step_by(bytes.len() / 23) {
        let end = end + text[end..].find('\n').unwrap() + 1;
        fs::write(&cut, &bytes[..end]).unwrap();
        let wave = WaveFile::open(&cut);
        for name in full.names() {
            let (mut all, mut there) = (full.changes(name), wave.changes(name));
            // The last clock cycle may be incomplete.
            let last = wave.end();
            all.retain(|(time, _)| *time < last);
            there.retain(|(time, _)| *time < last);
            assert_eq!(there, all, "{name} of a file of {end} bytes");
            some += there.len();
        }
    }
    assert!(some > 1_000, "{some}");
}
