//! Runs of the byte networks, torus and minimal rotation, for their tests. Provides results of
//! messages, and a model that runs beside the circuits.

use phasecube::engine::{EngineError, NodeEngine, NodePort, Observer};
use phasecube::machine::{drive, Account, Control, Driver, End, Event, Fate, Held, Load};
use phasecube::networks::bytes::{ByteDriver, ByteShape, Standstill};
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
    let pairs: Vec<(u32, u32)> = (0..nodes)
        .map(|s| (s, to(s)))
        .filter(|(s, d)| s != d)
        .collect();
    messages(&pairs, 1, (payload, payload))
}

/// Results of a run, including those that only its driver knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub end: End,
    pub fates: Vec<Fate>,
    /// Clock cycles until the last tail was delivered, or until nothing moved.
    pub clock_cycles: u64,
    pub bytes: u64,
    pub hops: u64,
    /// Packets that arrived but should not have.
    pub wrong: u64,
    /// Clock cycle in which the first byte of each message was on the port of its source.
    pub sent: Vec<u64>,
    /// Waiting packets and the packets that they wait for, in a deadlock.
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

/// Runs messages on an engine that has the circuits, for at most `most` clock cycles. The run
/// counts as deadlocked after `still` clock cycles without a move.
pub fn run_load(
    engine: &mut dyn NodeEngine,
    shape: Arc<dyn ByteShape>,
    load: &Load,
    still: u64,
    most: u64,
) -> Run {
    let mut driver = Box::new(ByteDriver::new(engine, shape, 1, load));
    let control = Control {
        period: 1,
        stuck_after: Some(still),
        limit: most + 1,
        stop: Default::default(),
        progress: &mut |_, _| {},
        tell: &mut |_| {},
    };
    let ran = drive(&mut *driver, control).unwrap();
    let (sent, still) = (driver.sent().to_vec(), driver.standstill());
    Run::new(driver.account(&ran), ran.end, sent, still)
}

/// A model of a machine that advances clock cycle by clock cycle.
pub trait Model {
    fn clock(&self) -> u64;
    fn step(&mut self);
}

/// The model's value of a port of a node.
pub type Wires<M> = Box<dyn Fn(&M, usize) -> u64>;

/// Compares an engine with a model: the wires of every node in every clock cycle.
pub struct InStep<M> {
    model: M,
    ports: Vec<(String, NodePort, Wires<M>)>,
    found: Vec<u64>,
    pub compared: Rc<RefCell<u64>>,
}

impl<M: Model> InStep<M> {
    /// Creates the comparison. `wires` lists the outputs of nodes by name.
    pub fn new(engine: &mut dyn NodeEngine, model: M, wires: Vec<(String, Wires<M>)>) -> Self {
        let ports = wires.into_iter().map(|(name, wires)| {
            let port = engine.port(&name);
            (name, port, wires)
        });
        InStep {
            model,
            ports: ports.collect(),
            found: vec![],
            compared: Rc::default(),
        }
    }
}

impl<M: Model> Observer for InStep<M> {
    fn next_look(&self, clock: u64) -> Option<u64> {
        Some(clock)
    }

    fn look(&mut self, engine: &mut dyn NodeEngine, clock: u64) -> Result<(), EngineError> {
        assert_eq!(self.model.clock(), clock);
        for (name, port, wires) in &self.ports {
            engine.get_all(*port, &mut self.found);
            for (node, found) in self.found.iter().enumerate() {
                let wanted = wires(&self.model, node);
                assert_eq!(
                    *found, wanted,
                    "{name} of node {node} in clock cycle {clock}"
                );
                *self.compared.borrow_mut() += 1;
            }
        }
        self.model.step();
        Ok(())
    }
}
