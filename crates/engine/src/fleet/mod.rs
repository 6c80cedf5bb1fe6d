//! Machine under Verilator at its highest speed. Each node is an object of the compiled node. C++
//! code exchanges the links in each clock cycle and sets the recorded inputs.
//!
//! A fleet is not an [`CircuitEngine`](super::CircuitEngine). Its process runs a whole recording alone, so no
//! time is spent on pipes. A fleet is the benchmark for the lockstep engine, and an independent
//! check, because the two share no code.

mod program;
mod script;

use super::{EngineError, EnginePort, InputChange, WordStream};
use hdl::verilog;
use lockstep::design::Design;
use lockstep::lanes::LaneMap;
use lockstep::netlist::flatten;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::{CompileEffort, PortSpec, ToolError, Toolchain};

/// Input of a node that does not come from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetInput {
    pub name: String,
    pub feed: FleetFeed,
}

/// Source of a node's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetFeed {
    /// Number of the node.
    Number,
    /// One of the words that are the same for all nodes.
    Shared(usize),
    /// Outputs of other nodes, one line per bit of the input, the lowest first. The outputs are
    /// registers, so inputs of a clock cycle do not affect them in the same cycle.
    Nodes(Vec<FleetLine>),
}

/// One bit of an output of another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetLine {
    pub output: String,
    pub bit: u32,
    /// Source: node `i` reads the line of `node.from(i)`.
    pub node: LaneMap,
}

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
    /// Inputs that are not listed come from outside. The fingerprint contains the outputs, followed
    /// by the inner signals with these hierarchical names.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    ///
    /// # Panics
    /// If a signal or port does not exist, or a linked one has more than 64 bits.
    pub fn new(
        node: &Design,
        inputs: &[FleetInput],
        stream: &WordStream,
        signals: &[String],
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
        let ports = super::ports(node);
        let inside = inner_signals(node, signals)?;
        let (program, tables) = program::program_for_nodes(&ports, inputs, stream, signals.len());
        let executable = compile(node, &ports, inside, program, tools, work_dir)?;
        Ok(Fleet {
            executable,
            work_dir: work_dir.into(),
            tables,
        })
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
        let program = program::program_for_machine(&ports, nodes, stream, outputs);
        let executable = compile(whole, &ports, vec![], program, tools, work_dir)?;
        Ok(Fleet {
            executable,
            work_dir: work_dir.into(),
            tables: vec![],
        })
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
            EngineError::Tool(ToolError::Simulation {
                top: "the fleet".into(),
                what,
            })
        };
        let file = file.map_err(|e| failed(format!("no file for its script: {e}")))?;
        std::fs::write(file.path(), script::script_text(run, &self.tables))
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
            Some(FleetResult {
                hashes: hashes.collect::<Option<_>>()?,
                seconds,
                memory,
            })
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
    let specs = ports
        .iter()
        .zip(&module.ports)
        .map(|(port, name)| PortSpec {
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
    Ok(signals
        .map(|path| PortSpec::inside(path, width(path)))
        .collect())
}
