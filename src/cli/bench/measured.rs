//! Machines and engines that `phasecube bench` measures.

use crate::cli::{build_dir, CliError};
use anyhow::anyhow;
use clap::ArgMatches;
use engine::{EngineError, InputRecorder, Replay, WordStream, REFERENCE_NODES};
use interconnect::topology::Hypercube;
use interconnect::traffic::{ExchangeOrder, Recipe, TrafficPattern};
use lab::report::{EngineBench, EngineMeasurement};
use lockstep::lanes::LaneOptions;
use machine::networks::{MachineJob, Network, RunRequest};
use machine::{drive_for, Load};
use std::fmt;
use std::str::FromStr;
use toolchain::progress::ProgressStep;
use toolchain::Toolchain;

/// Approximate node-cycles of a run. The traffic lasts longer than the run.
const NODE_CYCLES: u64 = 160_000_000;

/// Most nodes for which the evaluator runs. On larger machines it would take longer than all other
/// engines together.
pub const EVALUATOR_NODES: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchEngine {
    Verilator,
    Monolith,
    Lockstep,
    Evaluator,
    Reference,
}

const ENGINES: [BenchEngine; 5] = [
    BenchEngine::Verilator,
    BenchEngine::Monolith,
    BenchEngine::Lockstep,
    BenchEngine::Evaluator,
    BenchEngine::Reference,
];

/// Engine and its number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadedEngine {
    pub engine: BenchEngine,
    pub threads: usize,
}

impl fmt::Display for ThreadedEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.engine.name(), self.threads)
    }
}

impl FromStr for ThreadedEngine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let engine = || {
            let (name, threads) = text.split_once(':')?;
            let engine = ENGINES.into_iter().find(|e| e.name() == name)?;
            let threads = threads
                .parse()
                .ok()
                .filter(|threads| (1..=256).contains(threads))?;
            Some(ThreadedEngine { engine, threads })
        };
        engine().ok_or_else(|| format!("{text:?} is not an engine; accepted: such as lockstep:2"))
    }
}

/// Machine and run that all engines measure.
pub struct Measurement {
    pub job: MachineJob,
    nodes: u32,
    clock_cycles: u64,
    stream: WordStream,
}

impl Measurement {
    /// Prepares the machine of a network on this cube. Without `steps`, the run has about
    /// `NODE_CYCLES` node-cycles.
    pub fn new(
        network: &'static dyn Network,
        cube: Hypercube,
        flags: &ArgMatches,
        steps: Option<u64>,
    ) -> Result<Self, CliError> {
        let recipe = Recipe {
            pattern: TrafficPattern::Relation(32),
            seed: 1,
            payload: 4,
            order: ExchangeOrder::Pairs,
        };
        let mut job = network.bench_job(&RunRequest {
            cube,
            recipe,
            list: None,
            programs: None,
            writes_messages: false,
            flags,
        })?;
        let Some(stream) = job.machine.stream() else {
            return Err(CliError::BadInput(anyhow!(
                "the nodes of {} deliver no words to compare; accepted: another --network",
                network.name()
            )));
        };
        job.machine.prepare(&build_dir())?;
        let timebase = job.machine.timebase();
        let step = timebase.clock_cycles();
        let nodes = job.machine.circuit().topology().nodes();
        let about = NODE_CYCLES / (u64::from(nodes) * step);
        // Scheduled traffic lasts longer than eight periods.
        let most = match job.machine.subject().steps.period {
            Some(_) => 8 * timebase.steps(),
            None => 4096,
        };
        let about = about.clamp(4, most);
        Ok(Measurement {
            job,
            nodes,
            clock_cycles: steps.unwrap_or(about) * step,
            stream,
        })
    }

    /// Records the inputs that the driver sets in a run on the lockstep engine. All engines replay
    /// this recording.
    pub fn record(&self) -> Result<Replay, CliError> {
        let _activity = ProgressStep::quiet(&format!("{} nodes: recording the driver", self.nodes));
        let machine = &*self.job.machine;
        let mut engine = machine.circuit().lockstep(&LaneOptions::default())?;
        let mut recorder = InputRecorder::new(&mut engine, self.stream.clone());
        let load = Load::at_once(self.job.messages.clone());
        let mut driver = machine.driver(&mut recorder, load)?;
        let driven = drive_for(&mut *driver, self.clock_cycles);
        drop(driver);
        driven.map_err(|e| CliError::Failed(e.into()))?;
        Ok(Replay {
            recording: recorder.finish().until(self.clock_cycles),
            every_clock_cycle: false,
            signals: machine.bus_signals(),
        })
    }

    /// Returns the engines to measure on this machine, Verilator first. Engines that show no
    /// signals inside a node are left out if the machine needs such signals. Verilator's single
    /// object is built for up to `monolith` nodes.
    pub fn engines(&self, cores: usize, monolith: u32) -> Vec<ThreadedEngine> {
        let outside = self.job.machine.bus_signals().is_empty();
        let mut all = vec![];
        for engine in ENGINES {
            let (fits, most) = match engine {
                BenchEngine::Verilator | BenchEngine::Lockstep => (true, cores),
                BenchEngine::Monolith => (outside && self.nodes <= monolith, 1),
                BenchEngine::Evaluator => (self.nodes <= EVALUATOR_NODES, 1),
                BenchEngine::Reference => (outside && self.nodes <= REFERENCE_NODES, 1),
            };
            let mut threads = vec![1, most];
            threads.dedup();
            let engines = threads
                .into_iter()
                .map(|threads| ThreadedEngine { engine, threads });
            all.extend(engines.filter(|_| fits));
        }
        all
    }

    /// Runs one engine in this process.
    pub fn measure(
        &self,
        engine: ThreadedEngine,
        replay: &Replay,
        tools: &Toolchain,
    ) -> Result<EngineMeasurement, CliError> {
        let folder = build_dir().join("bench");
        std::fs::create_dir_all(&folder).map_err(|e| CliError::Failed(e.into()))?;
        let _activity = ProgressStep::quiet(&format!("{} nodes: {engine}", self.nodes));
        let circuit = self.job.machine.circuit();
        let bench = EngineBench::new(tools, &folder, || circuit.array(), replay);
        let bench = bench.map_err(EngineError::from)?;
        let ThreadedEngine { engine, threads } = engine;
        Ok(match engine {
            BenchEngine::Verilator => bench.verilator(threads)?,
            BenchEngine::Monolith => bench.monolith()?,
            BenchEngine::Lockstep => bench.lockstep(threads)?,
            BenchEngine::Evaluator => bench.evaluator()?,
            BenchEngine::Reference => bench.reference(|| circuit.blocks())?,
        })
    }
}
