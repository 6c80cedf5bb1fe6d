//! `core-test`: the verdict on every program, its output and signature, and files that are no
//! programs.

use crate::command_line::elf::{program, Elf};
use crate::command_line::program::{call, refused_in};
use std::fs;

// lui x1, 0x80000; addi x2, x0, N; sw x2, 0(x1)
const LUI: u32 = 0x8000_00B7;
const SW: u32 = 0x0020_A023;
const fn value(n: u32) -> u32 {
    n << 20 | 0x113
}

#[test]
fn every_verdict_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    // jal x0, 0x204; 0x204: nop; 0x208: lw x1, 0x40(x0); 0x20C: beq x1, x0, -4
    let polls = [&[0x2040_006F][..], &[0; 0x80], &[0x13, 0x0400_2083, 0xFE00_8EE3]].concat();
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
        ("polls", &polls),
    ] {
        program(words).write(dir.path(), name);
    }
    let names = ["pass", "fail", "unclear", "halts", "sleeps", "outside", "loops", "polls"];
    let args = [&["core-test", "--watchdog", "1000"][..], &names].concat();
    let done = call(dir.path(), &args);
    assert_eq!(
        done.stdout,
        "\
PASS pass, 2 instructions, 14 clock cycles
FAIL fail: test 7
FAIL unclear: the verdict 0x00000002 is neither 1 (pass) nor (test << 1) | 1
FAIL halts: halted at 0x00000004: ebreak (0x00100073)
FAIL sleeps: asleep after 0x00000004, with nothing to wake it
FAIL outside: access to 0x00010000 at 0x00000004, where there is no memory
FAIL loops: no verdict within 1000 clock cycles; now at 0x00000000 (0x0000006F), for 1000 clock cycles nowhere else, reading nothing
FAIL polls: no verdict within 1000 clock cycles; now at 0x00000208 (0x04002083), for 993 clock cycles from 0x00000204 to 0x0000020C, reading 0x00000040
"
    );
    assert_eq!(
        done.stderr,
        "error: 7 of 8 programs failed: fail, unclear, halts, sleeps, outside, loops, polls\n"
    );
    assert_eq!(done.code, Some(1));
    let done = call(dir.path(), &["core-test", "pass", "pass"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    assert_eq!(done.stdout.lines().count(), 2);
}

/// A program that reads its own loaded words, and zeros after them.
#[test]
fn segments_are_loaded_with_zeros_after_them() {
    let dir = tempfile::tempdir().unwrap();
    // lw x3, 24(x0); lw x4, 28(x0); add x2, x3, x4; lui x1, 0x80000; sw; loop; 1
    let words = [0x0180_2183, 0x01C0_2203, 0x0041_8133, LUI, SW, 0x6F, 1];
    let mut elf = program(&words);
    elf.memory_size = 0x1_0000;
    elf.write(dir.path(), "zeros");
    let done = call(dir.path(), &["core-test", "zeros"]);
    assert_eq!(done.stdout, "PASS zeros, 4 instructions, 24 clock cycles\n");
}

/// A program's output precedes its verdict. Its signature is the final contents of its memory, as
/// words in hexadecimal.
#[test]
fn programs_print_and_leave_a_signature() {
    let dir = tempfile::tempdir().unwrap();
    // lui x1, 0x80000; addi x2, x0, 'h'; sb x2, 4(x1); addi x2, x0, 'i'; sw x2, 4(x1);
    // sw x2, 44(x0); addi x2, x0, 1; sw x2, 0(x1)
    let words = [
        LUI,
        value(0x68),
        0x0020_8223,
        value(0x69),
        0x0020_A223,
        0x0220_2623,
        value(1),
        SW,
        0x0123_4567,
        0x89AB_CDEF,
        0,
        0,
        0,
    ];
    let mut elf = program(&words);
    elf.write(dir.path(), "bare");
    elf.symbols = vec![("begin_signature", 32), ("end_signature", 48)];
    elf.write(dir.path(), "signed");
    let done = call(dir.path(), &["core-test", "signed", "--signature", "s"]);
    assert_eq!(done.stdout, "hi\nPASS signed, 7 instructions, 37 clock cycles\n");
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    let signature = fs::read_to_string(dir.path().join("s")).unwrap();
    assert_eq!(signature, "01234567\n89abcdef\n00000000\n00000069\n");
    // A program that does not end writes no signature.
    fs::remove_file(dir.path().join("s")).unwrap();
    let args = ["core-test", "signed", "--signature", "s", "--watchdog", "20"];
    assert_eq!(call(dir.path(), &args).code, Some(1));
    assert!(!dir.path().join("s").exists());

    let refused = |args: &[&str], says: &str| {
        let args = [&["core-test", "--signature", "s"], args].concat();
        let done = call(dir.path(), &args);
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.stderr.contains(says), "{done:?}");
    };
    refused(&["bare"], "bare: it has no symbol begin_signature");
    refused(&["signed", "signed"], "accepted: one program");
    elf.symbols = vec![("begin_signature", 48), ("end_signature", 0x1_0004)];
    elf.write(dir.path(), "long");
    refused(&["long"], "long: its signature is from 0x00000030 to 0x00010004");
}

/// A program of 100 KB, with the memory it needs and with the maximum.
#[test]
fn the_memory_has_the_requested_size() {
    let dir = tempfile::tempdir().unwrap();
    // lui x3, 0x19; lw x2, 0(x3); lui x1, 0x80000; sw x2, 0(x1); the last word is 1
    let mut words = vec![0x0001_91B7, 0x0001_A103, LUI, SW];
    words.resize(0x1_9000 / 4, 0);
    words.push(1);
    program(&words).write(dir.path(), "large");
    let done = call(dir.path(), &["core-test", "large"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("large: it does not fit"), "{done:?}");
    for memory in ["0x20000", "16777216"] {
        let done = call(dir.path(), &["core-test", "large", "--memory", memory]);
        assert_eq!(done.stdout, "PASS large, 3 instructions, 19 clock cycles\n", "{done:?}");
    }
    for memory in ["0", "6", "16777220", "1M"] {
        refused_in(dir.path(), 2, &["core-test", "large", "--memory", memory], "accepted");
    }
}

/// A bad file does not stop the others, and all bad files are listed at the end.
#[test]
fn a_bad_file_does_not_stop_the_others() {
    let dir = tempfile::tempdir().unwrap();
    program(&[LUI, value(1), SW]).write(dir.path(), "good");
    program(&[LUI, value(15), SW]).write(dir.path(), "fails");
    fs::write(dir.path().join("text"), "no program").unwrap();
    let args = ["core-test", "missing", "good", "text", "fails", "good"];
    let done = call(dir.path(), &args);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert!(lines[0].starts_with("BAD missing: it cannot be read"), "{done:?}");
    let rest = [
        "PASS good, 2 instructions, 14 clock cycles",
        "BAD text: it is not an ELF file",
        "FAIL fails: test 7",
        "PASS good, 2 instructions, 14 clock cycles",
    ];
    assert_eq!(lines[1..], rest, "{done:?}");
    let start = "error: 2 of 5 files cannot be loaded: missing: it cannot be read";
    assert!(done.stderr.starts_with(start), "{done:?}");
    let end = "; text: it is not an ELF file; and 1 of 3 programs failed: fails\n";
    assert!(done.stderr.ends_with(end), "{done:?}");
    assert_eq!(done.code, Some(2), "{done:?}");
}

/// All reasons for which a file is no program.
#[test]
fn files_that_are_no_program_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let good = || program(&[LUI, value(1), SW]);
    good().write(dir.path(), "good");
    let refused = |name: &str, says: &str| {
        let done = call(dir.path(), &["core-test", "good", name]);
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.stdout.starts_with("PASS good"), "{done:?}");
        assert!(done.stderr.contains(says), "{done:?}");
    };
    refused("missing", "missing: it cannot be read");
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
    refused_in(dir.path(), 2, &["core-test", "--watchdog", "0", "good"], "0");
}
