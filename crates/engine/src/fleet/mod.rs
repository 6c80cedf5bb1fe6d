//! Machine under Verilator at its highest speed. Each node is an object of the compiled node. C++
//! code exchanges the links in each clock cycle and sets the recorded inputs.
//!
//! A fleet is not an [`CircuitEngine`](super::CircuitEngine). Its process runs a whole recording alone, so no
//! time is spent on pipes. A fleet is the benchmark for the lockstep engine, and an independent
//! check, because the two share no code.

use super::{EngineError, EnginePort, Feed, InputChange, InputWiring, OutputBit, WordStream};
use crate::recording::{FNV_BASIS, FNV_PRIME};
use hdl::verilog;
use lockstep::design::Design;
use lockstep::lanes::LaneMap;
use lockstep::netlist::flatten;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::{CompileEffort, PortSpec, ToolError, Toolchain, MODEL_PREFIX};

/// Compiled machine.
#[derive(Debug)]
pub struct Fleet {
    executable: PathBuf,
    work_dir: PathBuf,
    /// Maps from each node to its source node, for those that are not an XOR mask.
    tables: Vec<LaneMap>,
}

/// Run parameters of a fleet.
#[derive(Clone, Debug)]
pub struct FleetRun {
    pub nodes: usize,
    pub threads: usize,
    pub clock_cycles: u64,
    /// Changes of the common words in order of time, up to the clock cycle after the last.
    pub shared: Vec<InputChange>,
    /// Changes of the ports of every object, in order of time. `input` is the position of the port.
    pub sets: Vec<Vec<InputChange>>,
    pub every_clock_cycle: bool,
}

/// Result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetResult {
    /// Fingerprint of each node.
    pub hashes: Vec<u64>,
    /// Duration of the clock cycles, without start and end.
    pub seconds: f64,
    /// Peak memory of the process, in bytes.
    pub memory: u64,
}

impl Fleet {
    /// Compiles the node with the compiler's highest optimisation, or reuses an earlier result.
    /// Inputs that are not wired come from outside. The shared words of a run are the shared outputs in
    /// the order of the wiring. Linked outputs are registers, so inputs of a clock cycle do not affect
    /// them in the same cycle. The fingerprint contains the outputs, followed
    /// by the inner signals with these hierarchical names.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    ///
    /// # Panics
    /// If a signal or port does not exist, or a linked one has more than 64 bits.
    pub fn new(
        node: &Design,
        wiring: &[InputWiring],
        stream: &WordStream,
        signals: &[String],
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
        let ports = super::ports(node);
        let inside = inner_signals(node, signals)?;
        let (program, tables) = program_for_nodes(&ports, wiring, stream, signals.len());
        let executable = compile(node, &ports, inside, program, tools, work_dir)?;
        Ok(Fleet { executable, work_dir: work_dir.into(), tables })
    }

    /// Compiles a machine as one object, instead of one object per node. In `whole`, port `p` of
    /// node `i` is `p[i]`. `outputs` are the outputs of a node.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn single_object(
        whole: &Design,
        nodes: usize,
        stream: &WordStream,
        outputs: &[String],
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
        let ports = super::ports(whole);
        let program = program_for_machine(&ports, nodes, stream, outputs);
        let executable = compile(whole, &ports, vec![], program, tools, work_dir)?;
        Ok(Fleet { executable, work_dir: work_dir.into(), tables: vec![] })
    }

    /// Duration of the compilation in seconds, even if it was compiled earlier.
    pub fn compile_seconds(&self) -> f64 {
        toolchain::compile_seconds(&self.executable)
    }

    /// Runs the number of nodes for which the fleet was compiled.
    ///
    /// # Errors
    /// If the process fails.
    pub fn run(&self, run: &FleetRun) -> Result<FleetResult, EngineError> {
        let file = tempfile::NamedTempFile::new_in(&self.work_dir);
        let failed = |what: String| {
            EngineError::Tool(ToolError::Simulation { top: "the fleet".into(), what })
        };
        let file = file.map_err(|e| failed(format!("no file for its script: {e}")))?;
        std::fs::write(file.path(), script_text(run, &self.tables))
            .map_err(|e| failed(format!("its script cannot be written: {e}")))?;
        let output = Command::new(&self.executable)
            .arg(run.nodes.to_string())
            .arg(run.threads.to_string())
            .arg(u8::from(run.every_clock_cycle).to_string())
            .arg(file.path())
            .output()
            .map_err(|e| failed(format!("{}: {e}", self.executable.display())))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut words = text.split_whitespace();
        let mut number = || words.next();
        let result = (|| {
            let seconds = number()?.parse().ok()?;
            let memory = number()?.parse().ok()?;
            let hashes = (0..run.nodes).map(|_| u64::from_str_radix(number()?, 16).ok());
            Some(FleetResult { hashes: hashes.collect::<Option<_>>()?, seconds, memory })
        })();
        result.ok_or_else(|| failed(format!("it ended with {}", output.status)))
    }
}

/// Compiles a circuit with its C++ program.
fn compile(
    design: &Design,
    ports: &[EnginePort],
    inside: Vec<PortSpec>,
    program: String,
    tools: &Toolchain,
    work_dir: &Path,
) -> Result<PathBuf, EngineError> {
    let verilog = verilog::emit(design);
    let module = verilog.top_module();
    let specs = ports.iter().zip(&module.ports).map(|(port, name)| PortSpec {
        name: name.clone(),
        width: port.width as usize,
        input: port.input,
        inside: false,
    });
    let clock = module.clock.as_deref();
    let clocks = clock.map(|name| PortSpec::input(name, 1));
    let specs: Vec<PortSpec> = specs.chain(clocks).chain(inside).collect();
    let (text, top) = (verilog.to_string(), verilog.top());
    let executable =
        tools.verilate_program(&text, top, &specs, program, work_dir, CompileEffort::Fast)?;
    Ok(executable)
}

/// Inner signals of a circuit, with their widths.
fn inner_signals(node: &Design, signals: &[String]) -> Result<Vec<PortSpec>, EngineError> {
    let netlist = flatten(node)?;
    let width = |path: &str| {
        let net = netlist.find(path);
        let net = net.unwrap_or_else(|| panic!("the circuit has no signal `{path}`"));
        netlist.width(net) as usize
    };
    let signals = signals.iter();
    Ok(signals.map(|path| PortSpec::inside(path, width(path))).collect())
}

// C++ program around a compiled circuit: fills in the templates `nodes.cpp` and `one.cpp`.
//
// In a clock cycle, the program first reads all outputs that cross links. Then each node gets its
// inputs, settles, is sampled, and has its clock edge.

/// Program for a node with these ports, and the tables that it reads. The clock is the port after
/// them, followed by the inner signals.
fn program_for_nodes(
    ports: &[EnginePort],
    wiring: &[InputWiring],
    stream: &WordStream,
    signals: usize,
) -> (String, Vec<LaneMap>) {
    let index = |name: &str| {
        let found = ports.iter().position(|port| port.name == name);
        found.unwrap_or_else(|| panic!("the node has no port `{name}`"))
    };
    let width = |name: &str| ports[index(name)].width;
    let lines = wiring.iter().filter_map(|wire| match &wire.feed {
        Feed::Nodes(lines) => Some(lines),
        _ => None,
    });
    let widths = lines.flat_map(|lines| {
        let outputs = lines.iter().map(|line| width(&line.output));
        outputs.chain([lines.len() as u32])
    });
    let widest = widths.max().unwrap_or(0);
    assert!(widest <= 64, "{widest} bits are linked at once");
    let mut links =
        LinkedOutputs { bits: if widest > 32 { 64 } else { 32 }, ..LinkedOutputs::default() };
    let mut drive = String::new();
    let mut words = 0usize;
    for wire in wiring {
        let value = match &wire.feed {
            Feed::Number => "n".into(),
            Feed::Shared(_) => {
                words += 1;
                format!("shared[{}]", words - 1)
            }
            Feed::Nodes(lines) => links.value(lines),
        };
        let _ = writeln!(drive, "    top.p{} = {value};", index(&wire.input));
    }
    let snapshot: String = links
        .outputs
        .iter()
        .enumerate()
        .map(|(l, name)| format!("    links[{l}][n] = nodes[n]->p{};\n", index(name)))
        .collect();
    let outputs = ports.iter().enumerate().filter(|(_, port)| !port.input);
    let inside = (ports.len() + 1..).take(signals);
    let mix_all: String = outputs
        .map(|(i, _)| i)
        .chain(inside)
        .map(|i| format!("    hash = mix(hash, top.p{i});\n"))
        .collect();
    let port = |name: &str| format!("top.p{}", index(name));
    let program = fill_in_common(NODES, ports)
        .replace("@LINKS@", &links.outputs.len().max(1).to_string())
        .replace("@BITS@", &links.bits.to_string())
        .replace("@WORDS@", &words.max(1).to_string())
        .replace("@SNAPSHOT@", snapshot.trim_end())
        .replace("@DRIVE@", drive.trim_end())
        .replace("@MIX@", mix_all.trim_end())
        .replace("@VALID@", &port(&stream.valid))
        .replace("@TOGGLES@", &stream.toggles.to_string())
        .replace("@DATA@", &port(&stream.data))
        .replace("@LAST@", &stream.last.as_deref().map_or("true".into(), port))
        .replace("@CLOCK@", &format!("top.p{}", ports.len()));
    (program, links.tables)
}

/// Linked outputs, and the tables of links that have one.
#[derive(Default)]
struct LinkedOutputs {
    /// Width of a word in C++, in bits.
    bits: u32,
    outputs: Vec<String>,
    tables: Vec<LaneMap>,
}

impl LinkedOutputs {
    /// Expression for an input with these lines. Lines of the same node with the same shift are
    /// combined.
    fn value(&mut self, lines: &[OutputBit]) -> String {
        let mut parts: Vec<(&OutputBit, i64, u64)> = vec![];
        for (place, line) in lines.iter().enumerate() {
            let shift = place as i64 - i64::from(line.bit);
            let alike = |(other, s, _): &&mut (&OutputBit, i64, u64)| {
                (&other.output, &other.node, *s) == (&line.output, &line.node, shift)
            };
            match parts.iter_mut().find(alike) {
                Some((.., mask)) => *mask |= 1 << line.bit,
                None => parts.push((line, shift, 1 << line.bit)),
            }
        }
        let suffix = if self.bits == 64 { "ull" } else { "u" };
        let part = |(line, shift, mask): (&OutputBit, i64, u64)| {
            let link = position_of(&mut self.outputs, &line.output);
            let node = match &line.node {
                LaneMap::Xor(mask) => format!("n ^ {mask}u"),
                table => format!("tables[{}][n]", position_of(&mut self.tables, table)),
            };
            let word = format!("(links[{link}][{node}] & {mask}{suffix})");
            match shift {
                0 => word,
                1.. => format!("({word} << {shift})"),
                _ => format!("({word} >> {})", -shift),
            }
        };
        let parts: Vec<String> = parts.into_iter().map(part).collect();
        parts.join(" | ")
    }
}

/// Position of an item in a list. A new item is appended.
fn position_of<T: PartialEq + Clone>(list: &mut Vec<T>, item: &T) -> usize {
    let known = list.iter().position(|other| other == item);
    known.unwrap_or_else(|| {
        list.push(item.clone());
        list.len() - 1
    })
}

/// Program for a machine that is one object, whose port `p[i]` is the port `p` of node `i`.
/// `outputs` are the outputs of a node.
fn program_for_machine(
    ports: &[EnginePort],
    nodes: usize,
    stream: &WordStream,
    outputs: &[String],
) -> String {
    let index: HashMap<&str, usize> = (0..).zip(ports).map(|(i, p)| (&*p.name, i)).collect();
    let place = |name: &str| {
        let found = outputs.iter().position(|output| output == name);
        found.unwrap_or_else(|| panic!("the node has no output `{name}`"))
    };
    let pins = |(o, name): (usize, &String)| {
        let pin = |node: usize| format!("&top.p{}", index[&*format!("{name}[{node}]")]);
        let pins: Vec<String> = (0..nodes).map(pin).collect();
        format!("    const std::array pins{o}{{{}}};\n", pins.join(", "))
    };
    let mix_all: String = (0..outputs.len())
        .map(|o| format!("            hashes[n] = mix(hashes[n], *pins{o}[n]);\n"))
        .collect();
    let all_pins: String = outputs.iter().enumerate().map(pins).collect();
    let port = |name: &str| format!("*pins{}[n]", place(name));
    fill_in_common(ONE, ports)
        .replace("@PINS@", all_pins.trim_end())
        .replace("@MIX@", mix_all.trim_end())
        .replace("@VALID@", &port(&stream.valid))
        .replace("@TOGGLES@", &stream.toggles.to_string())
        .replace("@DATA@", &port(&stream.data))
        .replace("@LAST@", &stream.last.as_deref().map_or("true".into(), port))
        .replace("@CLOCK@", &format!("top.p{}", ports.len()))
}

/// Fills in the common part: setting an object's inputs by position.
fn fill_in_common(template: &str, ports: &[EnginePort]) -> String {
    let inputs = ports.iter().enumerate().filter(|(_, port)| port.input);
    let start: String = inputs.clone().map(|(i, _)| format!("    top.p{i} = 0;\n")).collect();
    let set: String =
        inputs.map(|(i, _)| format!("    case {i}: top.p{i} = value; break;\n")).collect();
    [COMMON, template]
        .concat()
        .replace("@START@", start.trim_end())
        .replace("@SET@", set.trim_end())
        .replace("@PREFIX@", MODEL_PREFIX)
        .replace("@BASIS@", &format!("{FNV_BASIS}ull"))
        .replace("@PRIME@", &format!("{FNV_PRIME}ull"))
}

const COMMON: &str = include_str!("common.cpp");
const NODES: &str = include_str!("nodes.cpp");
const ONE: &str = include_str!("one.cpp");

/// Script text with the number of clock cycles and the tables, which have one entry per node. The
/// changes of the common words follow, then the number of objects, and the changes on each.
fn script_text(run: &FleetRun, tables: &[LaneMap]) -> String {
    let mut text = format!("{}\n{}\n", run.clock_cycles, tables.len());
    for table in tables {
        for node in 0..run.nodes {
            let _ = write!(text, "{} ", table.from(node));
        }
        text.push('\n');
    }
    changes(&mut text, &run.shared);
    let _ = writeln!(text, "{}", run.sets.len());
    for sets in &run.sets {
        changes(&mut text, sets);
    }
    text
}

fn changes(text: &mut String, changes: &[InputChange]) {
    let _ = writeln!(text, "{}", changes.len());
    for InputChange { clock, input, value } in changes {
        let _ = writeln!(text, "{clock} {input} {value}");
    }
}
