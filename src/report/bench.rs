//! The engines against Verilator: the same node, program and traffic, in one go.

use crate::engine::{
    ByNode, Engine, EngineError, EvaluatorEngine, Fleet, FleetInput, FleetRun, FleetSource,
    NodeEngine,
};
use crate::machine::array::{Array, Feed};
use crate::machine::cube::{CubeCircuit, Workload};
use crate::machine::MachineCircuit;
use crate::toolchain::Toolchain;
use lockstep::lanes::{Keep, Options};
use lockstep::rtl::SignalKind;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;

/// One engine on one machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub engine: String,
    pub nodes: usize,
    pub threads: usize,
    pub clock_cycles: u64,
    /// From the circuit's source to the first clock cycle; for Verilator with the
    /// compilation, whenever that was done.
    pub start_seconds: f64,
    /// Of the clock cycles.
    pub seconds: f64,
    /// Millions of node-cycles per second.
    pub rate: f64,
    /// The most resident memory of the process, in bytes; 0 where the system does
    /// not tell. Its own only if nothing else was measured in it.
    pub memory: u64,
    /// Of what all nodes did.
    pub fingerprint: String,
}

/// Measures engines on machines, one after the other.
pub struct Bench<'a> {
    pub tools: &'a Toolchain,
    pub work_dir: &'a Path,
}

impl Bench<'_> {
    /// Verilator: an object per node.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn verilator(
        &self,
        circuit: &CubeCircuit,
        workload: &Workload,
        threads: usize,
    ) -> Result<Measured, EngineError> {
        let (fleet, shared) = self.fleet(circuit, workload)?;
        verilated("verilator", &fleet, workload, &shared, threads)
    }

    /// Verilator: the whole machine as one object, on one thread.
    ///
    /// # Errors
    /// As [`verilator`](Self::verilator).
    pub fn monolith(
        &self,
        circuit: &CubeCircuit,
        workload: &Workload,
    ) -> Result<Measured, EngineError> {
        let array = circuit.array()?;
        let keep = (1 << circuit.cube().dims()) - 1;
        let shared = workload.shared_inputs();
        let constant = |name: &str| match shared.iter().find(|(input, _)| *input == name) {
            Some((_, value)) => *value,
            None if name == "keep" => keep,
            None => 0,
        };
        let (whole, outputs) = (array.whole(), array.outputs());
        let (nodes, folder) = (array.nodes, self.work_dir);
        let fleet = Fleet::whole(&whole, nodes, constant, &outputs, self.tools, folder)?;
        let shared = schedule(&array, workload)?;
        verilated("monolith", &fleet, workload, &shared, 1)
    }

    /// The fingerprints of all nodes under Verilator.
    ///
    /// # Errors
    /// As [`verilator`](Self::verilator).
    pub fn fingerprints(
        &self,
        circuit: &CubeCircuit,
        workload: &Workload,
        threads: usize,
    ) -> Result<Vec<u64>, EngineError> {
        let (fleet, shared) = self.fleet(circuit, workload)?;
        Ok(fleet.run(&fleet_run(workload, &shared, threads))?.hashes)
    }

    /// The compiled node, and what the phase clock tells it.
    fn fleet(
        &self,
        circuit: &CubeCircuit,
        workload: &Workload,
    ) -> Result<(Fleet, Vec<u8>), EngineError> {
        let array = circuit.array()?;
        let inputs = inputs(&array);
        let signals = &workload.signals;
        let fleet = Fleet::new(&array.node, &inputs, signals, self.tools, self.work_dir)?;
        Ok((fleet, schedule(&array, workload)?))
    }

    /// The lockstep engine.
    ///
    /// # Errors
    /// As [`MachineCircuit::lockstep`].
    pub fn lockstep(
        &self,
        circuit: &CubeCircuit,
        workload: &Workload,
        threads: usize,
    ) -> Result<Measured, EngineError> {
        let start = Instant::now();
        let array = circuit.array()?;
        let mut engine = array.lockstep(&Options {
            threads,
            keep: Keep::Named(workload.signals.clone()),
            ..Options::default()
        })?;
        let started = start.elapsed().as_secs_f64();
        run("lockstep", threads, &mut engine, &array, workload, started)
    }

    /// The evaluator, with all nodes as one circuit.
    ///
    /// # Errors
    /// As [`EvaluatorEngine::new`].
    pub fn evaluator(
        &self,
        circuit: &CubeCircuit,
        workload: &Workload,
    ) -> Result<Measured, EngineError> {
        let start = Instant::now();
        let array = circuit.array()?;
        let mut evaluator = EvaluatorEngine::new(&array.whole())?;
        let started = start.elapsed().as_secs_f64();
        let mut engine = ByNode::new(&mut evaluator, array.nodes);
        run("evaluator", 1, &mut engine, &array, workload, started)
    }

    /// `rust-hdl`'s simulator; `None` if the machine is too large for it.
    ///
    /// # Errors
    /// As [`Reference::new`](crate::engine::Reference::new).
    pub fn reference(
        &self,
        circuit: &CubeCircuit,
        workload: &Workload,
    ) -> Result<Option<Measured>, EngineError> {
        let start = Instant::now();
        let array = circuit.array()?;
        let Some(mut engine) = circuit.reference()? else {
            return Ok(None);
        };
        let started = start.elapsed().as_secs_f64();
        run("reference", 1, &mut engine, &array, workload, started).map(Some)
    }
}

/// Runs what was compiled, a process of its own.
fn verilated(
    name: &str,
    fleet: &Fleet,
    workload: &Workload,
    shared: &[u8],
    threads: usize,
) -> Result<Measured, EngineError> {
    let result = fleet.run(&fleet_run(workload, shared, threads))?;
    let times = (fleet.compile_seconds(), result.seconds);
    let row = measured(name, threads, workload, times, &result.hashes);
    Ok(Measured {
        memory: result.memory,
        ..row
    })
}

fn fleet_run<'a>(workload: &Workload, shared: &'a [u8], threads: usize) -> FleetRun<'a> {
    FleetRun {
        threads,
        shared,
        queues: workload.queues(),
        every_clock_cycle: workload.every_clock_cycle,
    }
}

fn run(
    name: &str,
    threads: usize,
    engine: &mut dyn NodeEngine,
    array: &Array,
    workload: &Workload,
    start_seconds: f64,
) -> Result<Measured, EngineError> {
    let start = Instant::now();
    let hashes = workload.run(engine, &array.outputs())?;
    let seconds = start.elapsed().as_secs_f64();
    let times = (start_seconds, seconds);
    Ok(measured(name, threads, workload, times, &hashes))
}

fn measured(
    engine: &str,
    threads: usize,
    workload: &Workload,
    (start_seconds, seconds): (f64, f64),
    hashes: &[u64],
) -> Measured {
    let node_cycles = workload.clock_cycles as f64 * hashes.len() as f64;
    let all = hashes.iter().copied();
    let all = all.fold(
        crate::engine::fingerprint::BASIS,
        crate::engine::fingerprint::mix,
    );
    Measured {
        engine: engine.into(),
        nodes: hashes.len(),
        threads,
        clock_cycles: workload.clock_cycles,
        start_seconds,
        seconds,
        rate: node_cycles / seconds.max(1e-9) / 1e6,
        memory: peak_memory(),
        fingerprint: format!("{all:016x}"),
    }
}

/// The most resident memory that this process has had, in bytes; 0 where the system
/// does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// How the nodes of a cube are wired, for the fleet.
fn inputs(array: &Array) -> Vec<FleetInput> {
    let ports = array.node.top().ports();
    let inputs = ports.filter(|(_, port)| port.kind == SignalKind::Input);
    let mut shared = 0;
    inputs
        .map(|(_, port)| {
            let source = match array.feed(&port.name) {
                Some(Feed::Shared(_)) => {
                    shared += 1;
                    FleetSource::Shared(shared - 1)
                }
                Some(Feed::Number) => FleetSource::Number,
                Some(Feed::Nodes(lines)) => FleetSource::Across(lines[0].output.clone()),
                None => match port.name.as_str() {
                    "host_valid" => FleetSource::HostValid,
                    "host_data" => FleetSource::HostData,
                    "keep" => FleetSource::Constant((1 << port.width()) - 1),
                    _ => FleetSource::Constant(0),
                },
            };
            FleetInput {
                name: port.name.clone(),
                source,
            }
        })
        .collect()
}

/// What the phase clock tells all nodes, clock cycle by clock cycle: a bit for
/// each shared input, in the order of the ports.
fn schedule(array: &Array, workload: &Workload) -> Result<Vec<u8>, EngineError> {
    let mut clock = EvaluatorEngine::new(&array.shared)?;
    for (input, value) in workload.shared_inputs() {
        let port = clock.port(input);
        clock.set_u64(port, value);
    }
    let ports = array.node.top().ports();
    let shared: Vec<_> = ports
        .filter_map(|(_, port)| match array.feed(&port.name) {
            Some(Feed::Shared(output)) => Some(clock.port(output)),
            _ => None,
        })
        .collect();
    (0..=workload.clock_cycles)
        .map(|_| {
            clock.settle()?;
            let bits = shared.iter().rev();
            let word = bits.fold(0, |word, port| word << 1 | clock.get_u64(*port) as u8);
            clock.clock()?;
            Ok(word)
        })
        .collect()
}
