//! Print statements and asynchronous reads have the same text in a test bench, in Icarus Verilog and in
//! Verilator.

use crate::kit::verilator_flags;
use hdl::prelude::*;
use phasecube::toolchain::{ToolHandle, Toolchain};
use std::process::Command;
use testbench::TestBench;

/// Clock cycles to run.
const CYCLES: usize = 200;

/// Prints words of several widths and signs, and a word read asynchronously, from a counter.
#[derive(LogicBlock, Circuit)]
pub struct Talker {
    pub clock: Signal<In, Clock>,
    pub shown: Signal<Out, Bits<12>>,
    count: Reg<Bits<9>>,
    wide: Reg<Bits<100>>,
    words: AsyncMemory<Signed<12>, 4>,
    inner: Inner,
}

/// Prints in a child.
#[derive(LogicBlock, Circuit, Default)]
pub struct Inner {
    pub clock: Signal<In, Clock>,
    pub value: Signal<In, Bits<9>>,
}

impl Logic for Inner {
    #[kernel]
    fn update(&mut self) {
        if self.value.val().get_bits::<3>(0).all() {
            display!("inner {:b} of {}", self.value.val(), self.value.val() == 7);
        }
    }
}

impl Default for Talker {
    fn default() -> Self {
        Talker {
            clock: Signal::default(),
            shown: Signal::default(),
            count: Reg::default(),
            wide: Reg::new(bits(1)),
            words: AsyncMemory::new((0..10i64).map(|n| signed(n * n * 20 - 800))),
            inner: Inner::default(),
        }
    }
}

impl Logic for Talker {
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, count, wide);
        clock!(self, clock, words, inner);
        let count = self.count.q.val();
        self.count.d.next = count + 1;
        self.wide.d.next = (self.wide.q.val() << 3_u64) + 5;
        self.inner.value.next = count;
        self.words.read_address.next = count.get_bits::<4>(0);
        self.words.write_address.next = count.get_bits::<4>(1);
        self.words.write_data.next = self.words.read_data.val() - 3;
        self.words.write_enable.next = count.get_bit(0);
        self.shown.next = self.words.read_data.val().to_unsigned();
        if count.get_bit(1) {
            display!(
                "100% of \"{count}\" is {} = {:x}\t\\",
                self.words.read_data.val(),
                self.words.read_data.val()
            );
            for bit in 0..3 {
                if count.get_bit(bit) {
                    display!("bit {bit}: {:b}", count);
                }
            }
        } else if count == 400 {
            display!("never");
        }
        display!("{} {:x}", self.wide.q.val(), self.wide.q.val());
    }
}

/// Test bench that prints a mark before each clock edge.
fn bench() -> String {
    format!(
        "module bench;
    reg clock = 0;
    wire [11:0] shown;
    integer i;
    talker dut (.clock(clock), .shown(shown));
    initial begin
        for (i = 0; i < {CYCLES}; i = i + 1) begin
            #1 $display(\"cycle %0d\", i);
            #1 clock = 1;
            #1 clock = 0;
        end
        $display(\"cycle end\");
        $finish;
    end
endmodule
"
    )
}

/// Returns the lines of each clock cycle, sorted, because the order of modules is not defined in
/// Verilog.
fn lines_by_cycle(output: &str) -> Vec<Vec<String>> {
    let mut cycles = vec![];
    for cycle in output.split("cycle ").skip(1).take(CYCLES) {
        let mut lines: Vec<String> = cycle.lines().skip(1).map(str::to_owned).collect();
        lines.sort();
        cycles.push(lines);
    }
    cycles
}

fn expected() -> Vec<Vec<String>> {
    let design = lower(&Talker::default()).unwrap();
    let mut evaluator = TestBench::evaluator(&design).unwrap();
    let mut lanes = TestBench::lockstep(&design, 2).unwrap();
    let mut cycles = vec![];
    for bench in [&mut evaluator, &mut lanes] {
        bench.echo(false);
    }
    for _ in 0..CYCLES {
        evaluator.clock().unwrap();
        lanes.clock().unwrap();
        let texts = |bench: &mut TestBench, lane| {
            let lines = bench.take_printed().into_iter();
            let lines = lines.filter(|line| line.lane == lane);
            let mut lines: Vec<String> = lines.map(|line| line.text).collect();
            lines.sort();
            lines
        };
        let lines = texts(&mut evaluator, None);
        assert_eq!(lines, texts(&mut lanes, Some(1)));
        cycles.push(lines);
    }
    cycles
}

#[test]
fn evaluator_and_lanes_print_the_same_lines() {
    let lines = expected().concat();
    assert!(lines.len() > 2 * CYCLES, "{}", lines.len());
    assert!(lines.contains(&"inner 111 of 1".into()));
    assert!(lines.contains(&"100% of \"2\" is -720 = d30\t\\".into()));
}

#[test]
#[ignore = "thorough: Icarus, Verilator"]
fn icarus_and_verilator_print_the_same_lines() {
    let expected = expected();
    let tools = Toolchain::open().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let verilog = hdl::verilog::emit(&lower(&Talker::default()).unwrap()).to_string();
    std::fs::write(dir.path().join("talker.v"), verilog).unwrap();
    std::fs::write(dir.path().join("bench.v"), bench()).unwrap();
    let files = ["talker.v", "bench.v"];
    let run = |tool: ToolHandle, arguments: &[&str]| {
        tool.run(dir.path(), arguments, "tool.log").unwrap().text
    };

    let arguments = [&["-g2001", "-s", "bench", "-o", "bench.vvp"], &files[..]].concat();
    run(tools.iverilog().unwrap(), &arguments);
    let output = run(tools.vvp().unwrap(), &["-n", "bench.vvp"]);
    assert_eq!(lines_by_cycle(&output), expected, "Icarus");

    let verilator = tools.verilator().unwrap();
    let flags = verilator_flags(&verilator);
    let flags = flags.strip_prefix("VERILATOR_FLAGS=").unwrap();
    let mut arguments = vec!["--binary", "--timing", "-Wno-fatal", "-Wno-lint"];
    arguments.extend(["--Mdir", "v", "--top-module", "bench"]);
    arguments.extend(flags.split_whitespace());
    arguments.extend(files);
    run(verilator, &arguments);
    let output = Command::new(dir.path().join("v/Vbench")).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines_by_cycle(&output), expected, "Verilator");
}
