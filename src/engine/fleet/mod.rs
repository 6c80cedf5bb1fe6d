//! A machine under Verilator as fast as it goes: an object of the compiled node
//! for every node, links exchanged each clock cycle, hosts in C++ beside them.
//!
//! It is not an [`Engine`](super::Engine): it runs a whole workload by itself, so
//! that no time is spent on pipes. It is what the lockstep engine is measured
//! against, and a judge of it that shares none of its code.

mod program;

use super::{EngineError, Port};
use crate::toolchain::{Effort, PortSpec, ToolError, Toolchain};
use crate::verilog;
use lockstep::netlist::flatten;
use lockstep::rtl::Design;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a node of the fleet is wired; one entry for each input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetInput {
    pub name: String,
    pub source: FleetSource,
}

/// What drives an input of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetSource {
    /// Always this.
    Constant(u64),
    /// The number of the node.
    Number,
    /// This bit of the word that all nodes have in this clock cycle.
    Shared(u32),
    /// Bit `i` is bit `i` of this output of the node whose number differs in bit
    /// `i`: the links of a hypercube.
    Across(String),
    /// The host has a message.
    HostValid,
    /// The byte of its message at `host_index`.
    HostData,
}

/// The compiled node of a machine.
#[derive(Debug)]
pub struct Fleet {
    executable: PathBuf,
    work_dir: PathBuf,
}

/// What a fleet is to do; see [`Workload`](crate::machine::cube::Workload).
#[derive(Clone, Debug)]
pub struct FleetRun<'a> {
    pub threads: usize,
    /// For every clock cycle the word that all nodes see, and for the one after.
    pub shared: &'a [u8],
    /// For every node the messages of its host: length, then payload.
    pub queues: Vec<Vec<Vec<u8>>>,
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
    /// before. Its outputs `host_index`, `host_taken`, `out_valid`, `out_data` and
    /// `out_last` are the host's. Signals inside with these hierarchical names are in
    /// the fingerprint like outputs, after them.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    ///
    /// # Panics
    /// If there is no such signal.
    pub fn new(
        node: &Design,
        inputs: &[FleetInput],
        signals: &[String],
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
        let ports = super::ports(node);
        let inside = inside(node, signals)?;
        let program = program::program(&ports, inputs, signals.len());
        Fleet::compile(node, &ports, inside, program, tools, work_dir)
    }

    /// Compiles a machine as one object, instead of an object for each node:
    /// `whole` has the port `p` of node `i` as `p[i]`. `constant` is the value of an
    /// input that never changes, by the name of the port (`p`).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn whole(
        whole: &Design,
        nodes: usize,
        constant: impl Fn(&str) -> u64,
        outputs: &[String],
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
        let ports = super::ports(whole);
        let program = program::whole_program(&ports, nodes, constant, outputs);
        Fleet::compile(whole, &ports, vec![], program, tools, work_dir)
    }

    fn compile(
        design: &Design,
        ports: &[Port],
        inside: Vec<PortSpec>,
        program: String,
        tools: &Toolchain,
        work_dir: &Path,
    ) -> Result<Self, EngineError> {
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
        let executable = tools.verilate_program(
            &verilog.to_string(),
            verilog.top(),
            &specs,
            program,
            work_dir,
            Effort::Fast,
        )?;
        Ok(Fleet {
            executable,
            work_dir: work_dir.into(),
        })
    }

    /// Seconds that its compilation took, whenever that was.
    pub fn compile_seconds(&self) -> f64 {
        crate::toolchain::compile_seconds(&self.executable)
    }

    /// Runs `queues.len()` nodes, a power of two.
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
        let file = file.map_err(|e| failed(format!("no file for its workload: {e}")))?;
        std::fs::write(file.path(), workload(run))
            .map_err(|e| failed(format!("its workload cannot be written: {e}")))?;
        let output = Command::new(&self.executable)
            .arg(run.queues.len().to_string())
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
            let hashes = (0..run.queues.len()).map(|_| u64::from_str_radix(number()?, 16).ok());
            Some(FleetResult {
                hashes: hashes.collect::<Option<_>>()?,
                seconds,
                memory,
            })
        })();
        result.ok_or_else(|| failed(format!("it ended with {}", output.status)))
    }
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

/// The workload as the program reads it: numbers in text.
fn workload(run: &FleetRun) -> String {
    let mut text = format!("{}\n", run.shared.len());
    for word in run.shared {
        let _ = writeln!(text, "{word}");
    }
    for queue in &run.queues {
        let _ = writeln!(text, "{}", queue.len());
        for message in queue {
            let _ = write!(text, "{}", message.len());
            for byte in message {
                let _ = write!(text, " {byte}");
            }
            text.push('\n');
        }
    }
    text
}
