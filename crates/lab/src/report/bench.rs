//! Compares the engines with Verilator on the same machine and inputs, in one run. The code is
//! independent of the network.

use engine::{
    fingerprint, ByNode, EngineError, EvaluatorEngine, Fleet, FleetRun, NodeEngine, Replay,
};
use hdl::lower::LowerErrors;
use lockstep::lanes::{Keep, LaneOptions};
use machine::array::{Array, BlockEngines};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Instant;
use toolchain::Toolchain;

/// Measurement of one engine on one machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineMeasurement {
    pub engine: String,
    pub nodes: usize,
    pub threads: usize,
    pub clock_cycles: u64,
    /// Time from the circuit's source to the first clock cycle. For Verilator this includes the
    /// compilation, even if it was done earlier.
    pub start_seconds: f64,
    /// Time for the clock cycles.
    pub seconds: f64,
    /// Simulation speed in millions of node-cycles per second.
    pub rate: f64,
    /// Peak resident memory of the process, in bytes, or 0 if the system does not report it. The
    /// value applies to this engine only if the process measured no other engine.
    pub memory: u64,
    /// Fingerprint of the behaviour of all nodes.
    pub fingerprint: String,
}

/// Measures engines on one machine, one after the other.
pub struct EngineBench<'a> {
    tools: &'a Toolchain,
    work_dir: &'a Path,
    array: Array,
    replay: &'a Replay,
    /// Time from the circuit's source to the array, in seconds.
    lowering_seconds: f64,
}

impl<'a> EngineBench<'a> {
    /// Measures the machine that `array` makes, with the recorded inputs in `replay`.
    ///
    /// # Errors
    /// If `array` fails.
    pub fn new(
        tools: &'a Toolchain,
        work_dir: &'a Path,
        array: impl FnOnce() -> Result<Array, LowerErrors>,
        replay: &'a Replay,
    ) -> Result<Self, LowerErrors> {
        let start = Instant::now();
        let array = array()?;
        Ok(EngineBench {
            tools,
            work_dir,
            array,
            replay,
            lowering_seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Measures Verilator with one object per node.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn verilator(&self, threads: usize) -> Result<EngineMeasurement, EngineError> {
        self.verilated("verilator", self.fleet(threads)?)
    }

    /// Measures Verilator with the whole machine as one object, on one thread.
    ///
    /// # Errors
    /// As [`verilator`](Self::verilator).
    pub fn monolith(&self) -> Result<EngineMeasurement, EngineError> {
        let fleet = self
            .array
            .single_object_fleet(self.replay, self.tools, self.work_dir);
        self.verilated("monolith", fleet?)
    }

    /// Returns the fingerprints of all nodes under Verilator.
    ///
    /// # Errors
    /// As [`verilator`](Self::verilator).
    pub fn fingerprints(&self, threads: usize) -> Result<Vec<u64>, EngineError> {
        let (fleet, run) = self.fleet(threads)?;
        Ok(fleet.run(&run)?.hashes)
    }

    /// Compiled node, and its run parameters.
    fn fleet(&self, threads: usize) -> Result<(Fleet, FleetRun), EngineError> {
        self.array
            .fleet(self.replay, threads, self.tools, self.work_dir)
    }

    /// Measures the lockstep engine.
    ///
    /// # Errors
    /// As [`Array::lockstep`].
    pub fn lockstep(&self, threads: usize) -> Result<EngineMeasurement, EngineError> {
        let start = Instant::now();
        let mut engine = self.array.lockstep(&LaneOptions {
            threads,
            keep: Keep::Named(self.replay.signals.clone()),
            ..LaneOptions::default()
        })?;
        self.run("lockstep", threads, &mut engine, start)
    }

    /// Measures the evaluator, with all nodes as one circuit.
    ///
    /// # Errors
    /// As [`EvaluatorEngine::new`].
    pub fn evaluator(&self) -> Result<EngineMeasurement, EngineError> {
        let start = Instant::now();
        let mut evaluator = EvaluatorEngine::new(&self.array.whole())?;
        let mut engine = ByNode::new(&mut evaluator, self.array.nodes);
        self.run("evaluator", 1, &mut engine, start)
    }

    /// Measures the simulator of `rust-hdl`, with the blocks of the machine.
    ///
    /// # Errors
    /// If `blocks` fails, and as [`Array::assemble`].
    pub fn reference(
        &self,
        blocks: impl FnOnce() -> Result<BlockEngines, EngineError>,
    ) -> Result<EngineMeasurement, EngineError> {
        let start = Instant::now();
        let mut engine = self.array.assemble(blocks()?)?;
        self.run("reference", 1, &mut engine, start)
    }

    /// Runs a compiled simulation in its own process.
    fn verilated(
        &self,
        name: &str,
        (fleet, run): (Fleet, FleetRun),
    ) -> Result<EngineMeasurement, EngineError> {
        let result = fleet.run(&run)?;
        let times = (fleet.compile_seconds(), result.seconds);
        let row = self.measurement(name, run.threads, times, &result.hashes);
        Ok(EngineMeasurement {
            memory: result.memory,
            ..row
        })
    }

    /// Runs an engine whose construction began at `start`.
    fn run(
        &self,
        name: &str,
        threads: usize,
        engine: &mut dyn NodeEngine,
        start: Instant,
    ) -> Result<EngineMeasurement, EngineError> {
        let started = self.lowering_seconds + start.elapsed().as_secs_f64();
        let player = self.replay.prepare(engine, &self.array.outputs());
        let start = Instant::now();
        let hashes = player.run(engine)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(self.measurement(name, threads, (started, seconds), &hashes))
    }

    fn measurement(
        &self,
        engine: &str,
        threads: usize,
        (start_seconds, seconds): (f64, f64),
        hashes: &[u64],
    ) -> EngineMeasurement {
        let clock_cycles = self.replay.recording.clock_cycles;
        let node_cycles = clock_cycles as f64 * hashes.len() as f64;
        let all = hashes.iter().copied();
        let all = all.fold(fingerprint::FNV_BASIS, fingerprint::mix);
        EngineMeasurement {
            engine: engine.into(),
            nodes: hashes.len(),
            threads,
            clock_cycles,
            start_seconds,
            seconds,
            rate: node_cycles / seconds.max(1e-9) / 1e6,
            memory: peak_memory(),
            fingerprint: format!("{all:016x}"),
        }
    }
}

/// Peak resident memory of this process, in bytes, or 0 if the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kilobytes.unwrap_or(0) * 1024
}
