//! The CM-1 as RTL, against independent references: golden traces, the behavioural model and the
//! formulas of docs/cm1.md. The model is also checked against the golden traces.

mod agreement;
mod board;
mod column_rows;
mod errors;
mod faults;
mod golden;
mod lists;
mod livelock;
mod lockstep;
mod model_golden;
mod pipelines;
mod storage;
mod streams;
mod times;

use ::lockstep::lanes::LaneOptions;
use models::cm1::{Cm1ModelEject, Cm1ModelMachine};
use phasecube::engine::NodeEngine;
use phasecube::machine::{drive, MachineCircuit, RunControl, RunStats};
use phasecube::networks::cm1::{Cm1Circuit, Cm1Driver, Cm1Faults, Cm1Message, Cm1Shape};
use phasecube::rtl::cm1::{EjectMode, MessageFormat, PetitPlan};
use phasecube::traffic::SplitMix64;

/// Returns the ejector that corresponds to the model's.
pub fn mode(eject: Cm1ModelEject) -> EjectMode {
    match eject {
        Cm1ModelEject::Or => EjectMode::Or,
        Cm1ModelEject::PerProcessor => EjectMode::PerProcessor,
        Cm1ModelEject::PerChip => EjectMode::PerChip,
        Cm1ModelEject::Bank { .. } => EjectMode::Bank,
    }
}

/// Returns the shape of the model's machine, with 2 VP bits and 12 data bits.
pub fn shape(machine: Cm1ModelMachine) -> Cm1Shape {
    Cm1Shape {
        rows: machine.rows,
        format: MessageFormat {
            dims: machine.dims,
            proc_bits: machine.processors.ilog2(),
            vp_bits: 2,
            data_bits: 12,
        },
    }
}

pub fn circuit(machine: Cm1ModelMachine) -> Cm1Circuit {
    let shape = shape(machine);
    let plan = PetitPlan::new(shape.format, mode(machine.eject));
    Cm1Circuit::new(shape, plan).expect("up to 12 dimensions, 2 to 16 rows")
}

/// Returns messages between these processors. Message i carries i, for virtual processor i modulo
/// 4.
pub fn messages(pairs: &[(u32, u32)]) -> Vec<Cm1Message> {
    assert!(pairs.len() <= 1 << 12);
    let message = |(i, (source, destination)): (usize, &(u32, u32))| Cm1Message {
        source: *source,
        destination: *destination,
        vp: i as u32 % 4,
        data: (i as u16).to_le_bytes().to_vec(),
    };
    pairs.iter().enumerate().map(message).collect()
}

/// Runs messages on an engine that has the circuit.
pub fn run_on(
    engine: &mut dyn NodeEngine,
    circuit: Cm1Circuit,
    timeout: u64,
    messages: &[Cm1Message],
) -> RunStats {
    let mut driver = Cm1Driver::new(engine, &circuit, &Cm1Faults::default(), messages, &[]);
    driver.timeout = timeout;
    let control = RunControl { limit: 20_000, ..RunControl::to_end(1, None) };
    drive(&mut driver, control).unwrap()
}

/// Runs messages on the evaluator.
pub fn run(machine: Cm1ModelMachine, pairs: &[(u32, u32)]) -> RunStats {
    let circuit = circuit(machine);
    let mut chips = circuit.array().unwrap().evaluator().unwrap();
    run_on(&mut chips, circuit, machine.timeout, &messages(pairs))
}

/// Runs messages on the lockstep engine.
pub fn run_lockstep(machine: Cm1ModelMachine, pairs: &[(u32, u32)]) -> RunStats {
    let circuit = circuit(machine);
    let mut engine = circuit.array().unwrap().lockstep(&LaneOptions::default()).unwrap();
    run_on(&mut engine, circuit, machine.timeout, &messages(pairs))
}

/// Returns the source and destination processor of every message. The seeds cycle through even
/// lists, hotspots, local messages, permutations, and lists of few messages.
pub fn drawn_list(dims: u32, processors: usize, seed: u64) -> Vec<(u32, u32)> {
    let mut random = SplitMix64::new(seed);
    let all = (processors << dims) as u64;
    let per_chip = processors as u64;
    let mut pairs = vec![];
    let spots = [random.below(all), random.below(all)];
    let rounds = match seed % 5 {
        4 => 1,
        _ => 1 + random.below(3),
    };
    for _ in 0..rounds {
        let mut permuted: Vec<u64> = (0..all).collect();
        random.shuffle(&mut permuted);
        for source in 0..all {
            let anywhere = random.below(all);
            let destination = match seed % 5 {
                0 => anywhere,
                1 if random.below(4) > 0 => spots[random.below(2) as usize],
                2 => {
                    let hops = random.below(2) << random.below(dims.into());
                    ((source / per_chip) ^ hops) * per_chip + anywhere % per_chip
                }
                3 => permuted[source as usize],
                4 if random.below(8) > 0 => continue,
                _ => anywhere,
            };
            pairs.push((source as u32, destination as u32));
        }
    }
    pairs
}
