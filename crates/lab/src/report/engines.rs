//! First part of the main job (`phasecube` alone): runs the 1-cube on several engines, which must
//! agree.

use super::OutputProbe;
use engine::agree::{self, Disagreement, Trace};
use engine::{CircuitEngine, EngineError, Fleet, FleetRun, NodeEngine, Replay};
use hdl::lower::LowerErrors;
use interconnect::traffic::Message;
use lockstep::lanes::{CycleParts, Keep, LaneOptions};
use machine::array::Array;
use machine::networks::tdma::wires::Capture;
use machine::networks::tdma::{LinkMachine, LinkRun, LinkRunError, PhaseTiming};
use machine::Delivery;
use rtl::CLOCKS_PER_BIT;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};
use thiserror::Error;
use toolchain::Toolchain;

#[derive(Debug, Error)]
pub enum AgreedRunError {
    #[error(transparent)]
    Run(#[from] LinkRunError),
    #[error("the simulators disagree: {0}")]
    Disagreement(#[from] Disagreement),
    #[error("the simulators disagree: {first} needs {expected} clock cycles, {second} {found}")]
    Length { first: &'static str, second: &'static str, expected: usize, found: usize },
}

/// Run of the machine on one engine.
#[derive(Clone, Debug)]
pub struct EngineRun {
    pub engine: &'static str,
    pub run: LinkRun,
    pub wall_seconds: f64,
}

impl EngineRun {
    /// Number of delivered messages.
    pub fn delivered(&self) -> usize {
        let arrived = |delivery: &&Delivery| matches!(delivery, Delivery::Delivered { .. });
        self.run.deliveries.iter().filter(arrived).count()
    }
}

/// Runs the 1-cube with the same messages on one engine after the other. Their outputs must be
/// equal in every clock cycle.
#[derive(Clone, Debug)]
pub struct AgreedRun {
    messages: Vec<Message>,
    first: EngineRun,
    outputs: Vec<String>,
    trace: Trace,
}

impl AgreedRun {
    /// Makes the reference run.
    ///
    /// # Errors
    /// If the engine fails or the machine hangs.
    pub fn new(
        engine: &mut dyn CircuitEngine,
        messages: Vec<Message>,
    ) -> Result<Self, AgreedRunError> {
        let (first, outputs, trace) = record(engine, &messages)?;
        Ok(AgreedRun { messages, first, outputs, trace })
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The reference run.
    pub fn first(&self) -> &EngineRun {
        &self.first
    }

    /// Number of outputs that are compared in each clock cycle.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Repeats the run on another engine.
    ///
    /// # Errors
    /// If that engine fails, or its run differs from the first one.
    pub fn repeat_on(&self, engine: &mut dyn CircuitEngine) -> Result<EngineRun, AgreedRunError> {
        let (second, _, trace) = record(engine, &self.messages)?;
        if trace.len() != self.trace.len() {
            return Err(AgreedRunError::Length {
                first: self.first.engine,
                second: second.engine,
                expected: self.trace.len(),
                found: trace.len(),
            });
        }
        agree::compare(&self.outputs, (self.first.engine, &self.trace), (second.engine, &trace))?;
        Ok(second)
    }

    /// Levels of the wire in the first phase that carried a frame.
    pub fn first_frame(&self) -> Option<Capture> {
        Capture::first(&self.outputs, &self.trace, CLOCKS_PER_BIT)
    }
}

fn record(
    engine: &mut dyn CircuitEngine,
    messages: &[Message],
) -> Result<(EngineRun, Vec<String>, Trace), LinkRunError> {
    let longest = messages.iter().map(|m| m.payload.len()).max().unwrap_or(0);
    let timing = PhaseTiming::raw(CLOCKS_PER_BIT as u32, longest + 2);
    let name = engine.name();
    let mut probe = OutputProbe::new(engine);
    let start = Instant::now();
    let run = LinkMachine::new(&mut probe, timing).run(messages)?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let (outputs, trace) = probe.into_trace();
    let run = EngineRun { engine: name, run, wall_seconds };
    Ok((run, outputs, trace))
}

// Compares the engines with Verilator on the same machine and inputs, in one run. The code is
// independent of the network.

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
    /// What the time of lockstep is spent on, if it ran in one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_cycle: Option<ChunkClockCycle>,
}

/// What the lockstep engine spends the time of a clock cycle on, for the lanes that an instruction
/// computes together. A lane can be without a node. Mean over [`PARTS_CLOCK_CYCLES`] clock cycles after the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChunkClockCycle {
    /// Number of lanes that an instruction computes.
    pub lanes: usize,
    /// Time of a clock cycle in nanoseconds.
    pub nanoseconds: f64,
    /// Number of computed gates and stored bits.
    pub instructions: f64,
    /// Nanoseconds of `gates` and of each memory. Links and all the rest take the remaining time.
    pub parts: Vec<(String, f64)>,
}

/// Number of clock cycles for which the parts are measured.
pub const PARTS_CLOCK_CYCLES: u64 = 20_000;

impl ChunkClockCycle {
    fn new(parts: &CycleParts) -> Self {
        let cycles = (parts.clock_cycles * parts.chunks as u64) as f64;
        let mean = |time: Duration| time.as_secs_f64() * 1e9 / cycles;
        let memories = parts.memories.iter();
        let memories = memories.map(|(name, time)| (name.clone(), mean(*time)));
        ChunkClockCycle {
            lanes: parts.chunk_lanes,
            nanoseconds: mean(parts.all),
            instructions: parts.instructions as f64 / cycles,
            parts: [("gates".to_string(), mean(parts.gates))].into_iter().chain(memories).collect(),
        }
    }
}

impl fmt::Display for ChunkClockCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a clock cycle of {} lanes takes {:.0} ns and {:.0} instructions:",
            self.lanes, self.nanoseconds, self.instructions
        )?;
        let mut rest = self.nanoseconds;
        for (name, time) in &self.parts {
            write!(f, " {name} {time:.0} ns,")?;
            rest -= time;
        }
        write!(f, " links and the rest {:.0} ns.", rest.max(0.0))
    }
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
        let fleet = self.array.single_object_fleet(self.replay, self.tools, self.work_dir);
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
        self.array.fleet(self.replay, threads, self.tools, self.work_dir)
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
        let measured = self.run("lockstep", threads, &mut engine, start)?;
        let alone = threads <= 1;
        let parts = alone.then(|| engine.machine().measure_parts(PARTS_CLOCK_CYCLES));
        Ok(EngineMeasurement {
            clock_cycle: parts.map(|parts| ChunkClockCycle::new(&parts)),
            ..measured
        })
    }

    /// Measures the evaluator, with all nodes as one circuit.
    ///
    /// # Errors
    /// As [`Array::evaluator`].
    pub fn evaluator(&self) -> Result<EngineMeasurement, EngineError> {
        let start = Instant::now();
        let mut engine = self.array.evaluator()?;
        self.run("evaluator", 1, &mut engine, start)
    }

    /// Measures the simulator of `rust-hdl`, with the blocks of the machine.
    ///
    /// # Errors
    /// As [`Array::reference`].
    pub fn reference(&self) -> Result<EngineMeasurement, EngineError> {
        let start = Instant::now();
        let mut engine = self.array.reference()?;
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
        Ok(EngineMeasurement { memory: result.memory, ..row })
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
        let all = all.fold(engine::recording::FNV_BASIS, engine::recording::mix);
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
            clock_cycle: None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EvaluatorEngine, ReferenceEngine};
    use hdl::lower::lower;
    use interconnect::traffic::letters;
    use machine::wave::decode_uart;
    use rtl::tdma::Link;

    type LinkPair = Link<CLOCKS_PER_BIT>;

    /// First result of the main job: twelve letters, all of them delivered.
    #[test]
    fn both_engines_deliver_the_letters() {
        let mut reference = ReferenceEngine::new(LinkPair::default()).unwrap();
        let runs = AgreedRun::new(&mut reference, letters()).unwrap();
        let design = lower(&LinkPair::default()).unwrap();
        let second = runs.repeat_on(&mut EvaluatorEngine::new(&design).unwrap());
        for one in [runs.first(), &second.unwrap()] {
            assert_eq!(one.delivered(), 12, "{:?}", one.run.deliveries);
        }
        let frame = runs.first_frame().unwrap();
        assert_eq!((frame.phase, frame.sender), (0, 0));
        let bytes: Vec<u8> =
            decode_uart(&frame.levels, CLOCKS_PER_BIT).iter().map(|byte| byte.value).collect();
        assert_eq!(bytes[5..bytes.len() - 2], letters()[0].payload);
    }

    /// A circuit with another baud rate is reported at the first output that differs.
    #[test]
    fn another_baud_rate_is_a_difference() {
        let mut evaluator = EvaluatorEngine::new(&lower(&LinkPair::default()).unwrap()).unwrap();
        let runs = AgreedRun::new(&mut evaluator, letters()).unwrap();
        let other = lower(&Link::<7>::default()).unwrap();
        let error = runs.repeat_on(&mut EvaluatorEngine::new(&other).unwrap());
        assert!(matches!(
            error.unwrap_err(),
            AgreedRunError::Disagreement(Disagreement::Output { .. })
                | AgreedRunError::Length { .. }
        ));
    }
}
