//! Checks with yosys, cone by cone, whether two combinational circuits are equivalent.

use super::cache::{self, Digest};
use super::error::{IoContext, Result, ToolError};
use super::mapping::to_gates;
use super::synth::{check_name, missing_value, read_json, write};
use super::Toolchain;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// Combinational circuit in a format that yosys reads.
#[derive(Clone, Debug)]
pub enum Side {
    /// Yosys's own language.
    Rtlil(String),
    Json(Value),
    /// Verilog, which is synthesised.
    Verilog(String),
}

impl Side {
    /// Yosys command that reads the format, and its file extension.
    fn read(&self) -> (&'static str, &'static str) {
        match self {
            Side::Rtlil(_) => ("read_rtlil", "il"),
            Side::Json(_) => ("read_json", "json"),
            Side::Verilog(_) => ("read_verilog -sv", "v"),
        }
    }

    fn text(&self) -> String {
        match self {
            Side::Rtlil(text) | Side::Verilog(text) => text.clone(),
            Side::Json(json) => json.to_string(),
        }
    }
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Equivalence {
    /// Equal for all inputs.
    Same,
    /// For some inputs these signals differ.
    Differs {
        signals: Vec<String>,
        /// Values with which the first of the signals differs, or `None` if the solver finds none.
        example: Option<SignalDifference>,
    },
}

/// Values with which a signal differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalDifference {
    /// Values of the signal in the first and in the second circuit, in binary.
    pub values: [String; 2],
    /// Inputs that are not zero, in binary.
    pub inputs: Vec<(String, String)>,
}

/// Result of a comparison with its size and duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CircuitComparison {
    pub equivalence: Equivalence,
    /// Number of bits whose cones were compared.
    pub bits: usize,
    /// Duration of the original comparison in seconds.
    pub seconds: f64,
}

const FINDING: &str = "finding.json";

impl Toolchain {
    /// Reads a circuit with yosys and flattens it to yosys's JSON. An earlier result in `work_dir`
    /// is reused.
    ///
    /// # Errors
    /// If yosys is unavailable or rejects the circuit.
    pub fn flatten_to_json(&self, verilog: &str, top: &str, work_dir: &Path) -> Result<Value> {
        check_name(top)?;
        let yosys = self.yosys()?;
        let script = format!("{FLAT}hierarchy -check -top {top}\n{FLATTEN}");
        let digest = Digest::of([verilog, &script, &yosys.to_string()]);
        let dir = work_dir.join(format!("flat-{top}-{}", digest.short()));
        cache::build_if_missing(&dir, top, |partial| {
            write(&partial.join("emitted.v"), verilog)?;
            write(&partial.join("flat.ys"), &script)?;
            yosys.run(partial, ["-Q", "-s", "flat.ys"], "flat.log")?;
            Ok(())
        })?;
        read_json(&dir.join("flat.json"), &yosys)
    }

    /// Synthesises a circuit for an iCE40 in the two steps of [`Self::bitstream_ice40`]. Returns
    /// module `top` in yosys's JSON after the mapping of flip-flops, and at the end.
    ///
    /// # Errors
    /// If yosys is unavailable or rejects the circuit.
    pub fn synthesize_to_json(
        &self,
        source: &Side,
        top: &str,
        work_dir: &Path,
    ) -> Result<[Value; 2]> {
        check_name(top)?;
        let yosys = self.yosys()?;
        let (read, extension) = source.read();
        let to_gates = to_gates(top, "");
        let script = format!(
            "{read} source.{extension}\n\
             {to_gates}\
             synth_ice40 -run map_gates:map_luts\n\
             select {top}\nwrite_json -selected mapped.json\nselect -clear\n\
             synth_ice40 -run map_luts:check\n\
             select {top}\nwrite_json -selected done.json\n"
        );
        let text = source.text();
        let digest = Digest::of([&text, &script, &yosys.to_string()]);
        let dir = work_dir.join(format!("synth-{top}-{}", digest.short()));
        cache::build_if_missing(&dir, top, |partial| {
            write(&partial.join(format!("source.{extension}")), &text)?;
            write(&partial.join("synth.ys"), &script)?;
            yosys.run(partial, ["-Q", "-s", "synth.ys"], "synth.log")?;
            Ok(())
        })?;
        let module = |name: &str| -> Result<Value> {
            let mut json = read_json(&dir.join(name), &yosys)?;
            Ok(json["modules"][top].take())
        };
        Ok([module("mapped.json")?, module("done.json")?])
    }

    /// Compares all outputs, and all inner signals that have a name in both circuits, for all
    /// inputs. An earlier result in `work_dir` is reused. `outputs` lists the outputs that must
    /// exist.
    ///
    /// # Errors
    /// If yosys is unavailable, or cannot read a circuit.
    pub fn compare(
        &self,
        name: &str,
        sides: [(&str, &Side); 2],
        outputs: &[String],
        work_dir: &Path,
    ) -> Result<CircuitComparison> {
        check_name(name)?;
        let mut digest = Digest::of([COMPARE, &self.yosys()?.to_string()]);
        let texts = sides.map(|(_, side)| side.text());
        texts.iter().for_each(|text| digest.add(text));
        let dir = work_dir.join(format!("{name}-{}", digest.short()));
        cache::build_if_missing(&dir, name, |partial| {
            let began = Instant::now();
            let mut reads = String::new();
            for ((name, side), text) in sides.iter().zip(&texts) {
                let (read, extension) = side.read();
                write(&partial.join(format!("{name}.{extension}")), text)?;
                reads += &format!("{read} {name}.{extension}\n");
            }
            let names = sides.map(|(name, _)| name);
            let (equivalence, bits) = self.pair(&reads, names, outputs, partial)?;
            let compared =
                CircuitComparison { equivalence, bits, seconds: began.elapsed().as_secs_f64() };
            let text = serde_json::to_string_pretty(&compared)
                .map_err(|e| ToolError::Invalid(format!("{name}: {e}")))?;
            write(&partial.join(FINDING), &text)
        })?;
        let path = dir.join(FINDING);
        let bytes = fs::read(&path).at("read", &path)?;
        serde_json::from_slice(&bytes)
            .map_err(|_| missing_value(&path, "whole finding (remove the folder)", "phasecube"))
    }

    fn pair(
        &self,
        reads: &str,
        [one, other]: [&str; 2],
        outputs: &[String],
        dir: &Path,
    ) -> Result<(Equivalence, usize)> {
        let yosys = self.yosys()?;
        let script = format!("{reads}equiv_make {one} {other} both\n{COMPARE}");
        write(&dir.join("compare.ys"), &script)?;
        let run = yosys.run(dir, ["-Q", "-s", "compare.ys"], "compare.log")?;
        let status = status(&run.text);
        let (bits, differ) =
            status.ok_or_else(|| missing_value(&run.log, "count of proven cells", &yosys))?;
        let compared = compared_signals(&run.text);
        if let Some(name) = outputs.iter().find(|name| !compared.contains(name.as_str())) {
            let what = format!("comparison of the output {name}");
            return Err(missing_value(&run.log, &what, &yosys));
        }
        let Some(first) = differ.first() else {
            return Ok((Equivalence::Same, bits));
        };
        let script = format!(
            "{reads}expose -shared {one} {other}\n\
             miter -equiv -make_outcmp -flatten {one} {other} miter\n\
             hierarchy -top miter\n\
             sat -prove cmp_{first} 1 -show-inputs -show gold_{first},gate_{first} miter\n"
        );
        write(&dir.join("example.ys"), &script)?;
        let run = yosys.run(dir, ["-Q", "-s", "example.ys"], "example.log")?;
        let example = difference(&run.text, first);
        let differs = Equivalence::Differs { signals: differ, example };
        Ok((differs, bits))
    }
}

/// Script that reads a circuit: each register becomes one `$dff`, each memory one `$mem_v2`.
const FLAT: &str = "read_verilog emitted.v\n";
const FLATTEN: &str = "proc\nflatten\nmemory_collect\nwrite_json flat.json\n";

/// Script that compares the signals after yosys has paired them.
const COMPARE: &str = "hierarchy -top both\nequiv_simple\nequiv_status\n";

/// Parses the number of pairs of bits, and the signals that are not equal. Yosys prints `Found 9
/// $equiv cells in both:` and `Unproven $equiv $auto$..: \a_gold [3] \a_gate [3]`.
fn status(log: &str) -> Option<(usize, Vec<String>)> {
    let last = log.rfind("Executing EQUIV_STATUS")?;
    let printed = &log[last..];
    let (_, count) = printed.split_once("Found ")?;
    let (count, _) = count.split_once(" $equiv cells")?;
    let bits = count.parse().ok()?;
    let unproven = printed.lines().filter_map(|line| {
        let (_, pair) = line.trim().strip_prefix("Unproven $equiv ")?.split_once(": ")?;
        let name = pair.split_whitespace().next()?.trim_start_matches('\\');
        Some(name.trim_end_matches("_gold").to_owned())
    });
    let mut signals: Vec<String> = unproven.collect();
    signals.dedup();
    let (_, proven) = printed.split_once("are proven and ")?;
    let (unproven, _) = proven.split_once(" are unproven")?;
    // An unproven count without names would otherwise pass as proven.
    let named = signals.is_empty() == (unproven == "0");
    named.then_some((bits, signals))
}

/// Signals that yosys paired: `Presumably equivalent wires: a_gold (..), a_gate (..) -> a`.
fn compared_signals(log: &str) -> BTreeSet<&str> {
    let pairs = log.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix("Presumably equivalent wires: ")?.rsplit_once(" -> ")?;
        Some(name)
    });
    pairs.collect()
}

/// Parses the counter-example's table: a name, and its value in decimal, hexadecimal and binary.
fn difference(log: &str, signal: &str) -> Option<SignalDifference> {
    let rows = log.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?.strip_prefix('\\')?;
        let binary = words.nth(2)?;
        Some((name, binary))
    });
    let rows: Vec<(&str, &str)> = rows.collect();
    let value = |side: &str| {
        let wanted = format!("{side}_{signal}");
        let found = rows.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| (*value).to_owned())
    };
    let values = [value("gold")?, value("gate")?];
    let inputs = rows.iter().filter_map(|(name, value)| {
        let name = name.strip_prefix("in_")?;
        let set = value.contains('1');
        set.then(|| (name.to_owned(), (*value).to_owned()))
    });
    Some(SignalDifference { values, inputs: inputs.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Claim: unproven signals are reported by name, and a count without names is no verdict.
    #[test]
    fn status_is_read() {
        let log = "2. Executing EQUIV_STATUS pass.\nFound 3 $equiv cells in both:\n  \
                   Of those cells 1 are proven and 2 are unproven.\n  \
                   Unproven $equiv $auto$equiv_make.cc:1: \\a.b$next_gold [1] \\a.b$next_gate [1]\n  \
                   Unproven $equiv $auto$equiv_make.cc:2: \\a.b$next_gold [0] \\a.b$next_gate [0]\n";
        assert_eq!(status(log), Some((3, vec!["a.b$next".to_owned()])));
        let proven = log.split("  Unproven").next().unwrap();
        assert_eq!(status(proven), None);
        let proven = proven.replace("and 2", "and 0");
        assert_eq!(status(&proven), Some((3, vec![])));
        assert_eq!(status("Found 3 $equiv cells"), None);
    }

    // Claim: an example has both values and the inputs that are not zero.
    #[test]
    fn examples_are_read() {
        let log = "  Signal Name    Dec  Hex  Bin\n  ---- ---- ---- ----\n  \\gate_y  1 1 01\n  \
                   \\gold_y  2 2 10\n  \\in_a  0 0 0\n  \\in_b  1 1 1\n";
        let found = difference(log, "y").unwrap();
        assert_eq!(found.values, ["10", "01"]);
        assert_eq!(found.inputs, [("b".to_owned(), "1".to_owned())]);
        assert_eq!(difference(log, "z"), None);
    }
}
