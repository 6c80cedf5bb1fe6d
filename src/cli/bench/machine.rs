//! Machines and engines that `phasecube bench` measures.

use crate::cli::{builds, Failure};
use crate::engine::{EngineError, Recorder, Replay, Stream, REFERENCE_NODES};
use crate::machine::{drive_for, Load};
use crate::networks::{Job, Network, Request};
use crate::report::{Bench, Measured};
use crate::toolchain::progress::Activity;
use crate::toolchain::Toolchain;
use crate::topology::Hypercube;
use crate::traffic::{ExchangeOrder, Pattern, Recipe};
use anyhow::anyhow;
use clap::ArgMatches;
use lockstep::lanes::Options;
use std::fmt;
use std::str::FromStr;

/// Approximate node-cycles of a run. The traffic lasts longer than the run.
const NODE_CYCLES: u64 = 160_000_000;

/// Most nodes for which the evaluator runs. On larger machines it would take longer than all other
/// engines together.
pub const EVALUATOR_NODES: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Verilator,
    Monolith,
    Lockstep,
    Evaluator,
    Reference,
}

const ENGINES: [Engine; 5] = [
    Engine::Verilator,
    Engine::Monolith,
    Engine::Lockstep,
    Engine::Evaluator,
    Engine::Reference,
];

/// Engine and its number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadedEngine {
    pub engine: Engine,
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
        engine().ok_or_else(|| format!("{text:?} is no engine; accepted: such as lockstep:2"))
    }
}

/// Machine and run that all engines measure.
pub struct Measurement {
    pub job: Job,
    nodes: u32,
    clock_cycles: u64,
    stream: Stream,
}

impl Measurement {
    /// Prepares the machine of a network on this cube. Without `steps`, the run has about
    /// `NODE_CYCLES` node-cycles.
    pub fn new(
        network: &'static dyn Network,
        cube: Hypercube,
        flags: &ArgMatches,
        steps: Option<u64>,
    ) -> Result<Self, Failure> {
        let recipe = Recipe {
            pattern: Pattern::Relation(32),
            seed: 1,
            payload: 4,
            order: ExchangeOrder::Pairs,
        };
        let mut job = network.measured(&Request {
            cube,
            recipe,
            list: None,
            programs: None,
            dumps: false,
            flags,
        })?;
        let Some(stream) = job.machine.stream() else {
            return Err(Failure::BadInput(anyhow!(
                "the nodes of {} hand over no words that could be compared; accepted: another \
                 --network",
                network.name()
            )));
        };
        job.machine.prepare(&builds())?;
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
    pub fn record(&self) -> Result<Replay, Failure> {
        let _activity = Activity::quiet(&format!("{} nodes: recording the driver", self.nodes));
        let machine = &*self.job.machine;
        let mut engine = machine.circuit().lockstep(&Options::default())?;
        let mut recorder = Recorder::new(&mut engine, self.stream.clone());
        let load = Load::at_once(self.job.messages.clone());
        let mut driver = machine.driver(&mut recorder, load)?;
        let driven = drive_for(&mut *driver, self.clock_cycles);
        drop(driver);
        driven.map_err(|e| Failure::Failed(e.into()))?;
        Ok(Replay {
            recording: recorder.finish().until(self.clock_cycles),
            every_clock_cycle: false,
            signals: machine.bus(),
        })
    }

    /// Returns the engines to measure on this machine, Verilator first. Engines that show no
    /// signals inside a node are left out if the machine needs such signals. Verilator's single
    /// object is built for up to `monolith` nodes.
    pub fn engines(&self, cores: usize, monolith: u32) -> Vec<ThreadedEngine> {
        let outside = self.job.machine.bus().is_empty();
        let mut all = vec![];
        for engine in ENGINES {
            let (fits, most) = match engine {
                Engine::Verilator | Engine::Lockstep => (true, cores),
                Engine::Monolith => (outside && self.nodes <= monolith, 1),
                Engine::Evaluator => (self.nodes <= EVALUATOR_NODES, 1),
                Engine::Reference => (outside && self.nodes <= REFERENCE_NODES, 1),
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
    ) -> Result<Measured, Failure> {
        let folder = builds().join("bench");
        std::fs::create_dir_all(&folder).map_err(|e| Failure::Failed(e.into()))?;
        let _activity = Activity::quiet(&format!("{} nodes: {engine}", self.nodes));
        let circuit = self.job.machine.circuit();
        let bench = Bench::new(tools, &folder, || circuit.array(), replay);
        let bench = bench.map_err(EngineError::from)?;
        let ThreadedEngine { engine, threads } = engine;
        Ok(match engine {
            Engine::Verilator => bench.verilator(threads)?,
            Engine::Monolith => bench.monolith()?,
            Engine::Lockstep => bench.lockstep(threads)?,
            Engine::Evaluator => bench.evaluator()?,
            Engine::Reference => bench.reference(|| circuit.blocks())?,
        })
    }
}
