//! The machines and engines that `phasecube bench` measures.

use crate::cli::{builds, Failure};
use crate::engine::{EngineError, Replay};
use crate::machine::{MachineCircuit, MAX_REFERENCE_DIMS};
use crate::networks::tdma::cube::{CubeCircuit, Workload};
use crate::program::Firmware;
use crate::report::{Bench, Measured};
use crate::toolchain::progress::Activity;
use crate::toolchain::Toolchain;
use crate::topology::Hypercube;
use crate::traffic::{ExchangeOrder, Pattern, Recipe};
use anyhow::anyhow;
use lockstep::lanes::Options;
use std::fmt;
use std::str::FromStr;

/// Node-cycles of a machine's run, about. The traffic lasts longer.
const NODE_CYCLES: u64 = 160_000_000;

/// The evaluator runs machines up to so many nodes: above, it would take longer than
/// all the others together.
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

/// One engine with so many threads.
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

/// What all engines run.
pub struct Machine {
    circuit: CubeCircuit,
    pub workload: Workload,
    /// The program is one's own, which may send nothing.
    own: bool,
}

impl Machine {
    pub fn new(
        cube: Hypercube,
        firmware: Option<&Firmware>,
        phases: Option<u64>,
    ) -> Result<Self, Failure> {
        let recipe = Recipe {
            pattern: Pattern::Relation(32),
            seed: 1,
            payload: 4,
            order: ExchangeOrder::Pairs,
        };
        let messages = recipe.list(cube).map_err(|e| Failure::Failed(anyhow!(e)))?;
        let circuit = CubeCircuit::new(cube, 4, true).expect("the dimensions were checked");
        let circuit = match firmware {
            Some(firmware) => circuit.with_program(firmware),
            None => circuit,
        };
        let phase = u64::from(circuit.timing().clock_cycles());
        let nodes = u64::from(cube.nodes());
        let about = (NODE_CYCLES / (nodes * phase)).clamp(4, u64::from(16 * cube.dims()));
        Ok(Machine {
            workload: Workload {
                cube,
                timing: circuit.timing(),
                messages,
                clock_cycles: phases.unwrap_or(about) * phase,
            },
            circuit,
            own: firmware.is_some_and(|firmware| firmware.name != "route"),
        })
    }

    /// What all engines are given: what the hosts set in a run on the lockstep engine.
    pub fn record(&self) -> Result<Replay, Failure> {
        let nodes = self.workload.cube.nodes();
        let _activity = Activity::quiet(&format!("{nodes} nodes: recording the hosts"));
        let mut engine = self.circuit.lockstep(&Options::default())?;
        // Of a program that sends nothing the outputs say little; its bus says all.
        let bus = ["request", "address", "write_data", "read_data"];
        let bus = bus.map(|signal| format!("node.core.{signal}"));
        Ok(Replay {
            recording: self.workload.record(&mut engine)?,
            every_clock_cycle: false,
            signals: if self.own { bus.to_vec() } else { vec![] },
        })
    }

    /// The engines that this machine is measured on, Verilator first. Those that show
    /// no bus are left out where that counts. Verilator's single object is built for up
    /// to `monolith` nodes.
    pub fn engines(&self, cores: usize, monolith: u32) -> Vec<ThreadedEngine> {
        let cube = self.workload.cube;
        let mut all = vec![];
        for engine in ENGINES {
            let (fits, most) = match engine {
                Engine::Verilator | Engine::Lockstep => (true, cores),
                Engine::Monolith => (!self.own && cube.nodes() <= monolith, 1),
                Engine::Evaluator => (cube.nodes() <= EVALUATOR_NODES, 1),
                Engine::Reference => (!self.own && cube.dims() <= MAX_REFERENCE_DIMS, 1),
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

    /// Runs one of them in this process.
    pub fn measure(
        &self,
        engine: ThreadedEngine,
        replay: &Replay,
        tools: &Toolchain,
    ) -> Result<Measured, Failure> {
        let folder = builds().join("bench");
        std::fs::create_dir_all(&folder).map_err(|e| Failure::Failed(e.into()))?;
        let nodes = self.workload.cube.nodes();
        let _activity = Activity::quiet(&format!("{nodes} nodes: {engine}"));
        let array = || self.circuit.array();
        let bench = Bench::new(tools, &folder, array, replay).map_err(EngineError::from)?;
        let ThreadedEngine { engine, threads } = engine;
        if engine == Engine::Reference && self.workload.cube.dims() > MAX_REFERENCE_DIMS {
            return Err(Failure::BadInput(anyhow!(
                "the reference runs cubes of up to {MAX_REFERENCE_DIMS} dimensions"
            )));
        }
        let blocks = || Ok(self.circuit.blocks()?.expect("the dimensions were checked"));
        Ok(match engine {
            Engine::Verilator => bench.verilator(threads)?,
            Engine::Monolith => bench.monolith()?,
            Engine::Lockstep => bench.lockstep(threads)?,
            Engine::Evaluator => bench.evaluator()?,
            Engine::Reference => bench.reference(blocks)?,
        })
    }
}
