//! Random Verilog modules: the imported netlist against Verilator and Icarus Verilog, in every clock
//! cycle.

use super::{imported, random_word};
use lockstep::eval::Evaluator;
use num_bigint::BigUint;
use phasecube::toolchain::{PortSpec, Toolchain};
use phasecube::traffic::SplitMix64;
use std::fmt::Write;

/// Modules, and modules that are compiled together.
const MODULES: usize = 1000;
const BATCH: usize = 50;

/// Clock cycles of each module.
const CLOCKS: usize = 60;

/// Widths of the inputs `i0`, `i1`, .. of every module. Narrow ones number bits.
const INPUTS: [u32; 7] = [1, 3, 6, 8, 17, 33, 70];

struct Generator {
    random: SplitMix64,
    /// Names and widths of the words that an expression can read.
    words: Vec<(String, u32)>,
}

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit as u64) as usize
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn word(&mut self) -> (String, u32) {
        let position = self.below(self.words.len());
        self.words[position].clone()
    }

    /// Returns an expression with up to `depth` operators above each other.
    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.operand();
        }
        let [a, b] = [0; 2].map(|_| self.below(depth as usize) as u32);
        match self.below(16) {
            0 => {
                let op = self.pick(&["~", "-", "!", "&", "|", "^", "~^", "~&"]);
                format!("({op}{})", self.expression(a))
            }
            1 => format!(
                "({} ? {} : {})",
                self.expression(a),
                self.expression(b),
                self.expression(a)
            ),
            2 => format!("{{{}, {}}}", self.sized(), self.sized()),
            3 => format!("{{{}{{{}}}}}", 1 + self.below(3), self.sized()),
            4 => format!("$signed({})", self.expression(a)),
            5 => format!("$unsigned({})", self.expression(a)),
            6 => {
                // A divisor that is not 0 and not negative.
                let op = self.pick(&["/", "%"]);
                format!("({} {op} {})", self.expression(a), 1 + self.below(9))
            }
            7 => {
                // Verilator 5.048 adds the amounts of a shifted shift in too few bits.
                let op = self.pick(&["<<", ">>", "<<<", ">>>"]);
                format!("({} {op} i{})", self.operand(), self.below(3))
            }
            _ => {
                let op = self.pick(&[
                    "+", "-", "*", "&", "|", "^", "~^", "==", "!=", "<", "<=", ">", ">=", "&&",
                    "||", "+", "-", "&",
                ]);
                format!("({} {op} {})", self.expression(a), self.expression(b))
            }
        }
    }

    fn operand(&mut self) -> String {
        match self.below(8) {
            0 => {
                let width = 1 + self.below(20);
                let value = self.random.next_u64() & ((1 << width) - 1);
                let sign = self.pick(&["", "s"]);
                format!("{width}'{sign}h{value:x}")
            }
            1 => format!("$signed({})", self.word().0),
            2 => {
                let (name, width) = self.word();
                match width {
                    1 => name,
                    _ => format!("{name}[{}]", self.below(width as usize)),
                }
            }
            3 => {
                let (name, width) = self.word();
                let low = self.below(width as usize);
                let high = low + self.below(width as usize - low);
                match width {
                    1 => name,
                    _ => format!("{name}[{high}:{low}]"),
                }
            }
            // Every index of i0 to i2 exists in these.
            4 => format!("i6[i{}]", self.below(3)),
            5 => format!("i6[i{} +: {}]", self.below(2), 1 + self.below(9)),
            _ => self.word().0,
        }
    }

    /// Returns a word of known width, as a concatenation needs it.
    fn sized(&mut self) -> String {
        self.word().0
    }

    /// Returns a module with wires, registers of several kinds and a memory.
    fn module(&mut self, name: &str) -> String {
        self.words =
            INPUTS.iter().enumerate().map(|(i, width)| (format!("i{i}"), *width)).collect();
        let (mut body, mut clocked) = (String::new(), String::new());
        let mut outputs = vec![];
        let registers = self.below(4);
        for i in 0..registers {
            let width = 1 + self.below(40) as u32;
            let sign = self.pick(&["", "signed "]);
            let init = self.random.next_u64() & ((1 << width) - 1);
            let _ = writeln!(body, "    reg {sign}[{}:0] r{i} = {width}'h{init:x};", width - 1);
            self.words.push((format!("r{i}"), width));
            outputs.push((format!("r{i}"), width));
        }
        if self.below(2) == 0 {
            let width = 1 + self.below(20) as u32;
            let _ = writeln!(
                body,
                "    reg [{}:0] m [0:7];\n    reg [{}:0] read = 1;\n    integer k;\n    \
                 initial for (k = 0; k < 8; k = k + 1) m[k] = k * 37;",
                width - 1,
                width - 1
            );
            let _ = writeln!(body, "    wire [{}:0] now = m[i1];", width - 1);
            let _ = writeln!(clocked, "        if (i0) m[i1] <= {};", self.expression(2));
            let _ =
                writeln!(clocked, "        {}read <= m[i2[2:0]];", self.pick(&["", "if (i1[0]) "]));
            for word in ["read", "now"] {
                self.words.push((word.into(), width));
                outputs.push((word.into(), width));
            }
        }
        for i in 0..1 + self.below(4) {
            let width = 1 + self.below(80) as u32;
            let sign = self.pick(&["", "signed "]);
            let value = self.expression(4);
            let _ = writeln!(body, "    wire {sign}[{}:0] w{i} = {value};", width - 1);
            self.words.push((format!("w{i}"), width));
            outputs.push((format!("w{i}"), width));
        }
        for i in 0..registers {
            let (condition, value, other) =
                (self.expression(2), self.expression(3), self.expression(2));
            let _ = match self.below(4) {
                0 => writeln!(clocked, "        r{i} <= {value};"),
                1 => writeln!(clocked, "        if ({condition}) r{i} <= {value};"),
                2 => writeln!(clocked, "        if ({condition}) r{i} <= 1; else if (i0) r{i} <= {value};"),
                _ => writeln!(
                    clocked,
                    "        case (i1)\n            0, 3: r{i} <= {value};\n            5: r{i} <= {other};\n            \
                     default: if (i0) r{i} <= r{i} + 1;\n        endcase"
                ),
            };
        }
        let mut ports = INPUTS
            .iter()
            .enumerate()
            .map(|(i, width)| format!("input [{}:0] i{i}", width - 1))
            .collect::<Vec<_>>();
        let width: u32 = outputs.iter().map(|(_, width)| width).sum();
        ports.push(format!("output [{}:0] all", width - 1));
        let names: Vec<&str> = outputs.iter().map(|(name, _)| name.as_str()).collect();
        format!(
            "module {name} (input clk, {});\n{body}    always @(posedge clk) begin\n{clocked}    end\n    \
             assign all = {{{}}};\nendmodule\n",
            ports.join(", "),
            names.join(", ")
        )
    }
}

/// Returns a source with modules side by side, its top, and the widths of its outputs.
fn batch(random: &mut SplitMix64, number: usize) -> (String, String, Vec<u32>) {
    let mut source = String::new();
    let (mut instances, mut ports, mut widths) = (String::new(), vec![], vec![]);
    for i in 0..BATCH {
        let mut generator = Generator { random: SplitMix64::new(random.next_u64()), words: vec![] };
        let module = generator.module(&format!("random{number}_{i}"));
        let width = module.split("output [").nth(1).unwrap().split(':').next().unwrap();
        let width = width.parse::<u32>().unwrap() + 1;
        source += &module;
        let pins = (0..INPUTS.len()).map(|k| format!(".i{k}(i{k})")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(instances, "    random{number}_{i} u{i} (.clk(clk), {pins}, .all(o{i}));");
        ports.push(format!("output [{}:0] o{i}", width - 1));
        widths.push(width);
    }
    let inputs =
        INPUTS.iter().enumerate().map(|(i, width)| format!("input [{}:0] i{i}", width - 1));
    let ports: Vec<String> = inputs.chain(ports).collect();
    let top = format!("batch{number}");
    source += &format!("module {top} (input clk, {});\n{instances}endmodule\n", ports.join(", "));
    (source, top, widths)
}

#[test]
#[ignore = "thorough: yosys, Verilator and Icarus on a thousand modules"]
fn random_modules_equal_verilator_and_icarus() {
    let mut random = SplitMix64::new(66);
    let tools = Toolchain::open().unwrap();
    let (mut known, mut bits) = (0, 0);
    for number in 0..MODULES / BATCH {
        let (source, top, widths) = batch(&mut random, number);
        let dir = tempfile::tempdir().unwrap();
        let netlist = imported(&source, Some(&top), dir.path()).netlist;
        bits += CLOCKS as u64 * widths.iter().map(|width| u64::from(*width)).sum::<u64>();
        let inputs = INPUTS.iter().enumerate();
        let inputs = inputs.map(|(i, width)| PortSpec::input(format!("i{i}"), *width as usize));
        let outputs = widths.iter().enumerate();
        let outputs = outputs.map(|(i, width)| PortSpec::output(format!("o{i}"), *width as usize));
        let specs: Vec<_> = inputs.chain(outputs).chain([PortSpec::input("clk", 1)]).collect();
        let model = tools.verilate(&source, &top, &specs, Some("clk"), dir.path()).unwrap();
        let cycle = |_| INPUTS.iter().map(|width| random_word(&mut random, *width)).collect();
        let cycles: Vec<Vec<BigUint>> = (0..CLOCKS).map(cycle).collect();
        let expected = model.run(&cycles).unwrap();
        let partly = tools.run_icarus(&source, &top, &specs, Some("clk"), &cycles, dir.path());
        let partly = partly.unwrap();
        let mut evaluator = Evaluator::new(netlist.clone());
        let rows = expected.iter().zip(&partly);
        for (clock, (values, (expected, partly))) in cycles.iter().zip(rows).enumerate() {
            for (input, value) in netlist.inputs.iter().zip(values) {
                evaluator.set_big(input.net, value);
            }
            evaluator.settle();
            let rows = expected.iter().zip(partly);
            for (i, (output, (expected, partly))) in netlist.outputs.iter().zip(rows).enumerate() {
                let found = evaluator.get_big(output.net);
                let module = || {
                    let begin = format!("module random{number}_{i} ");
                    let text = &source[source.find(&begin).unwrap()..];
                    text[..text.find("endmodule").unwrap()].to_owned()
                };
                assert!(
                    found == *expected,
                    "clock cycle {clock}: {found:#x}, Verilator {expected:#x}, inputs {values:x?}\n{}",
                    module()
                );
                assert!(
                    partly.allows(&found),
                    "clock cycle {clock}: {found:#x}, Icarus {partly:x?}, inputs {values:x?}\n{}",
                    module()
                );
                known += partly.known.count_ones();
            }
            evaluator.clock();
        }
    }
    // A condition that Icarus does not know would select the second branch.
    assert_eq!(known, bits, "Icarus does not know all bits");
}
