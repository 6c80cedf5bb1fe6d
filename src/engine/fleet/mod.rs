//! A machine under Verilator as fast as it goes: an object of the compiled node
//! for every node, links exchanged each clock cycle, the recorded inputs set in C++.
//!
//! It is not an [`Engine`](super::Engine): it runs a whole recording by itself, so
//! that no time is spent on pipes. It is what the lockstep engine is measured
//! against, and a judge of it that shares none of its code.

mod program;
mod script;

use super::{Change, EngineError, Port, Stream};
use crate::toolchain::{Effort, PortSpec, ToolError, Toolchain};
use hdl::verilog;
use lockstep::design::Design;
use lockstep::lanes::LaneMap;
use lockstep::netlist::flatten;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An input of a node that does not come from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetInput {
    pub name: String,
    pub feed: FleetFeed,
}

/// What feeds an input of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetFeed {
    /// The number of the node.
    Number,
    /// This one of the words that all nodes have alike.
    Shared(usize),
    /// Outputs of other nodes: for each bit of the input, the lowest first. They come
    /// from registers: nothing that is set in a clock cycle shows in them in the same.
    Nodes(Vec<FleetLine>),
}

/// One bit of an output of another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetLine {
    pub output: String,
    pub bit: u32,
    /// Node `i` has the line of `node.from(i)`.
    pub node: LaneMap,
}

/// A machine that is compiled.
#[derive(Debug)]
pub struct Fleet {
    executable: PathBuf,
    work_dir: PathBuf,
    /// Which node each node has a line of, where that is not a mask.
    tables: Vec<LaneMap>,
}

/// What a fleet is to do.
#[derive(Clone, Debug)]
pub struct FleetRun {
    pub nodes: usize,
    pub threads: usize,
    pub clock_cycles: u64,
    /// The words that all nodes have alike, in order of time, until the clock cycle
    /// after the last.
    pub shared: Vec<Change>,
    /// For every object what is set on its ports, in order of time: `input` is the place
    /// of the port.
    pub sets: Vec<Vec<Change>>,
    pub every_clock_cycle: bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetResult {
    /// The fingerprint of each node.
    pub hashes: Vec<u64>,
    /// Of the clock cycles alone.
    pub seconds: f64,
    /// The most memory that the process had, in bytes.
    pub memory: u64,
}

impl Fleet {
    /// Compiles the node with all that the compiler can do, unless that was done
    /// before. Inputs that are not listed come from outside. Signals inside with these
    /// hierarchical names are in the fingerprint like outputs, after them.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    ///
    /// # Panics
    /// If there is no such signal or port, or one that is linked has more than 64 bits.
    pub fn new(
        node: &Design,
        inputs: &[FleetInput],
        stream: &Stream,
        signals: &[String],
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
        let ports = super::ports(node);
        let inside = inside(node, signals)?;
        let (program, tables) = program::of_nodes(&ports, inputs, stream, signals.len());
        let executable = compile(node, &ports, inside, program, tools, work_dir)?;
        Ok(Fleet {
            executable,
            work_dir: work_dir.into(),
            tables,
        })
    }

    /// Compiles a machine as one object, instead of an object for each node: `whole` has
    /// the port `p` of node `i` as `p[i]`. `outputs` are those of a node.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_one(
        whole: &Design,
        nodes: usize,
        stream: &Stream,
        outputs: &[String],
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
        let ports = super::ports(whole);
        let program = program::of_one(&ports, nodes, stream, outputs);
        let executable = compile(whole, &ports, vec![], program, tools, work_dir)?;
        Ok(Fleet {
            executable,
            work_dir: work_dir.into(),
            tables: vec![],
        })
    }

    /// Seconds that its compilation took, whenever that was.
    pub fn compile_seconds(&self) -> f64 {
        crate::toolchain::compile_seconds(&self.executable)
    }

    /// Runs so many nodes, those that it was compiled for.
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
        std::fs::write(file.path(), script::text(run, &self.tables))
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

/// The executable of a circuit with its program.
fn compile(
    design: &Design,
    ports: &[Port],
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
    let executable = tools.verilate_program(&text, top, &specs, program, work_dir, Effort::Fast)?;
    Ok(executable)
}

/// Signals inside a circuit, with their widths.
fn inside(node: &Design, signals: &[String]) -> Result<Vec<PortSpec>, EngineError> {
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
