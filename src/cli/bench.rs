//! `phasecube bench`: the engines against Verilator.

use super::args::OutputArgs;
use super::{builds, output, Failure};
use crate::machine::cube::{CubeCircuit, Workload};
use crate::program::Firmware;
use crate::report::{Bench, Measured};
use crate::toolchain::progress::{self, Activity};
use crate::toolchain::Toolchain;
use crate::topology::Hypercube;
use crate::traffic::{ExchangeOrder, Pattern, Recipe};
use anyhow::anyhow;
use clap::Args;
use std::thread;

/// Measure the engines against Verilator on the same nodes, program and traffic
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// Cubes of these dimensions, 1 to 12
    #[arg(long, value_name = "N,N..", value_delimiter = ',', default_values_t = [4, 6, 8, 10, 12])]
    dims: Vec<u64>,

    /// What the nodes run: route, an ELF file or a C file (.c); or none: hardware forwarders
    #[arg(long, value_name = "PROGRAM", default_value = "route")]
    firmware: String,

    /// Phases that each machine runs; by default as many as make some 40 million node-cycles, four at least
    #[arg(long, value_name = "N")]
    phases: Option<u64>,

    #[command(flatten)]
    output: OutputArgs,
}

/// Node-cycles of a machine's run, about.
const NODE_CYCLES: u64 = 40_000_000;

/// The slower engines run machines up to so many nodes.
const EVALUATOR_NODES: u32 = 64;

/// Runs all engines and prints the table.
pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    let tools = Toolchain::open()?;
    let firmware = match args.firmware.as_str() {
        "none" => None,
        name => Some(Firmware::open(name, &tools, &builds())?),
    };
    if let Some(firmware) = &firmware {
        progress::note(&firmware.to_string());
    }
    let cubes = args.dims.iter().map(|dims| match Hypercube::new(*dims) {
        Ok(cube) if cube.dims() <= CubeCircuit::MAX_DIMS => Ok(cube),
        _ => Err(Failure::BadInput(anyhow!(
            "--dims {dims}: no such cube; accepted: 1 to {}",
            CubeCircuit::MAX_DIMS
        ))),
    });
    let cubes: Vec<Hypercube> = cubes.collect::<Result<_, _>>()?;
    let versions = tools.verilator()?.to_string();
    if !args.output.json {
        output::print(&format!(
            "Nodes with {}, relation:8, acked; {versions}, g++ -O3 -march=native, one object per node\n\n{HEAD}",
            match &firmware {
                Some(_) => format!("a core that runs {}", args.firmware),
                None => "forwarders".into(),
            }
        ))?;
    }
    let mut all = vec![];
    for cube in cubes {
        let rows = machine(args, cube, firmware.as_ref(), &tools)?;
        all.extend(rows);
    }
    match args.output.json {
        true => output::print(&(serde_json::to_string(&all).expect("numbers are JSON") + "\n")),
        false => Ok(()),
    }
}

const HEAD: &str = "\
| nodes | engine     | threads | start, s | clock cycles | million node-cycles/s | times Verilator |
| ----: | ---------- | ------: | -------: | -----------: | --------------------: | --------------: |
";

/// All engines on one machine, each row printed as soon as it is there.
fn machine(
    args: &BenchArgs,
    cube: Hypercube,
    firmware: Option<&Firmware>,
    tools: &Toolchain,
) -> Result<Vec<Measured>, Failure> {
    let recipe = Recipe {
        pattern: Pattern::Relation(8),
        seed: 1,
        payload: 4,
        order: ExchangeOrder::Pairs,
    };
    let messages = recipe.list(cube).map_err(|e| Failure::Failed(anyhow!(e)))?;
    let circuit = CubeCircuit::new(cube, 4, true, 256).expect("the dimensions were checked");
    let circuit = match firmware {
        Some(firmware) => circuit.with_program(firmware),
        None => circuit,
    };
    let phase = u64::from(circuit.timing().clock_cycles());
    let nodes = u64::from(cube.nodes());
    let phases = (NODE_CYCLES / (nodes * phase)).clamp(4, u64::from(4 * 2 * cube.dims()));
    let workload = Workload {
        cube,
        timing: circuit.timing(),
        messages,
        clock_cycles: args.phases.unwrap_or(phases) * phase,
        every_clock_cycle: false,
    };
    let folder = builds().join("bench");
    std::fs::create_dir_all(&folder).map_err(|e| Failure::Failed(e.into()))?;
    let bench = Bench {
        tools,
        work_dir: &folder,
    };
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    let mut threads = vec![1, cores];
    threads.dedup();

    let mut rows: Vec<Measured> = vec![];
    let mut verilator = 0.0;
    let activity = Activity::quiet("the engines");
    let mut add = |row: Measured| -> Result<(), Failure> {
        if let Some(first) = rows.first() {
            if row.fingerprint != first.fingerprint {
                return Err(Failure::Failed(anyhow!(
                    "{} and {} do not do the same on {} nodes: fingerprints {} and {}",
                    first.engine,
                    row.engine,
                    row.nodes,
                    first.fingerprint,
                    row.fingerprint
                )));
            }
        }
        if row.engine == "verilator" && row.threads == 1 {
            verilator = row.rate;
        }
        if !args.output.json {
            output::print(&format!(
                "| {:5} | {:10} | {:7} | {:8.2} | {:12} | {:21.2} | {:15.1} |\n",
                row.nodes,
                row.engine,
                row.threads,
                row.start_seconds,
                row.clock_cycles,
                row.rate,
                row.rate / verilator
            ))?;
        }
        rows.push(row);
        Ok(())
    };
    for threads in &threads {
        activity.step(&format!("{nodes} nodes: verilator, {threads} threads"));
        add(bench.verilator(&circuit, &workload, *threads)?)?;
    }
    for threads in &threads {
        activity.step(&format!("{nodes} nodes: lockstep, {threads} threads"));
        add(bench.lockstep(&circuit, &workload, *threads)?)?;
    }
    if cube.nodes() <= EVALUATOR_NODES {
        activity.step(&format!("{nodes} nodes: evaluator"));
        add(bench.evaluator(&circuit, &workload)?)?;
        activity.step(&format!("{nodes} nodes: reference"));
        if let Some(row) = bench.reference(&circuit, &workload)? {
            add(row)?;
        }
    }
    drop(activity);
    Ok(rows)
}
