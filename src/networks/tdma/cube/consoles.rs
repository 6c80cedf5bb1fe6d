//! The hosts of nodes whose programs do something else than route: what they bring to
//! their nodes, and what the programs there tell them.

use super::hosts::{HandedOver, HOST_END};
use crate::engine::{NodeEngine, NodePort};
use crate::traffic::values::Values;
use std::collections::VecDeque;

/// What a program told its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Message {
        bytes: Vec<u8>,
        why: HandedOver,
    },
    /// That it has ended, with this code.
    Exit(u8),
}

/// What hosts did in a clock cycle.
#[derive(Default)]
pub(super) struct Exchanged {
    /// By node.
    pub told: Vec<(usize, Told)>,
    /// A program took a message.
    pub taken: bool,
}

/// The hosts of all nodes. Each brings its messages one after the other, and then says
/// that there are no more, as often as the program asks.
pub(super) struct Consoles {
    pins: Pins,
    /// What each still has, with the length bytes.
    queues: Vec<VecDeque<Vec<u8>>>,
    /// Messages in them.
    waiting: usize,
    /// More may come to it: it does not say that there is no more.
    open: Vec<bool>,
    /// What has come so far of a message.
    coming: Vec<Vec<u8>>,
    /// The last `host_data`, which is set only when it changes.
    shown: Vec<u8>,
    /// A node was at work with its host in the last clock cycle looked at.
    at_work: bool,
    /// For one port of all nodes, to be used again.
    values: Vec<u64>,
}

struct Pins {
    valid: NodePort,
    data: NodePort,
    index: NodePort,
    taken: NodePort,
    out_valid: NodePort,
    out_data: NodePort,
    out_last: NodePort,
    out_reason: NodePort,
}

impl Consoles {
    /// Hosts that bring these values, and no more.
    pub fn new(engine: &mut dyn NodeEngine, brings: &Values) -> Self {
        let mut consoles = Consoles::open(engine);
        for node in 0..consoles.queues.len() {
            for value in brings.0.get(node).into_iter().flatten() {
                consoles.give(engine, node, &value.message());
            }
            consoles.finish(engine, node);
        }
        consoles
    }

    /// Hosts that have nothing yet.
    pub fn open(engine: &mut dyn NodeEngine) -> Self {
        let nodes = engine.nodes();
        let pins = Pins {
            valid: engine.port("host_valid"),
            data: engine.port("host_data"),
            index: engine.port("host_index"),
            taken: engine.port("host_taken"),
            out_valid: engine.port("out_valid"),
            out_data: engine.port("out_data"),
            out_last: engine.port("out_last"),
            out_reason: engine.port("out_reason"),
        };
        for node in 0..nodes {
            engine.set(pins.valid, node, 0);
        }
        Consoles {
            pins,
            queues: vec![VecDeque::new(); nodes],
            waiting: 0,
            open: vec![true; nodes],
            coming: vec![vec![]; nodes],
            shown: vec![0; nodes],
            at_work: true,
            values: vec![],
        }
    }

    /// One message more for a node.
    pub fn give(&mut self, engine: &mut dyn NodeEngine, node: usize, message: &[u8]) {
        let with_length = [&[message.len() as u8], message].concat();
        self.queues[node].push_back(with_length);
        self.waiting += 1;
        self.has_something(engine, node);
    }

    /// No more will come to a node.
    pub fn finish(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        self.open[node] = false;
        self.has_something(engine, node);
    }

    /// Messages that programs have not taken.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// What a host shows has become another: it is looked at in the next clock cycle.
    fn has_something(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        engine.set(self.pins.valid, node, 1);
        self.at_work = true;
    }

    /// One clock cycle at all ports, after the circuit has settled and before the clock
    /// edge.
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine) -> Exchanged {
        const END: [u8; 2] = [HOST_END | 1, 0];
        let mut out = Exchanged::default();
        let mut values = std::mem::take(&mut self.values);
        engine.get_all(self.pins.index, &mut values);
        self.at_work = values.iter().any(|index| *index != 0);
        for (node, &index) in values.iter().enumerate() {
            let message = self.queues[node].front().map_or(&END[..], Vec::as_slice);
            let byte = message.get(index as usize).copied().unwrap_or(0);
            if byte != self.shown[node] {
                self.shown[node] = byte;
                engine.set(self.pins.data, node, byte.into());
            }
        }
        engine.get_all(self.pins.taken, &mut values);
        for (node, _) in values.iter().enumerate().filter(|(_, taken)| **taken == 1) {
            self.at_work = true;
            if self.queues[node].pop_front().is_some() {
                self.waiting -= 1;
                out.taken = true;
            }
            if self.open[node] && self.queues[node].is_empty() {
                engine.set(self.pins.valid, node, 0);
            }
        }
        engine.get_all(self.pins.out_valid, &mut values);
        for (node, _) in values.iter().enumerate().filter(|(_, valid)| **valid == 1) {
            self.at_work = true;
            let byte = engine.get(self.pins.out_data, node) as u8;
            self.coming[node].push(byte);
            if engine.get(self.pins.out_last, node) == 1 {
                let bytes = std::mem::take(&mut self.coming[node]);
                let why = HandedOver::decode(engine.get(self.pins.out_reason, node));
                out.told.push((node, told(&bytes, why)));
            }
        }
        self.values = values;
        out
    }

    /// As [`Hosts::idle`](super::hosts::Hosts::idle).
    pub fn idle(&self) -> Option<[NodePort; 3]> {
        let pins = &self.pins;
        (!self.at_work).then_some([pins.index, pins.taken, pins.out_valid])
    }
}

/// What a message with its length byte says.
fn told(bytes: &[u8], why: HandedOver) -> Told {
    match bytes.split_first() {
        Some((length, rest)) if length & HOST_END != 0 => {
            Told::Exit(rest.first().copied().unwrap_or(0))
        }
        rest => Told::Message {
            bytes: rest.map_or(vec![], |(_, rest)| rest.to_vec()),
            why,
        },
    }
}
