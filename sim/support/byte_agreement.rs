//! Checks that the four engines agree on every output of every node of a byte network in every
//! clock cycle of whole runs.

use crate::support::byte_runs::{messages, ByteRun};
use lockstep::lanes::LaneOptions;
use phasecube::engine::{
    ByNode, EngineError, NodeEngine, NodePortId, ObservedEngine, Observer, VerilatorEngine,
};
use phasecube::machine::MachineCircuit;
use phasecube::toolchain::{CompileEffort, Toolchain};
use phasecube::traffic::{Message, SplitMix64};

/// Outputs of all nodes, by clock cycle and port.
struct OutputRecorder {
    ports: Vec<NodePortId>,
    seen: Vec<Vec<u64>>,
}

impl Observer for OutputRecorder {
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

/// Returns three messages from each node to random other nodes.
pub fn list(nodes: u32, seed: u64) -> Vec<Message> {
    let mut random = SplitMix64::new(seed);
    let pairs: Vec<(u32, u32)> = (0..3 * nodes)
        .map(|i| (i % nodes, random.below(nodes.into()) as u32))
        .filter(|(source, destination)| source != destination)
        .collect();
    messages(&pairs, seed, (1, 12))
}

fn recorded(
    engine: &mut dyn NodeEngine,
    outputs: &[String],
    run: impl Fn(&mut dyn NodeEngine) -> ByteRun,
) -> (ByteRun, Vec<Vec<u64>>) {
    let mut recorder = OutputRecorder {
        ports: outputs.iter().map(|name| engine.port(name)).collect(),
        seen: vec![],
    };
    let mut observed = ObservedEngine::new(engine, vec![&mut recorder]);
    (run(&mut observed), recorder.seen)
}

/// Performs a run on each engine and returns its result. Every output must change at some node.
pub fn agree(
    circuit: &dyn MachineCircuit,
    run: impl Fn(&mut dyn NodeEngine) -> ByteRun,
) -> ByteRun {
    let array = circuit.array().unwrap();
    let outputs = array.outputs();
    let tools = Toolchain::open().unwrap();
    let models = concat!(env!("CARGO_TARGET_TMPDIR"), "/models");
    let verilator = VerilatorEngine::new(
        &array.whole(),
        &tools,
        models.as_ref(),
        CompileEffort::Quick,
    );
    let verilator = Box::new(verilator.unwrap_or_else(|e| panic!("{e}")));
    let mut engines: [Box<dyn NodeEngine>; 4] = [
        Box::new(circuit.reference().unwrap()),
        Box::new(ByNode::new(circuit.evaluator().unwrap(), array.nodes)),
        Box::new(array.lockstep(&LaneOptions::default()).unwrap()),
        Box::new(ByNode::new(verilator, array.nodes)),
    ];
    let [reference, others @ ..] = &mut engines;
    let (wanted_run, wanted) = recorded(&mut **reference, &outputs, &run);
    // Agreement on constants proves little.
    for (port, name) in outputs.iter().enumerate() {
        let values = wanted.iter().skip(port).step_by(outputs.len());
        assert!(
            values.clone().any(|v| v != &wanted[port]),
            "{name} never changed"
        );
    }
    for other in others {
        let (found, seen) = recorded(&mut **other, &outputs, &run);
        assert_eq!(found, wanted_run, "{}", other.name());
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
    wanted_run
}
