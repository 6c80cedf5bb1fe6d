//! The machines and engines that `phasecube bench` measures.

use crate::cli::{builds, Failure};
use crate::machine::cube::{CubeCircuit, Workload};
use crate::machine::MAX_REFERENCE_DIMS;
use crate::program::Firmware;
use crate::report::{Bench, Measured};
use crate::toolchain::progress::Activity;
use crate::toolchain::Toolchain;
use crate::topology::Hypercube;
use crate::traffic::{ExchangeOrder, Pattern, Recipe};
use anyhow::anyhow;
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
pub struct Which {
    pub engine: Engine,
    pub threads: usize,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.engine.name(), self.threads)
    }
}

impl FromStr for Which {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let which = || {
            let (name, threads) = text.split_once(':')?;
            let engine = ENGINES.into_iter().find(|e| e.name() == name)?;
            let threads = threads
                .parse()
                .ok()
                .filter(|threads| (1..=256).contains(threads))?;
            Some(Which { engine, threads })
        };
        which().ok_or_else(|| format!("{text:?} is no engine; accepted: such as lockstep:2"))
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
        // Of a program that sends nothing the outputs say little; its bus says all.
        let own = firmware.is_some_and(|firmware| firmware.name != "route");
        let bus = ["request", "address", "write_data", "read_data"];
        let bus = bus.map(|signal| format!("node.core.{signal}"));
        Ok(Machine {
            workload: Workload {
                cube,
                timing: circuit.timing(),
                messages,
                clock_cycles: phases.unwrap_or(about) * phase,
                every_clock_cycle: false,
                signals: if own { bus.to_vec() } else { vec![] },
            },
            circuit,
            own,
        })
    }

    /// The engines that this machine is measured on, Verilator first. Those that show
    /// no bus are left out where that counts. Verilator's single object is built for up
    /// to `monolith` nodes.
    pub fn engines(&self, cores: usize, monolith: u32) -> Vec<Which> {
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
            let which = threads.into_iter().map(|threads| Which { engine, threads });
            all.extend(which.filter(|_| fits));
        }
        all
    }

    /// Runs one of them in this process.
    pub fn measure(&self, which: Which, tools: &Toolchain) -> Result<Measured, Failure> {
        let folder = builds().join("bench");
        std::fs::create_dir_all(&folder).map_err(|e| Failure::Failed(e.into()))?;
        let bench = Bench {
            tools,
            work_dir: &folder,
        };
        let nodes = self.workload.cube.nodes();
        let _activity = Activity::quiet(&format!("{nodes} nodes: {which}"));
        let (circuit, workload, threads) = (&self.circuit, &self.workload, which.threads);
        let row = match which.engine {
            Engine::Verilator => bench.verilator(circuit, workload, threads)?,
            Engine::Monolith => bench.monolith(circuit, workload)?,
            Engine::Lockstep => bench.lockstep(circuit, workload, threads)?,
            Engine::Evaluator => bench.evaluator(circuit, workload)?,
            Engine::Reference => bench.reference(circuit, workload)?.ok_or_else(|| {
                Failure::BadInput(anyhow!(
                    "the reference runs cubes of up to {MAX_REFERENCE_DIMS} dimensions"
                ))
            })?,
        };
        Ok(row)
    }
}
