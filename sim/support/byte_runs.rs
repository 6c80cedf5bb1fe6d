//! Runs of the byte networks, torus and minimal rotation, for their tests. Provides results of
//! messages, and a model that runs beside the circuits.

use lockstep::lanes::LaneOptions;
use phasecube::engine::{EngineError, NodeEngine, NodePortId, ObservedEngine, Observer};
use phasecube::machine::{
    drive, ChannelUse, Delivery, EndReason, HeldMessage, Load, MachineCircuit, MessageEvent,
    RunControl, RunStats,
};
use phasecube::networks::bytes::{ByteDriver, ByteShape, StallReport};
use phasecube::traffic::{Message, SplitMix64};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Returns messages between these nodes with random payloads of these lengths. Half of the bytes
/// are zero.
pub fn messages(pairs: &[(u32, u32)], seed: u64, lengths: (u64, u64)) -> Vec<Message> {
    let mut random = SplitMix64::new(seed);
    let message = |(source, destination): &(u32, u32)| {
        let length = lengths.0 + random.below(lengths.1 - lengths.0 + 1);
        let draw = |_| (random.below(2) * random.below(256)) as u8;
        Message {
            source: *source,
            destination: *destination,
            payload: (0..length).map(draw).collect(),
        }
    };
    pairs.iter().map(message).collect()
}

/// Returns one message from each node to the node `to`, with a payload of `payload` bytes.
pub fn one_each(nodes: u32, to: impl Fn(u32) -> u32, payload: u64) -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..nodes).map(|s| (s, to(s))).filter(|(s, d)| s != d).collect();
    messages(&pairs, 1, (payload, payload))
}

/// Results of a run, including those that only its driver knows.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteRun {
    pub end: EndReason,
    pub deliveries: Vec<Delivery>,
    /// Clock cycles until the last tail was delivered, or until nothing moved.
    pub clock_cycles: u64,
    pub bytes: u64,
    pub hops: u64,
    pub channel_use: Option<ChannelUse>,
    /// Packets that arrived but should not have.
    pub wrong: u64,
    /// Clock cycle in which the first byte of each message was on the port of its source.
    pub sent: Vec<u64>,
    /// Waiting packets and the packets that they wait for, in a deadlock.
    pub stall: Option<StallReport>,
    pub held: Vec<HeldMessage>,
    pub events: Vec<MessageEvent>,
}

impl ByteRun {
    fn new(stats: RunStats, sent: Vec<u64>, stall: StallReport) -> Self {
        let end = stats.end;
        ByteRun {
            end,
            clock_cycles: stats.bit_times,
            bytes: stats.figure("bytes"),
            hops: stats.hops,
            channel_use: stats.channel_use.clone(),
            wrong: stats.undetected + stats.duplicated + stats.figure("damaged"),
            sent,
            stall: matches!(end, EndReason::Deadlock { .. }).then_some(stall),
            deliveries: stats.deliveries,
            held: stats.held_messages,
            events: stats.events,
        }
    }

    pub fn is_complete(&self) -> bool {
        self.end == EndReason::Complete
    }

    pub fn delivered(&self) -> usize {
        let delivered = |delivery: &&Delivery| {
            matches!(delivery, Delivery::Delivered { .. } | Delivery::ToSelf)
        };
        self.deliveries.iter().filter(delivered).count()
    }
}

/// Runs messages on an engine that has the circuits, for at most `most` clock cycles. The run
/// counts as deadlocked after `stall` clock cycles without a move.
pub fn run_load(
    engine: &mut dyn NodeEngine,
    shape: Arc<dyn ByteShape>,
    load: &Load,
    stall: u64,
    most: u64,
) -> ByteRun {
    let mut driver = ByteDriver::new(engine, shape, 1, load);
    let control = RunControl { limit: most + 1, ..RunControl::to_end(1, Some(stall)) };
    let run = drive(&mut driver, control).unwrap();
    ByteRun::new(run, driver.sent().to_vec(), driver.stall_report())
}

/// A model of a machine that advances clock cycle by clock cycle.
pub trait ClockedModel {
    fn clock(&self) -> u64;
    fn step(&mut self);
}

/// The model's value of a port of a node.
pub type ModelledPort<M> = Box<dyn Fn(&M, usize) -> u64>;

/// Compares an engine with a model: the wires of every node in every clock cycle.
pub struct EngineVsModel<M> {
    model: M,
    ports: Vec<(String, NodePortId, ModelledPort<M>)>,
    found: Vec<u64>,
    pub compared: Rc<RefCell<u64>>,
}

impl<M: ClockedModel> EngineVsModel<M> {
    /// Creates the comparison. `wires` lists the outputs of nodes by name.
    pub fn new(
        engine: &mut dyn NodeEngine,
        model: M,
        wires: Vec<(String, ModelledPort<M>)>,
    ) -> Self {
        let ports = wires.into_iter().map(|(name, wires)| {
            let port = engine.port(&name);
            (name, port, wires)
        });
        EngineVsModel { model, ports: ports.collect(), found: vec![], compared: Rc::default() }
    }
}

impl<M: ClockedModel> Observer for EngineVsModel<M> {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        assert_eq!(self.model.clock(), clock);
        for (name, port, wires) in &self.ports {
            engine.get_all(*port, &mut self.found);
            for (node, found) in self.found.iter().enumerate() {
                let wanted = wires(&self.model, node);
                assert_eq!(*found, wanted, "{name} of node {node} in clock cycle {clock}");
                *self.compared.borrow_mut() += 1;
            }
        }
        self.model.step();
        Ok(())
    }
}

// Checks that the four engines agree on every output of every node of a byte network in every
// clock cycle of whole runs.

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
    let verilator = array.verilator(env!("CARGO_TARGET_TMPDIR").as_ref());
    let verilator = verilator.unwrap_or_else(|e| panic!("{e}"));
    let mut engines: [Box<dyn NodeEngine>; 4] = [
        Box::new(array.reference().unwrap()),
        Box::new(array.evaluator().unwrap()),
        Box::new(array.lockstep(&LaneOptions::default()).unwrap()),
        Box::new(verilator),
    ];
    let [reference, others @ ..] = &mut engines;
    let (wanted_run, wanted) = recorded(&mut **reference, &outputs, &run);
    // Agreement on constants proves little.
    for (port, name) in outputs.iter().enumerate() {
        let values = wanted.iter().skip(port).step_by(outputs.len());
        assert!(values.clone().any(|v| v != &wanted[port]), "{name} never changed");
    }
    for other in others {
        let (found, seen) = recorded(&mut **other, &outputs, &run);
        assert_eq!(found, wanted_run, "{}", other.name());
        assert_eq!(seen.len(), wanted.len(), "{}", other.name());
        for (i, (seen, wanted)) in seen.iter().zip(&wanted).enumerate() {
            let (clock, port) = (i / outputs.len(), &outputs[i % outputs.len()]);
            assert_eq!(seen, wanted, "{}: {port} in clock cycle {clock}", other.name());
        }
    }
    wanted_run
}
