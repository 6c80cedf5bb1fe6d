//! The four engines agree on every output of every node in every clock cycle of whole
//! runs; lockstep and evaluator on every signal inside.

use crate::machine::{evaluator, lockstep, machine, messages, run_on, shape, Run};
use crate::model::machine::Machine;
use crate::twins::Twins;
use lockstep::lanes::Options;
use phasecube::engine::{ByNode, EngineError, NodeEngine, NodePort, Observed, Observer, Verilator};
use phasecube::machine::MachineCircuit;
use phasecube::networks::torus::TorusCircuit;
use phasecube::toolchain::{Effort, Toolchain};
use phasecube::traffic::{Message, SplitMix64};

/// What all nodes showed, clock cycle by clock cycle, port by port.
struct Recorder {
    ports: Vec<NodePort>,
    seen: Vec<Vec<u64>>,
}

impl Observer for Recorder {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, _clock: u64) -> Result<(), EngineError> {
        for port in &self.ports {
            let mut values = vec![];
            engine.get_all(*port, &mut values);
            self.seen.push(values);
        }
        Ok(())
    }
}

fn list(nodes: u32, seed: u64) -> Vec<Message> {
    let mut random = SplitMix64::new(seed);
    let pairs: Vec<(u32, u32)> = (0..3 * nodes)
        .map(|i| (i % nodes, random.below(nodes.into()) as u32))
        .filter(|(source, destination)| source != destination)
        .collect();
    messages(&pairs, seed, (1, 12))
}

fn recorded(
    engine: &mut dyn NodeEngine,
    machine: &Machine,
    outputs: &[String],
) -> (Run, Vec<Vec<u64>>) {
    let mut recorder = Recorder {
        ports: outputs.iter().map(|name| engine.port(name)).collect(),
        seen: vec![],
    };
    let mut observed = Observed::new(engine, vec![&mut recorder]);
    let shape = shape(machine);
    let run = run_on(&mut observed, &shape, &list(shape.torus().nodes(), 5));
    (run, recorder.seen)
}

fn agree(machine: &Machine) -> Run {
    let shape = shape(machine);
    let circuit = TorusCircuit::new(shape.clone());
    let array = circuit.array().unwrap();
    let outputs = array.outputs();
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let verilator = Verilator::new(&array.whole(), &tools, models.as_ref(), Effort::Quick);
    let verilator = Box::new(verilator.unwrap_or_else(|e| panic!("{e}")));
    let mut engines: [Box<dyn NodeEngine>; 4] = [
        Box::new(circuit.reference().unwrap()),
        Box::new(evaluator(&shape)),
        lockstep(&shape),
        Box::new(ByNode::new(verilator, array.nodes)),
    ];
    let [reference, others @ ..] = &mut engines;
    let (run, wanted) = recorded(&mut **reference, machine, &outputs);
    // Agreement on constants would say little.
    for (port, name) in outputs.iter().enumerate() {
        let values = wanted.iter().skip(port).step_by(outputs.len());
        assert!(
            values.clone().any(|v| v != &wanted[port]),
            "{name} never changed"
        );
    }
    for other in others {
        let (found, seen) = recorded(&mut **other, machine, &outputs);
        assert_eq!(found, run, "{}", other.name());
        assert_eq!(seen.len(), wanted.len(), "{}", other.name());
        for (i, (seen, wanted)) in seen.iter().zip(&wanted).enumerate() {
            let (clock, port) = (i / outputs.len(), &outputs[i % outputs.len()]);
            assert_eq!(
                seen,
                wanted,
                "{}: {port} in clock cycle {clock}",
                other.name()
            );
        }
    }
    run
}

#[test]
fn on_the_4_x_2_torus() {
    let run = agree(&machine(&[4, 2]));
    assert!(run.is_complete());
}

#[test]
fn on_the_2_x_3_x_2_torus() {
    let run = agree(&machine(&[2, 3, 2]));
    assert!(run.is_complete());
}

#[test]
fn on_the_4_x_3_torus_that_stands_still() {
    let one = Machine {
        channels: 1,
        ..machine(&[4, 3])
    };
    let run = agree(&one);
    assert!(run.still.is_some(), "{run:?}");
}

#[test]
fn every_signal_in_every_clock_cycle() {
    for (radices, seed) in [(&[4, 2][..], 1), (&[3, 3], 2), (&[2, 2, 2], 3)] {
        let shape = shape(&machine(radices));
        let array = TorusCircuit::new(shape.clone()).array().unwrap();
        let mut twins = Twins::new(&array, &Options::default());
        let run = run_on(&mut twins, &shape, &list(shape.torus().nodes(), seed));
        assert!(run.is_complete());
        assert!(twins.compared > 100_000, "{}", twins.compared);
    }
}
