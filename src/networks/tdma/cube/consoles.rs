//! The hosts of nodes whose programs do something else than route: what they bring to
//! their nodes, and what the programs there tell them.

use super::hosts::HOST_END;
use crate::engine::{NodeEngine, NodePort};
use crate::traffic::values::Values;

/// What a program told its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Message(Vec<u8>),
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
    /// What each still has, with the length bytes, the next last.
    queues: Vec<Vec<Vec<u8>>>,
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
    data: NodePort,
    index: NodePort,
    taken: NodePort,
    out_valid: NodePort,
    out_data: NodePort,
    out_last: NodePort,
}

impl Consoles {
    /// Hosts that bring these values.
    pub fn new(engine: &mut dyn NodeEngine, brings: &Values) -> Self {
        let nodes = engine.nodes();
        let valid = engine.port("host_valid");
        let pins = Pins {
            data: engine.port("host_data"),
            index: engine.port("host_index"),
            taken: engine.port("host_taken"),
            out_valid: engine.port("out_valid"),
            out_data: engine.port("out_data"),
            out_last: engine.port("out_last"),
        };
        for node in 0..nodes {
            engine.set(valid, node, 1);
        }
        let queue = |node: usize| {
            let values = brings.0.get(node).into_iter().flatten().rev();
            let with_length = |message: Vec<u8>| [vec![message.len() as u8], message].concat();
            values.map(|value| with_length(value.message())).collect()
        };
        Consoles {
            pins,
            queues: (0..nodes).map(queue).collect(),
            coming: vec![vec![]; nodes],
            shown: vec![0; nodes],
            at_work: true,
            values: vec![],
        }
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
            let message = self.queues[node].last().map_or(&END[..], Vec::as_slice);
            let byte = message.get(index as usize).copied().unwrap_or(0);
            if byte != self.shown[node] {
                self.shown[node] = byte;
                engine.set(self.pins.data, node, byte.into());
            }
        }
        engine.get_all(self.pins.taken, &mut values);
        for (node, _) in values.iter().enumerate().filter(|(_, taken)| **taken == 1) {
            self.at_work = true;
            out.taken |= self.queues[node].pop().is_some();
        }
        engine.get_all(self.pins.out_valid, &mut values);
        for (node, _) in values.iter().enumerate().filter(|(_, valid)| **valid == 1) {
            self.at_work = true;
            let byte = engine.get(self.pins.out_data, node) as u8;
            self.coming[node].push(byte);
            if engine.get(self.pins.out_last, node) == 1 {
                let bytes = std::mem::take(&mut self.coming[node]);
                out.told.push((node, told(&bytes)));
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
fn told(bytes: &[u8]) -> Told {
    match bytes.split_first() {
        Some((length, rest)) if length & HOST_END != 0 => {
            Told::Exit(rest.first().copied().unwrap_or(0))
        }
        Some((_, rest)) => Told::Message(rest.to_vec()),
        None => Told::Message(vec![]),
    }
}
