//! Minimal rotation as RTL, against independent references. These are the model of packets and
//! bytes, golden routes, and the laws and figures of the note and of the network's specification.

mod agreement;
mod deadlock;
mod failed_switch;
mod figures;
mod first_hop;
mod latency;
mod lists;
mod loads;
mod routes;

use crate::support::byte_runs;
pub use crate::support::byte_runs::{messages, one_each, ByteRun};
use crate::support::byte_runs::{ClockedModel, EngineVsModel, ModelledPort};
use lockstep::lanes::LaneOptions;
use models::rotation::{RotationModelMachine, RotationModelNetwork, RotationModelPacket};
use phasecube::engine::{NodeEngine, ObservedEngine};
use phasecube::machine::{Load, MachineCircuit};
use phasecube::networks::rotation::{RotationCircuit, RotationShape};
use phasecube::routing::rotation::RotationRule;
use phasecube::rtl::rotation::{FirstHop, RotationPlan};
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, MessageList, Recipe};
use std::sync::Arc;

/// Returns the model's machine with two virtual channels.
pub fn machine(dims: u32) -> RotationModelMachine {
    RotationModelMachine {
        dims,
        channels: 2,
        queue: 4,
        rule: models::rotation::RotationModelRule::Minimal,
        serial: dims > 8,
    }
}

/// Returns the parameters of the circuits.
pub fn shape(machine: &RotationModelMachine) -> RotationShape {
    let plan = RotationPlan {
        dims: machine.dims as usize,
        channels: machine.channels,
        queue: machine.queue,
        rewired: false,
        rule: match machine.rule {
            models::rotation::RotationModelRule::Minimal => RotationRule::Minimal,
            models::rotation::RotationModelRule::Thacker => RotationRule::Thacker,
        },
        first: match machine.serial {
            true => FirstHop::Serial,
            false => FirstHop::Table,
        },
    };
    let cube = Hypercube::new(machine.dims.into()).unwrap();
    RotationShape::new(cube).with(plan).unwrap()
}

pub fn lockstep(shape: &RotationShape) -> Box<dyn NodeEngine> {
    let array = RotationCircuit::new(*shape).array().unwrap();
    Box::new(array.lockstep(&LaneOptions::default()).unwrap())
}

/// Returns the messages of a pattern with seed 1 and a payload of `payload` bytes.
pub fn pattern(name: &str, dims: u32, payload: usize) -> Vec<Message> {
    let recipe = Recipe {
        pattern: name.parse().unwrap(),
        seed: 1,
        payload,
        order: ExchangeOrder::default(),
    };
    let cube = Hypercube::new(dims.into()).unwrap();
    recipe.messages(cube).unwrap()
}

pub fn packets(messages: &[Message]) -> Vec<RotationModelPacket> {
    let packet = |m: &Message| RotationModelPacket {
        source: m.source,
        destination: m.destination,
        payload: m.payload.clone(),
    };
    messages.iter().map(packet).collect()
}

/// Runs messages on an engine that has the circuits, for at most `most` clock cycles.
pub fn run_load(
    engine: &mut dyn NodeEngine,
    shape: &RotationShape,
    load: &Load,
    most: u64,
) -> ByteRun {
    byte_runs::run_load(engine, Arc::new(*shape), load, shape.quiescent_after(), most)
}

/// Runs messages on an engine that has the circuits.
pub fn run_on(engine: &mut dyn NodeEngine, shape: &RotationShape, messages: &[Message]) -> ByteRun {
    let load = Load::at_once(MessageList::from(messages));
    run_load(engine, shape, &load, 1_000_000)
}

/// Runs messages on the lockstep engine.
pub fn run(machine: &RotationModelMachine, messages: &[Message]) -> ByteRun {
    let shape = shape(machine);
    run_on(&mut *lockstep(&shape), &shape, messages)
}

impl ClockedModel for RotationModelNetwork {
    fn clock(&self) -> u64 {
        self.clock
    }

    fn step(&mut self) {
        RotationModelNetwork::step(self);
    }
}

/// Returns the model's values for every output of a node. The model has all possible virtual
/// channels, the circuit only those that occur.
fn wires(shape: &RotationShape) -> Vec<(String, ModelledPort<RotationModelNetwork>)> {
    let mut all: Vec<(String, ModelledPort<RotationModelNetwork>)> = vec![];
    let mut output =
        |name: String, wires: ModelledPort<RotationModelNetwork>| all.push((name, wires));
    for d in 0..shape.plan().dims {
        let data = move |model: &RotationModelNetwork, node| model.data(node, d).into();
        output(format!("data_out[{d}]"), Box::new(data));
    }
    for (number, lane) in shape.crossbar().lanes().iter().enumerate() {
        let (d, v) = (lane.dim, lane.vc);
        let request = move |model: &RotationModelNetwork, node| model.wires(node, d, v).0.into();
        let acknowledge =
            move |model: &RotationModelNetwork, node| model.wires(node, d, v).1.into();
        output(format!("request_out[{number}]"), Box::new(request));
        output(format!("acknowledge_out[{number}]"), Box::new(acknowledge));
    }
    let data = |model: &RotationModelNetwork, node| model.processor_wires(node).0.into();
    let request = |model: &RotationModelNetwork, node| model.processor_wires(node).1.into();
    let acknowledge = |model: &RotationModelNetwork, node| model.processor_wires(node).2.into();
    output("receive_data".into(), Box::new(data));
    output("receive_request".into(), Box::new(request));
    output("send_acknowledge".into(), Box::new(acknowledge));
    all
}

/// Runs messages on an engine, and compares it with the model in every clock cycle.
pub fn run_against_model(
    engine: &mut dyn NodeEngine,
    machine: &RotationModelMachine,
    messages: &[Message],
) -> ByteRun {
    let (shape, model) = (shape(machine), RotationModelNetwork::new(machine, &packets(messages)));
    let mut beside = EngineVsModel::new(engine, model, wires(&shape));
    let compared = beside.compared.clone();
    let mut observed = ObservedEngine::new(engine, vec![&mut beside]);
    let run = run_on(&mut observed, &shape, messages);
    assert!(*compared.borrow() > 0);
    run
}
