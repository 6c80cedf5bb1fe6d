//! Simulates Verilog with Icarus Verilog, which knows undefined values.

use super::cache::Digest;
use super::error::{IoContext, Result, ToolError};
use super::model::PortSpec;
use super::synth::check_name;
use super::verilate::{check_ports, wrapper, WRAPPER};
use super::Toolchain;
use num_bigint::BigUint;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Name of the test bench around the module.
const BENCH: &str = "phasecube_bench";

/// Word of which some bits can be undefined (`x` or `z`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartlyKnownWord {
    /// Value of the known bits. All others are 0.
    pub value: BigUint,
    /// Bits that are known.
    pub known: BigUint,
}

impl PartlyKnownWord {
    /// Parses binary digits, the most significant first.
    fn parse(digits: &str) -> Option<Self> {
        let mut word = PartlyKnownWord { value: BigUint::default(), known: BigUint::default() };
        for (bit, digit) in digits.bytes().rev().enumerate() {
            let bit = bit as u64;
            word.known.set_bit(bit, matches!(digit, b'0' | b'1'));
            word.value.set_bit(bit, digit == b'1');
            if !matches!(digit, b'0' | b'1' | b'x' | b'z' | b'X' | b'Z') {
                return None;
            }
        }
        Some(word)
    }

    /// Returns whether this value has all known bits.
    pub fn allows(&self, value: &BigUint) -> bool {
        (value & &self.known) == self.value
    }
}

impl Toolchain {
    /// Runs module `top` from its initial state under Icarus Verilog. Returns the outputs in each
    /// clock cycle for the inputs of each, before the rising edge of `clock`. `ports` are all ports
    /// of the module. The order of events is that of [`verilate`](Self::verilate).
    ///
    /// # Errors
    /// If Icarus Verilog is missing, or rejects the source, or the module ends the simulation.
    pub fn run_icarus(
        &self,
        verilog: &str,
        top: &str,
        ports: &[PortSpec],
        clock: Option<&str>,
        cycles: &[Vec<BigUint>],
        work_dir: &Path,
    ) -> Result<Vec<Vec<PartlyKnownWord>>> {
        check_name(top)?;
        let clock = check_ports(top, ports, clock)?;
        let (iverilog, vvp) = (self.iverilog()?, self.vvp()?);
        let bench = bench(ports, clock, cycles.len());
        let digest = Digest::of([verilog, top, &bench]).short();
        let dir = work_dir.join(format!("icarus-{top}-{digest}"));
        fs::create_dir_all(&dir).at("create the folder", &dir)?;
        let write = |name: &str, text: &str| {
            let path = dir.join(name);
            fs::write(&path, text).at("write", &path)
        };
        write("design.v", verilog)?;
        write("wrapper.v", &wrapper(top, ports))?;
        write("bench.v", &bench)?;
        write("stimuli.txt", &stimuli(ports, clock, cycles))?;
        let files = ["design.v", "wrapper.v", "bench.v"];
        let arguments = ["-g2012", "-s", BENCH, "-o", "bench.vvp"];
        iverilog.run(&dir, arguments.iter().chain(&files), "iverilog.log")?;
        let run = vvp.run(&dir, ["-n", "bench.vvp"], "vvp.log")?;
        let outputs = ports.iter().filter(|port| !port.input);
        let widths: Vec<usize> = outputs.map(|port| port.width).collect();
        let lines = run.text.lines().filter_map(|line| line.strip_prefix(MARK));
        let rows: Option<Vec<_>> = lines.map(|line| words(line, &widths)).collect();
        match rows.filter(|rows| rows.len() == cycles.len()) {
            Some(rows) => Ok(rows),
            None => Err(ToolError::Invalid(format!(
                "{top} did not run for {} clock cycles under Icarus Verilog; whole log: {}",
                cycles.len(),
                run.log.display()
            ))),
        }
    }
}

/// Beginning of a printed line of outputs.
const MARK: &str = "outputs: ";

/// Splits a printed line into the outputs. The first one has the lowest bits.
fn words(line: &str, widths: &[usize]) -> Option<Vec<PartlyKnownWord>> {
    let mut end = line.len();
    let words = widths.iter().map(|width| {
        let begin = end.checked_sub(*width)?;
        let word = PartlyKnownWord::parse(line.get(begin..end)?)?;
        end = begin;
        Some(word)
    });
    let words = words.collect::<Option<Vec<_>>>()?;
    (end == 0 || widths.is_empty()).then_some(words)
}

/// Returns the inputs of all clock cycles, one line each.
fn stimuli(ports: &[PortSpec], clock: Option<usize>, cycles: &[Vec<BigUint>]) -> String {
    let inputs = ports.iter().enumerate();
    let inputs = inputs.filter(|(i, port)| port.input && Some(*i) != clock);
    let widths: Vec<usize> = inputs.map(|(_, port)| port.width).collect();
    let mut text = String::new();
    for values in cycles {
        for (value, width) in values.iter().zip(&widths).rev() {
            let _ = write!(text, "{:0>width$}", value.to_str_radix(2));
        }
        text.push_str(if widths.is_empty() { "0\n" } else { "\n" });
    }
    text
}

/// Returns the test bench. It reads the inputs of each clock cycle and prints the outputs.
fn bench(ports: &[PortSpec], clock: Option<usize>, cycles: usize) -> String {
    let (mut pins, mut inputs, mut outputs) = (vec![], 0, 0);
    for (i, port) in ports.iter().enumerate() {
        if Some(i) == clock {
            pins.push(format!(".p{i}(clock)"));
            continue;
        }
        let (word, used) = match port.input {
            true => ("inputs", &mut inputs),
            false => ("outputs", &mut outputs),
        };
        pins.push(format!(".p{i}({word}[{used} +: {}])", port.width));
        *used += port.width;
    }
    let (inputs, outputs) = (inputs.max(1), outputs.max(1));
    format!(
        "module {BENCH};
    reg clock = 0;
    reg [{}:0] inputs;
    wire [{}:0] outputs;
    reg [{}:0] stimuli [0:{}];
    integer i;
    {WRAPPER} dut ({});
    initial begin
        $readmemb(\"stimuli.txt\", stimuli);
        for (i = 0; i < {cycles}; i = i + 1) begin
            inputs = stimuli[i];
            #1 $display(\"{MARK}%b\", outputs);
            clock = 1;
            #1 clock = 0;
            #1;
        end
        $finish;
    end
endmodule
",
        inputs - 1,
        outputs - 1,
        inputs - 1,
        cycles.max(1) - 1,
        pins.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_words_are_split_from_the_right() {
        let read = words("1x00101", &[3, 4]).unwrap();
        let expected =
            |value: u8, known: u8| PartlyKnownWord { value: value.into(), known: known.into() };
        assert_eq!(read, [expected(0b101, 0b111), expected(0b1000, 0b1011)]);
        assert!(read[1].allows(&0b1100u8.into()) && !read[1].allows(&0b1010u8.into()));
        assert!(words("101", &[4]).is_none() && words("10?", &[3]).is_none());
    }

    #[test]
    #[ignore = "thorough: Icarus"]
    fn a_register_is_unknown_until_it_is_written() {
        let source =
            "module m (input clk, en, input [2:0] d, output reg [2:0] q, output [1:0] n);\n\
                      always @(posedge clk) if (en) q <= d;\nassign n = {d[0], en};\nendmodule\n";
        let ports = [
            PortSpec::input("clk", 1),
            PortSpec::input("en", 1),
            PortSpec::input("d", 3),
            PortSpec::output("q", 3),
            PortSpec::output("n", 2),
        ];
        let cycle = |en: u8, d: u8| vec![BigUint::from(en), BigUint::from(d)];
        let cycles = [cycle(0, 1), cycle(1, 6), cycle(0, 2)];
        let dir = tempfile::tempdir().unwrap();
        let tools = Toolchain::open().unwrap();
        let rows = tools.run_icarus(source, "m", &ports, Some("clk"), &cycles, dir.path());
        let rows: Vec<[[BigUint; 2]; 2]> = rows
            .unwrap()
            .into_iter()
            .map(|row| [&row[0], &row[1]].map(|word| [word.known.clone(), word.value.clone()]))
            .collect();
        let row = |numbers: [[u8; 2]; 2]| numbers.map(|pair| pair.map(BigUint::from));
        let expected = [[[0, 0], [3, 2]], [[0, 0], [3, 1]], [[7, 6], [3, 0]]].map(row);
        assert_eq!(rows, expected);
    }
}
