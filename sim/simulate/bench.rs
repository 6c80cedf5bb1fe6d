//! `bench --verilog`: both engines have the same outputs in each lane, whose inputs and programs
//! differ.

use super::{folder, write_table, COUNTER, TABLE};
use crate::command_line::program::{refused_in, with_tools, CallResult};
use serde_json::Value;
use std::path::Path;

fn example(name: &str) -> String {
    format!("{}/examples/verilog/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn rows(dir: &Path, arguments: &str) -> Vec<Value> {
    let mut command = with_tools(dir);
    command.arg("bench").args(arguments.split_whitespace()).arg("--json");
    let done: CallResult = command.output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    serde_json::from_str(&done.stdout).unwrap()
}

/// Returns the fingerprint of lanes with these signatures.
fn fingerprint(signatures: &[u64]) -> String {
    let mix = |hash: u64, word: &u64| (hash ^ word).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", signatures.iter().fold(0xcbf2_9ce4_8422_2325, mix))
}

#[test]
#[ignore = "thorough: yosys and Verilator"]
fn rows_have_the_fingerprints_of_their_lanes() {
    let dir = folder();
    let found = rows(dir.path(), "--verilog counter.v --lanes 1,70 --clocks 500 --seed 3");
    let column =
        |key: &str| -> Vec<String> { found.iter().map(|row| row[key].to_string()).collect() };
    assert_eq!(column("lanes"), ["1", "1", "70", "70", "70", "70"]);
    assert_eq!(column("threads"), ["1", "1", "1", "2", "1", "2"]);
    let prints = column("fingerprint");
    assert_eq!(prints[0], prints[1]);
    assert!(prints[2..].iter().all(|print| *print == prints[2] && *print != prints[0]));
    assert!(found.iter().all(|row| row["start_seconds"].as_f64() > Some(0.0)));

    let falling = COUNTER.replace("posedge", "negedge");
    std::fs::write(dir.path().join("falling.v"), falling).unwrap();
    let found = rows(dir.path(), "--verilog falling.v --lanes 3 --clocks 90 --seed 5");
    assert_eq!(found.len(), 4);

    // Without a seed all inputs are 0, as in `simulate`.
    let found = rows(dir.path(), "--verilog counter.v --lanes 1 --clocks 300");
    let said = super::json(dir.path(), "--clocks 300");
    let signature = u64::from_str_radix(said["signatures"][0].as_str().unwrap(), 16).unwrap();
    assert_eq!(found[0]["fingerprint"], fingerprint(&[signature]).as_str());
}

/// Both engines find included files, macros and parameters, and the memory of a module with
/// parameters.
#[test]
#[ignore = "thorough: yosys and Verilator"]
fn rows_have_the_parameters_of_the_design() {
    let dir = folder();
    write_table(dir.path());
    std::fs::write(dir.path().join("ones.hex"), "11\n".repeat(8)).unwrap();
    let print = |flags: &str| {
        let design = format!("--verilog counter.v {flags} --lanes 3 --clocks 40 --seed 4");
        let found = rows(dir.path(), &design);
        assert_eq!(found.len(), 4);
        found[0]["fingerprint"].to_string()
    };
    let table = print(TABLE);
    assert_ne!(table, print(&TABLE.replace("W=8", "W=4")));
    assert_ne!(table, print(&TABLE.replace("-D MORE", "")));
    let program = "--program-memory words --program ones.hex";
    assert_ne!(table, print(&format!("{TABLE} {program}")));
}

#[test]
#[ignore = "thorough: yosys and Verilator"]
fn lanes_run_their_own_programs() {
    let dir = folder();
    let source = std::fs::read_to_string(example("soc.v")).unwrap();
    let public = source.replace("memory [0:1023];", "memory [0:1023] /* verilator public */;");
    assert_ne!(source, public);
    std::fs::write(dir.path().join("soc.v"), public).unwrap();
    let design = format!(
        "--verilog soc.v {} --top soc --program-memory memory --lanes 6 --clocks 3000",
        example("rv32i.v")
    );
    let programs = |names: &[&str]| -> String {
        let paths = names.iter().map(|name| example(&format!("programs/{name}.hex")));
        paths.collect::<Vec<_>>().join(" ")
    };
    let print = |names: &[&str]| {
        let found = rows(dir.path(), &format!("{design} --program {}", programs(names)));
        assert_eq!(found.len(), 4);
        found[0]["fingerprint"].to_string()
    };
    let several = print(&["primes", "collatz", "sort", "crc"]);
    assert_ne!(several, print(&["primes", "collatz", "crc", "sort"]));
    assert_ne!(several, print(&["primes"]));
}

/// Returns the first words that a program shows at `out`. Verilator shows the same.
fn shown(program: &str, clocks: u32) -> Vec<u32> {
    let dir = folder();
    let source = std::fs::read_to_string(example("soc.v")).unwrap();
    let memory = "reg [31:0] memory [0:1023];";
    assert!(source.contains(memory));
    let source =
        source.replace(memory, &format!("{memory}\ninitial $readmemh(\"p.hex\", memory);"));
    std::fs::write(dir.path().join("soc.v"), source).unwrap();
    let hex = example(&format!("programs/{program}.hex"));
    std::fs::copy(hex, dir.path().join("p.hex")).unwrap();
    let mut command = with_tools(dir.path());
    let clocks = clocks.to_string();
    command.args(["simulate", "soc.v", &example("rv32i.v"), "--top", "soc"]);
    command.args(["--clocks", &clocks, "--check", "--out", "-"]);
    let done: CallResult = command.output().unwrap().into();
    assert_eq!(done.code, Some(0), "{done:?}");
    let rows = done.stdout.lines().skip(1).map(|line| -> Vec<&str> { line.split(',').collect() });
    let rows: Vec<_> = rows.filter(|row| row.len() == 5).collect();
    let word = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    // `toggle` changes with each word.
    let changes = rows.windows(2).filter(|pair| pair[0][3] != pair[1][3]);
    changes.map(|pair| word(pair[1][2])).collect()
}

#[test]
#[ignore = "thorough: yosys and Verilator"]
fn programs_show_their_results() {
    let is_prime = |n: &u32| (2..*n).all(|divisor| !n.is_multiple_of(divisor));
    let primes: Vec<u32> = (2..).filter(is_prime).take(9).collect();
    assert_eq!(shown("primes", 6_000)[..9], primes);

    let steps = |start: u32| {
        let (mut number, mut steps) = (start, 0);
        while number != 1 {
            number = [number / 2, 3 * number + 1][number as usize % 2];
            steps += 1;
        }
        steps
    };
    let collatz: Vec<u32> = (1..12).map(steps).collect();
    assert_eq!(shown("collatz", 6_000)[..11], collatz);

    let mut state = 1u32;
    let mut words = [(); 16].map(|()| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    });
    words.sort();
    assert_eq!(shown("sort", 9_000)[..16], words);

    let text = std::fs::read_to_string(example("programs/crc.hex")).unwrap();
    let program = text.lines().filter_map(|line| u32::from_str_radix(line.get(..8)?, 16).ok());
    let mut crc = !0u32;
    let crcs = program.flat_map(u32::to_le_bytes).map(|byte| {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
        }
        !crc
    });
    let crcs: Vec<u32> = crcs.take(20).collect();
    assert_eq!(shown("crc", 6_000)[..20], crcs);
}

#[test]
fn flags_of_machines_and_missing_files_are_refused() {
    let dir = folder();
    let refuse = |line: &str, says: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        refused_in(dir.path(), 2, &words, says);
    };
    refuse("bench --verilog missing.v", "cannot read missing.v");
    refuse("bench --verilog counter.v --dims 4", "--dims");
    refuse("bench --verilog counter.v --firmware none", "--firmware");
    refuse("bench --verilog counter.v --program counter.v", "--program-memory");
    refuse("bench --top counter", "--verilog");
    refuse("bench -D WIDTH=8", "--verilog");
    refuse("bench --verilog counter.v --param W=8", "--top");
}

/// A memory that does not exist or is too small is named before Verilator compiles anything.
#[test]
#[ignore = "thorough: yosys"]
fn programs_without_room_are_refused() {
    let dir = folder();
    std::fs::write(dir.path().join("long.hex"), "13\n".repeat(1025)).unwrap();
    for (memory, program) in [("memry", example("programs/crc.hex")), ("memory", "long.hex".into())]
    {
        let line = format!(
            "bench --verilog {} {} --top soc --lanes 1 --program-memory {memory} --program {program}",
            example("soc.v"),
            example("rv32i.v")
        );
        let done: CallResult =
            with_tools(dir.path()).args(line.split(' ')).output().unwrap().into();
        assert_eq!(done.code, Some(2), "{done:?}");
        let says = format!(
            "there is no memory {memory} for the programs; accepted: core.registers, memory,"
        );
        assert!(done.stderr.contains(&says), "{done:?}");
    }
}
