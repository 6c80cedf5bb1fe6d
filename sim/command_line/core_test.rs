//! `core-test`: the verdict of every program, and files that are none.

use crate::program::{call, refused_in};
use std::fs;
use std::path::Path;

/// The header of an ELF file with one segment, field by field (System V ABI).
struct Elf {
    class: u8,
    data: u8,
    kind: u16,
    machine: u16,
    entry: u32,
    flags: u32,
    address: u32,
    memory_size: u32,
    words: Vec<u32>,
}

/// An RV32 program, linked at 0.
fn program(words: &[u32]) -> Elf {
    Elf {
        class: 1,
        data: 1,
        kind: 2,
        machine: 243,
        entry: 0,
        flags: 0,
        address: 0,
        memory_size: 4 * words.len() as u32,
        words: words.to_vec(),
    }
}

impl Elf {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0x7F, b'E', b'L', b'F', self.class, self.data, 1];
        bytes.resize(16, 0);
        let half = |bytes: &mut Vec<u8>, half: u16| bytes.extend(half.to_le_bytes());
        let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
        half(&mut bytes, self.kind);
        half(&mut bytes, self.machine);
        for w in [1, self.entry, 52, 0, self.flags] {
            word(&mut bytes, w);
        }
        for h in [52, 32, 1, 40, 0, 0] {
            half(&mut bytes, h);
        }
        let (address, size) = (self.address, 4 * self.words.len() as u32);
        for w in [1, 84, address, address, size, self.memory_size, 7, 4] {
            word(&mut bytes, w);
        }
        self.words.iter().for_each(|w| word(&mut bytes, *w));
        bytes
    }

    fn write(&self, dir: &Path, name: &str) {
        fs::write(dir.join(name), self.bytes()).unwrap();
    }
}

// lui x1, 0x80000; addi x2, x0, N; sw x2, 0(x1)
const LUI: u32 = 0x8000_00B7;
const SW: u32 = 0x0020_A023;
const fn value(n: u32) -> u32 {
    n << 20 | 0x113
}

#[test]
fn every_verdict_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for (name, words) in [
        ("pass", &[LUI, value(1), SW][..]),
        ("fail", &[LUI, value(15), SW]),
        ("unclear", &[LUI, value(2), SW]),
        // nop; ebreak
        ("halts", &[0x13, 0x0010_0073]),
        // nop; wfi
        ("sleeps", &[0x13, 0x1050_0073]),
        // lui x1, 0x10; lw x2, 0(x1)
        ("outside", &[0x0001_00B7, 0x0000_A103]),
        // jal x0, 0
        ("loops", &[0x6F]),
    ] {
        program(words).write(dir.path(), name);
    }
    let names = [
        "pass", "fail", "unclear", "halts", "sleeps", "outside", "loops",
    ];
    let args = [&["core-test", "--watchdog", "1000"][..], &names].concat();
    let done = call(dir.path(), &args);
    assert_eq!(
        done.stdout,
        "\
PASS pass, 2 instructions, 16 clock cycles
FAIL fail: test 7
FAIL unclear: the verdict 0x00000002 is neither 1 (pass) nor (test << 1) | 1
FAIL halts: halted at 0x00000004: ebreak
FAIL sleeps: asleep after 0x00000004, with nothing to wake it
FAIL outside: access to 0x00010000 at 0x00000004, where there is no memory
FAIL loops: no verdict within 1000 clock cycles; now at 0x00000000
"
    );
    assert_eq!(done.stderr, "error: 6 of 7 programs failed\n");
    assert_eq!(done.code, Some(1));
    let done = call(dir.path(), &["core-test", "pass", "pass"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    assert_eq!(done.stdout.lines().count(), 2);
}

/// A program that reads what it was loaded with, and zeros after it.
#[test]
fn segments_are_loaded_with_zeros_after_them() {
    let dir = tempfile::tempdir().unwrap();
    // lw x3, 24(x0); lw x4, 28(x0); add x2, x3, x4; lui x1, 0x80000; sw; loop; 1
    let words = [0x0180_2183, 0x01C0_2203, 0x0041_8133, LUI, SW, 0x6F, 1];
    let mut elf = program(&words);
    elf.memory_size = 0x1_0000;
    elf.write(dir.path(), "zeros");
    let done = call(dir.path(), &["core-test", "zeros"]);
    assert_eq!(done.stdout, "PASS zeros, 4 instructions, 28 clock cycles\n");
}

/// One bad file, and nothing is run.
#[test]
fn files_that_are_no_program_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let good = || program(&[LUI, value(1), SW]);
    good().write(dir.path(), "good");
    let refused = |name: &str, says: &str| {
        refused_in(dir.path(), 2, &["core-test", "good", name], says);
    };
    refused("missing", "missing: cannot be read");
    fs::write(dir.path().join("text"), "no program").unwrap();
    refused("text", "text: it is not an ELF file");
    fs::write(dir.path().join("short"), &good().bytes()[..90]).unwrap();
    refused("short", "short: it is damaged");
    type Change = fn(&mut Elf);
    let changes: [(&str, Change, &str); 9] = [
        ("wide", |e| e.class = 2, "wide: it is an ELF file for a 64-bit machine; accepted: 32-bit RISC-V"),
        ("x86", |e| e.machine = 3, "x86: it is an ELF file for machine 3; accepted"),
        ("object", |e| e.kind = 1, "object: it is not linked"),
        ("high", |e| e.address = 0x8000_0000, "high: it does not fit: 0x80000000 to 0x8000000B is loaded; accepted: 0x00000000 to 0x0000FFFF"),
        ("long", |e| e.memory_size = 0x1_0001, "long: it does not fit: 0x00000000 to 0x00010000"),
        ("huge", |e| e.memory_size = u32::MAX, "huge: it loads 4294967295 bytes in one segment; accepted"),
        ("entry", |e| e.entry = 4, "entry: it begins at 0x00000004; accepted"),
        ("compressed", |e| e.flags = 1, "compressed: it may have compressed instructions; accepted: RV32I"),
        ("empty", |e| e.memory_size = 0, "empty: it "),
    ];
    for (name, change, says) in changes {
        let mut elf = good();
        change(&mut elf);
        elf.write(dir.path(), name);
        refused(name, says);
    }
    refused_in(dir.path(), 2, &["core-test"], "<FILE>...");
    refused_in(
        dir.path(),
        2,
        &["core-test", "--watchdog", "0", "good"],
        "0",
    );
}
