//! Machines of the model as circuits, and both on the same messages in step.

use crate::model::machine::{Change, Machine, Packet};
use crate::model::packet::Format;
use crate::model::Network;
use lockstep::lanes::Options;
use phasecube::engine::{
    ByNode, EngineError, EvaluatorEngine, NodeEngine, NodePort, Observed, Observer,
};
use phasecube::machine::{
    drive, Account, Control, Driver, End, Event, Fate, Held, Load, MachineCircuit,
};
use phasecube::networks::bytes::{ByteDriver, Standstill};
use phasecube::networks::torus::{TorusCircuit, TorusShape};
use phasecube::routing::torus::Switch;
use phasecube::rtl::torus::{Tail, TorusPlan};
use phasecube::topology::Torus;
use phasecube::traffic::{Message, MessageList, SplitMix64};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The paper's machine of the model.
pub fn machine(radices: &[u32]) -> Machine {
    let dims = radices.len();
    Machine {
        radices: radices.to_vec(),
        channels: 2,
        queue: 4,
        change: Change::AtZero,
        format: if dims > 2 { Format::Wire } else { Format::Zero },
        per_chip: 2,
    }
}

/// What the circuits are built for.
pub fn shape(machine: &Machine) -> TorusShape {
    let switch = match machine.change {
        Change::AtZero => Switch::At,
        Change::AfterZero => Switch::After,
    };
    let plan = TorusPlan {
        dims: machine.radices.len(),
        dims_per_chip: machine.per_chip,
        channels: machine.channels,
        queue: machine.queue,
        tail: match machine.format {
            Format::Zero => Tail::Zero,
            Format::Wire => Tail::Wire,
            Format::Naive => Tail::Naive,
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
    Box::new(array.lockstep(&Options::default()).unwrap())
}

/// Messages between these nodes with payloads of so many bytes: drawn, half of them zero.
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

/// One message of each node, to this node, with a payload of so many bytes.
pub fn one_each(nodes: u32, to: impl Fn(u32) -> u32, payload: u64) -> Vec<Message> {
    let pairs: Vec<(u32, u32)> = (0..nodes)
        .map(|s| (s, to(s)))
        .filter(|(s, d)| s != d)
        .collect();
    messages(&pairs, 1, (payload, payload))
}

pub fn packets(messages: &[Message]) -> Vec<Packet> {
    let packet = |m: &Message| Packet {
        source: m.source,
        destination: m.destination,
        payload: m.payload.clone(),
    };
    messages.iter().map(packet).collect()
}

/// What became of a run, with what only its driver knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub end: End,
    pub fates: Vec<Fate>,
    /// Until the last tail was handed over, or nothing moved.
    pub clock_cycles: u64,
    pub bytes: u64,
    pub hops: u64,
    /// Packets that arrived and should not have.
    pub wrong: u64,
    /// Of each message, when its first byte was on the port of its source.
    pub sent: Vec<u64>,
    /// Who waits for whom, if nothing moves any more.
    pub still: Option<Standstill>,
    pub held: Vec<Held>,
    pub events: Vec<Event>,
}

impl Run {
    fn new(account: Account, end: End, sent: Vec<u64>, still: Standstill) -> Self {
        let entry = |key| {
            let entry = account.entries.iter().find(|entry| entry.key == key);
            entry.unwrap().value.as_u64().unwrap()
        };
        Run {
            end,
            clock_cycles: account.bit_times,
            bytes: entry("bytes"),
            hops: account.hops,
            wrong: account.undetected + account.duplicated + entry("damaged"),
            sent,
            still: matches!(end, End::Stuck { .. }).then_some(still),
            fates: account.fates,
            held: account.held,
            events: account.events,
        }
    }

    pub fn is_complete(&self) -> bool {
        self.end == End::Complete
    }

    pub fn delivered(&self) -> usize {
        let delivered = |fate: &&Fate| matches!(fate, Fate::Delivered { .. } | Fate::ToSelf);
        self.fates.iter().filter(delivered).count()
    }
}

/// Runs messages on an engine that has the circuits, for so many clock cycles at most.
pub fn run_load(engine: &mut dyn NodeEngine, shape: &TorusShape, load: &Load, most: u64) -> Run {
    let shape = Arc::new(shape.clone());
    let mut driver = Box::new(ByteDriver::new(engine, shape, 1, load));
    let control = Control {
        period: 1,
        stuck_after: Some(ByteDriver::STILL),
        limit: most + 1,
        stop: Default::default(),
        progress: &mut |_, _| {},
    };
    let ran = drive(&mut *driver, control).unwrap();
    let (sent, still) = (driver.sent().to_vec(), driver.standstill());
    Run::new(driver.account(&ran), ran.end, sent, still)
}

/// Runs messages on an engine that has the circuits.
pub fn run_on(engine: &mut dyn NodeEngine, shape: &TorusShape, messages: &[Message]) -> Run {
    let load = Load::at_once(MessageList::from(messages));
    run_load(engine, shape, &load, 1_000_000)
}

/// Runs messages on the lockstep engine.
pub fn run(machine: &Machine, messages: &[Message]) -> Run {
    let shape = shape(machine);
    run_on(&mut *lockstep(&shape), &shape, messages)
}

/// The model beside an engine: the wires of every node in every clock cycle.
pub struct InStep {
    model: Network,
    ports: Vec<(NodePort, Wires)>,
    found: Vec<u64>,
    pub compared: Rc<RefCell<u64>>,
}

/// What the model says of a port of a node.
type Wires = Box<dyn Fn(&Network, usize) -> u32>;

impl InStep {
    pub fn new(engine: &mut dyn NodeEngine, model: Network) -> Self {
        let mut ports: Vec<(NodePort, Wires)> = vec![];
        for d in 0..model.machine.radices.len() {
            let mut port = |name: &str, wires: Wires| {
                ports.push((engine.port(&format!("{name}[{d}]")), wires));
            };
            port(
                "data_out",
                Box::new(move |model, node| model.wires(node, d).0),
            );
            port(
                "request_out",
                Box::new(move |model, node| model.wires(node, d).1),
            );
            port(
                "acknowledge_out",
                Box::new(move |model, node| model.wires(node, d).2),
            );
        }
        let mut port = |name: &str, wires: Wires| ports.push((engine.port(name), wires));
        port(
            "receive_data",
            Box::new(|model, node| model.processor_wires(node).0),
        );
        port(
            "receive_request",
            Box::new(|model, node| model.processor_wires(node).1),
        );
        port(
            "send_acknowledge",
            Box::new(|model, node| model.processor_wires(node).2),
        );
        InStep {
            model,
            ports,
            found: vec![],
            compared: Rc::default(),
        }
    }
}

impl Observer for InStep {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        assert_eq!(self.model.clock, clock);
        for (port, wires) in &self.ports {
            engine.get_all(*port, &mut self.found);
            for (node, found) in self.found.iter().enumerate() {
                let wanted = wires(&self.model, node);
                assert_eq!(
                    *found,
                    u64::from(wanted),
                    "port {port:?} of node {node} in clock cycle {clock}"
                );
                *self.compared.borrow_mut() += 1;
            }
        }
        self.model.step();
        Ok(())
    }
}

/// Runs messages on an engine and on the model beside it.
pub fn in_step(engine: &mut dyn NodeEngine, machine: &Machine, messages: &[Message]) -> Run {
    let model = Network::new(machine, &packets(messages));
    let mut beside = InStep::new(engine, model);
    let compared = beside.compared.clone();
    let mut observed = Observed::new(engine, vec![&mut beside]);
    let run = run_on(&mut observed, &shape(machine), messages);
    assert!(*compared.borrow() > 0);
    run
}
