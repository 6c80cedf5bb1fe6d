//! The torus routing chip as RTL, against independent references. These are the model of packets
//! and bytes, golden routes, and the laws and figures of the paper and of its specification.

mod agreement;
mod deadlock;
mod figures;
mod framing;
mod latency;
mod lists;
mod load;
mod routes;

use crate::support::byte_runs;
pub use crate::support::byte_runs::{messages, one_each, ByteRun};
use crate::support::byte_runs::{ClockedModel, EngineVsModel, ModelledPort};
use lockstep::lanes::LaneOptions;
use models::bytes::ModelTailFormat;
use models::torus::{TorusModelMachine, TorusModelNetwork, TorusModelPacket, TorusModelVcChange};
use phasecube::engine::{ByNode, EvaluatorEngine, NodeEngine, ObservedEngine};
use phasecube::machine::{Load, MachineCircuit};
use phasecube::networks::bytes::ByteDriver;
use phasecube::networks::torus::{TorusCircuit, TorusShape};
use phasecube::routing::torus::VcSwitchNode;
use phasecube::rtl::torus::{Tail, TorusPlan};
use phasecube::topology::Torus;
use phasecube::traffic::{Message, MessageList};
use std::sync::Arc;

/// Returns the paper's machine in the model.
pub fn machine(radices: &[u32]) -> TorusModelMachine {
    let dims = radices.len();
    TorusModelMachine {
        radices: radices.to_vec(),
        channels: 2,
        queue: 4,
        vc_change: TorusModelVcChange::AtZero,
        format: if dims > 2 { ModelTailFormat::Wire } else { ModelTailFormat::Zero },
        per_chip: 2,
    }
}

/// Returns the parameters of the circuits.
pub fn shape(machine: &TorusModelMachine) -> TorusShape {
    let switch = match machine.vc_change {
        TorusModelVcChange::AtZero => VcSwitchNode::AtOrigin,
        TorusModelVcChange::AfterZero => VcSwitchNode::AfterOrigin,
    };
    let plan = TorusPlan {
        dims: machine.radices.len(),
        dims_per_chip: machine.per_chip,
        channels: machine.channels,
        queue: machine.queue,
        tail: match machine.format {
            ModelTailFormat::Zero => Tail::Zero,
            ModelTailFormat::Wire => Tail::Wire,
            ModelTailFormat::Naive => Tail::Naive,
        },
    };
    let torus = Torus::new(&machine.radices).unwrap();
    TorusShape::new(torus).switching(switch).with(plan).unwrap()
}

pub fn evaluator(shape: &TorusShape) -> ByNode<Box<EvaluatorEngine>> {
    let array = TorusCircuit::new(shape.clone()).array().unwrap();
    let engine = EvaluatorEngine::new(&array.whole()).unwrap();
    ByNode::new(Box::new(engine), array.nodes)
}

pub fn lockstep(shape: &TorusShape) -> Box<dyn NodeEngine> {
    let array = TorusCircuit::new(shape.clone()).array().unwrap();
    Box::new(array.lockstep(&LaneOptions::default()).unwrap())
}

pub fn packets(messages: &[Message]) -> Vec<TorusModelPacket> {
    let packet = |m: &Message| TorusModelPacket {
        source: m.source,
        destination: m.destination,
        payload: m.payload.clone(),
    };
    messages.iter().map(packet).collect()
}

/// Runs messages on an engine that has the circuits, for at most `most` clock cycles.
pub fn run_load(
    engine: &mut dyn NodeEngine,
    shape: &TorusShape,
    load: &Load,
    most: u64,
) -> ByteRun {
    let stall = ByteDriver::QUIESCENT_AFTER;
    byte_runs::run_load(engine, Arc::new(shape.clone()), load, stall, most)
}

/// Runs messages on an engine that has the circuits.
pub fn run_on(engine: &mut dyn NodeEngine, shape: &TorusShape, messages: &[Message]) -> ByteRun {
    let load = Load::at_once(MessageList::from(messages));
    run_load(engine, shape, &load, 1_000_000)
}

/// Runs messages on the lockstep engine.
pub fn run(machine: &TorusModelMachine, messages: &[Message]) -> ByteRun {
    let shape = shape(machine);
    run_on(&mut *lockstep(&shape), &shape, messages)
}

impl ClockedModel for TorusModelNetwork {
    fn clock(&self) -> u64 {
        self.clock
    }

    fn step(&mut self) {
        TorusModelNetwork::step(self);
    }
}

/// Returns the model's values for every output of a node.
fn wires(model: &TorusModelNetwork) -> Vec<(String, ModelledPort<TorusModelNetwork>)> {
    let mut all: Vec<(String, ModelledPort<TorusModelNetwork>)> = vec![];
    let mut output = |name: String, wires: ModelledPort<TorusModelNetwork>| all.push((name, wires));
    for d in 0..model.machine.radices.len() {
        let data = move |model: &TorusModelNetwork, node| model.wires(node, d).0.into();
        let request = move |model: &TorusModelNetwork, node| model.wires(node, d).1.into();
        let acknowledge = move |model: &TorusModelNetwork, node| model.wires(node, d).2.into();
        output(format!("data_out[{d}]"), Box::new(data));
        output(format!("request_out[{d}]"), Box::new(request));
        output(format!("acknowledge_out[{d}]"), Box::new(acknowledge));
    }
    let data = |model: &TorusModelNetwork, node| model.processor_wires(node).0.into();
    let request = |model: &TorusModelNetwork, node| model.processor_wires(node).1.into();
    let acknowledge = |model: &TorusModelNetwork, node| model.processor_wires(node).2.into();
    output("receive_data".into(), Box::new(data));
    output("receive_request".into(), Box::new(request));
    output("send_acknowledge".into(), Box::new(acknowledge));
    all
}

/// Runs messages on an engine, and compares it with the model in every clock cycle.
pub fn run_against_model(
    engine: &mut dyn NodeEngine,
    machine: &TorusModelMachine,
    messages: &[Message],
) -> ByteRun {
    let model = TorusModelNetwork::new(machine, &packets(messages));
    let wires = wires(&model);
    let mut beside = EngineVsModel::new(engine, model, wires);
    let compared = beside.compared.clone();
    let mut observed = ObservedEngine::new(engine, vec![&mut beside]);
    let run = run_on(&mut observed, &shape(machine), messages);
    assert!(*compared.borrow() > 0);
    run
}
