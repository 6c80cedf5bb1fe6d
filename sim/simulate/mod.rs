//! `phasecube simulate`: the user's Verilog in many lanes. Imported circuits equal their own
//! netlists, and Verilator on random modules.

mod bench;
mod random_modules;
mod user_core;

use crate::command_line::program::{assert_rejected, program, refused_in, with_tools, CallResult};
use hdl::verilog::emit;
use import::{import, YosysJob};
use lockstep::design::SignalKind;
use lockstep::eval::Evaluator;
use lockstep::netlist::flatten;
use num_bigint::BigUint;
use phasecube::machine::catalog::CatalogEntry;
use phasecube::toolchain::Toolchain;
use phasecube::traffic::SplitMix64;
use serde_json::Value;
use std::path::Path;

/// Counts up by `step` while `en` is high, modulo 2^W. `done` while all bits are set.
const COUNTER: &str = "\
module counter #(parameter W = 4) (
    input clk, input en, input [1:0] step, output reg [W-1:0] count, output done
);
    initial count = 5;
    always @(posedge clk) if (en) count <= count + step;
    assign done = &count;
    parity inner (.clk(clk), .word({4'd0, count}), .odd());
endmodule

module parity (input clk, input [7:0] word, output reg odd);
    always @(posedge clk) odd <= ^word;
endmodule
";

/// Returns a folder with the counter.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("counter.v"), COUNTER).unwrap();
    dir
}

fn simulate(dir: &Path, arguments: &str) -> CallResult {
    let mut command = with_tools(dir);
    command.args(["simulate", "counter.v"]);
    command.args(arguments.split_whitespace()).output().unwrap().into()
}

fn json(dir: &Path, arguments: &str) -> Value {
    let done = simulate(dir, &format!("{arguments} --json"));
    assert_eq!(done.code, Some(0), "{done:?}");
    serde_json::from_str(&done.stdout).unwrap()
}

/// Constant inputs, and inputs from a file for all lanes and for one.
#[test]
#[ignore = "thorough: yosys"]
fn inputs_reach_their_lanes_in_their_clock_cycles() {
    let dir = folder();
    let done = simulate(dir.path(), "--clocks 4 --set en=1 --set step=3 --out -");
    let expected = "clock,lane,count,done\n0,0,0x5,0x0\n1,0,0x8,0x0\n2,0,0xb,0x0\n3,0,0xe,0x0\n";
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), expected), "{done:?}");
    let rows = "clock,lane,en,step\n0,,1,1\n3,1,0,\n5,,,0x2\n";
    std::fs::write(dir.path().join("in.csv"), rows).unwrap();
    let report = json(
        dir.path(),
        "--top counter --param W=12 --lanes 3 --clocks 8 --in in.csv --lane 0 --lane 1",
    );
    // Five steps of one and three of two. Lane 1 stops after three steps.
    let count = |lane: usize| report["outputs"][lane]["values"][0][1].as_str().unwrap().to_owned();
    assert_eq!([count(0), count(1)], ["0x10", "0x8"]);
    let signatures = report["signatures"].as_array().unwrap();
    assert_eq!(signatures.len(), 3);
    assert_eq!(signatures[0], signatures[2]);
    assert_ne!(signatures[0], signatures[1]);
    assert_eq!(
        (report["clock"].as_str(), report["clocks"].as_u64()),
        (Some("posedge clk"), Some(8))
    );
}

/// Each lane's clock cycle is a sum of its random steps, and Verilator confirms every output.
#[test]
#[ignore = "thorough: yosys and Verilator"]
fn random_inputs_end_and_are_checked() {
    let dir = folder();
    let run = "--top counter --param W=7 --lanes 70 --clocks 300 --seed 3";
    let report = json(dir.path(), &format!("{run} --until done"));
    let until = report["until"].as_array().unwrap();
    assert_eq!(until.len(), 70);
    // At most three steps per clock cycle lead from 5 to 127.
    let reached: Vec<u64> = until.iter().filter_map(Value::as_u64).collect();
    assert!(!reached.is_empty() && reached.iter().all(|clock| *clock >= 41), "{until:?}");
    let report = json(dir.path(), &format!("{run} --check"));
    assert_eq!(report["checked"].as_u64(), Some(70 * 300 * 2));
}

/// A delay is refused if it is in a module of the design, after macros and in included files too.
#[test]
#[ignore = "thorough: yosys"]
fn delays_are_refused_with_their_places() {
    let dir = folder();
    let path = dir.path().join("counter.v");
    let source = COUNTER.replace("count <= count", "count <= `AFTER count");
    let ignored = "`ifdef SLOW\ninitial #3 $finish;\n`endif\n";
    let bench = "module bench;\nwire w;\nassign #7 w = 1;\nendmodule\n";
    let source = format!("`include \"after.vh\"\n{source}{bench}")
        .replace("    assign done", &format!("{ignored}    assign done"));
    std::fs::write(&path, source).unwrap();
    let include = |text: &str| std::fs::write(dir.path().join("after.vh"), text).unwrap();
    include("`define AFTER\n");
    assert!(json(dir.path(), "--top counter --clocks 2")["warnings"]
        .as_array()
        .unwrap()
        .is_empty());
    include("`define AFTER #1\n");
    let done = simulate(dir.path(), "--top counter --clocks 2");
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (
            Some(2),
            "error: counter.v:6: a delay; accepted: a design without delays, whose signals change \
             only at clock edges, or --ignore-delays\n"
        )
    );
    let said = json(dir.path(), "--top counter --clocks 2 --ignore-delays");
    assert_eq!(said["warnings"][0].as_str(), Some("counter.v:6: the delay is ignored"));
}

/// Flags of the design that [`write_table`] writes.
const TABLE: &str = "-I include -D COUNT=8 -D MORE --top table_of --param W=8";

/// Writes `counter.v`, a module with an included file, macros, a parameter, and a file of
/// `$readmemh`.
fn write_table(dir: &Path) {
    std::fs::create_dir_all(dir.join("include")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    write("include/words.vh", "localparam WORDS = `COUNT;\n");
    write("words.hex", "11 22\n33\n7F 80 81 01 FE\n");
    write(
        "counter.v",
        "module table_of #(parameter W = 1) (input clk, input [2:0] a, output reg [W-1:0] q);\n\
         `include \"words.vh\"\nreg [W-1:0] words [0:WORDS-1];\n\
         initial $readmemh(\"words.hex\", words);\n\
         always @(posedge clk) q <= words[a] + `ifdef MORE 1 `else 0 `endif;\nendmodule\n",
    );
}

/// The comparison with Verilator finds included files, macros, parameters and the files of
/// `$readmemh`.
#[test]
#[ignore = "thorough: yosys and Verilator"]
fn checks_find_the_files_of_the_sources() {
    let dir = folder();
    write_table(dir.path());
    let run = format!("{TABLE} --seed 4 --clocks 40");
    let said = json(dir.path(), &format!("{run} --lanes 3 --check"));
    assert_eq!(said["checked"].as_u64(), Some(3 * 40));
    let done = simulate(dir.path(), &format!("{run} --out -"));
    let values: std::collections::BTreeSet<&str> =
        done.stdout.lines().skip(2).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert!(values.contains("0x12") && values.contains("0xff"), "{values:?}");
}

/// Inner signals have their names in the source.
#[test]
#[ignore = "thorough: yosys"]
fn waves_have_the_hierarchy_of_the_source() {
    let dir = folder();
    for file in ["wave.vcd", "wave.fst"] {
        let run = format!("--clocks 6 --set en=1 --set step=1 --wave {file}");
        let done = simulate(dir.path(), &run);
        assert_eq!(done.code, Some(0), "{done:?}");
        let mut wave = wellen::simple::read(dir.path().join(file)).unwrap();
        let hierarchy = wave.hierarchy();
        let count = hierarchy.lookup_var(&["lane0"], &"count").unwrap();
        assert!(hierarchy.lookup_var(&["lane0", "inner"], &"word").is_some());
        let signal = hierarchy[count].signal_ref();
        wave.load_signals(&[signal]);
        let changes = wave.get_signal(signal).unwrap().iter_changes();
        let values: Vec<String> =
            changes.map(|(_, value)| value.to_bit_string().unwrap()).collect();
        assert_eq!(values, ["0101", "0110", "0111", "1000", "1001", "1010"]);
    }
}

#[test]
#[ignore = "thorough: yosys"]
fn wrong_sources_and_signals_are_refused() {
    let dir = folder();
    let error_of = |arguments: &str| {
        let done = simulate(dir.path(), arguments);
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{done:?}");
        done.stderr
    };
    assert!(error_of("--until dome").contains("no signal dome; accepted: done"));
    assert!(error_of("--set stp=1").contains("no input stp; accepted: en, step"));
    assert!(error_of("--set en=2").contains("2 is no value of the input en"));
    assert!(error_of("--top missing").starts_with("error: counter.v: Module `missing' not found"));
    std::fs::write(dir.path().join("in.csv"), "clock,en\n0,1\n1,x\n").unwrap();
    assert!(error_of("--in in.csv").contains("line 3: x is no value of the input en"));
    std::fs::write(dir.path().join("counter.v"), "module counter (input a;\nendmodule\n").unwrap();
    assert!(error_of("").starts_with("error: counter.v:1: syntax error"));
    // `cost` reports errors in the user's file in the same way.
    let cost = |source: &str, says: &str| {
        std::fs::write(dir.path().join("c d.v"), source).unwrap();
        let words = ["cost", "--verilog", "c d.v", "--top", "counter"];
        let done: CallResult = with_tools(dir.path()).args(words).output().unwrap().into();
        assert_rejected(&done, 2, says);
    };
    cost("\nmodule counter (input a;\nendmodule\n", "error: c d.v:2: syntax error");
    cost("", "error: c d.v: Module `counter' not found");
    std::fs::write(dir.path().join("counter.v"), "// nothing\n").unwrap();
    assert!(error_of("").starts_with("error: counter.v: there is no module; accepted: "));
    std::fs::write(dir.path().join("counter.v"), "module a; endmodule module b; endmodule")
        .unwrap();
    let says = "error: counter.v: several of the 2 modules could be the top; accepted: its name";
    assert!(error_of("").starts_with(says));
}

#[test]
fn bad_arguments_are_refused_without_tools() {
    let dir = folder();
    let refuse = |arguments: &str, says: &str| {
        let words: Vec<&str> = arguments.split(' ').collect();
        refused_in(dir.path(), 2, &words, says);
    };
    refuse("simulate missing.v", "cannot read missing.v: ");
    refuse("simulate counter.v --lanes 65537", "65536");
    refuse("simulate counter.v --lane 1", "--lane 1 does not exist; accepted: 0 to 0");
    refuse("simulate counter.v --top 1x", "accepted: a Verilog identifier");
    refuse("simulate counter.v --top counter --param W", "accepted: NAME=VALUE");
    refuse("simulate counter.v --out counter.v", "--out counter.v");
    let done: CallResult = program(dir.path()).arg("simulate").output().unwrap().into();
    assert_eq!(done.code, Some(2));
}

/// Elaborates a source in a folder and imports it.
fn imported(source: &str, top: Option<&str>, dir: &Path) -> import::Imported {
    std::fs::create_dir_all(dir).unwrap();
    std::fs::write(dir.join("source.v"), source).unwrap();
    let job = YosysJob {
        files: vec!["source.v".into()],
        top: top.map(str::to_owned),
        ..YosysJob::default()
    };
    std::fs::write(dir.join("import.ys"), job.script("import.json")).unwrap();
    let yosys = Toolchain::open().unwrap().yosys().unwrap();
    yosys.run(dir, ["-q", "import.ys"], "yosys.log").unwrap();
    let json = std::fs::read_to_string(dir.join("import.json")).unwrap();
    import(&json).unwrap_or_else(|error| panic!("{top:?}: {error}"))
}

fn random_word(random: &mut SplitMix64, width: u32) -> BigUint {
    let digits = (0..width.div_ceil(32)).map(|_| random.next_u64() as u32);
    BigUint::new(digits.collect()) & ((BigUint::from(1u8) << width) - 1u8)
}

/// Every published design is emitted, elaborated by yosys, imported, and equals its own netlist on
/// random inputs in every clock cycle.
#[test]
#[ignore = "thorough: yosys on every design"]
fn own_designs_equal_their_netlists() {
    let mut random = SplitMix64::new(11);
    for entry in CatalogEntry::published() {
        let design = entry.default_design().unwrap();
        let verilog = emit(&design);
        let dir = tempfile::tempdir().unwrap();
        let found = imported(&verilog.to_string(), Some(verilog.top()), dir.path()).netlist;
        let mine = flatten(&design).unwrap();
        // The ports of both, in the order of the design.
        let names = verilog.top_module().ports.iter();
        let ports = design.top().ports().zip(names).map(|((_, signal), name)| {
            let path = &signal.name;
            match signal.kind {
                SignalKind::Input => (true, mine.input(path), found.input(name)),
                _ => (false, mine.output(path), found.output(name)),
            }
        });
        let ports: Vec<_> = ports.collect();
        let mut engines = [&mine, &found].map(|netlist| Evaluator::new(netlist.clone()));
        for clock in 0..60 {
            for (_, a, b) in ports.iter().filter(|(is_input, ..)| *is_input) {
                let (a, b) = (a.unwrap(), b.unwrap());
                let value = random_word(&mut random, mine.width(a));
                engines[0].set_big(a, &value);
                engines[1].set_big(b, &value);
            }
            engines.iter_mut().for_each(Evaluator::settle);
            for (_, a, b) in ports.iter().filter(|(is_input, ..)| !is_input) {
                let values = [engines[0].get_big(a.unwrap()), engines[1].get_big(b.unwrap())];
                assert_eq!(values[0], values[1], "{} in clock cycle {clock}", entry.name);
            }
            engines.iter_mut().for_each(Evaluator::clock);
        }
    }
}
