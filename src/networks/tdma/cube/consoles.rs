//! Hosts of nodes whose programs do other work than routing. They supply data to their nodes and
//! receive the outputs of the programs.

use super::host_port::{Handed, HandedOver, HostPort, Hosted};
use super::hosts::HOST_END;
use crate::engine::{NodeEngine, NodePort};
use crate::values::Values;
use std::collections::VecDeque;

/// Output of a program to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Message {
        bytes: Vec<u8>,
        why: HandedOver,
    },
    /// End of the program, with its exit code.
    Exit(u8),
}

/// Actions of the hosts in a clock cycle.
#[derive(Default)]
pub(super) struct Exchanged {
    /// Outputs of programs, each with its node.
    pub told: Vec<(usize, Told)>,
    /// True if a program took a message.
    pub taken: bool,
}

/// Hosts of all nodes. Each supplies its messages in order. Afterwards it reports the end of its
/// data each time the program asks.
pub(super) struct Consoles {
    port: HostPort,
    desk: Desk,
}

/// Queues of the hosts, and their received outputs.
struct Desk {
    /// For each node, its remaining messages, with their length bytes.
    queues: Vec<VecDeque<Vec<u8>>>,
    /// Number of messages in the queues.
    waiting: usize,
    /// For each node, true while more messages may follow. Its host then does not report the end.
    open: Vec<bool>,
    exchanged: Exchanged,
}

impl Consoles {
    /// Creates hosts that supply these values and then report the end.
    pub fn new(engine: &mut dyn NodeEngine, brings: &Values) -> Self {
        let mut consoles = Consoles::open(engine);
        for node in 0..consoles.desk.queues.len() {
            for value in brings.0.get(node).into_iter().flatten() {
                consoles.give(engine, node, &value.message());
            }
            consoles.finish(engine, node);
        }
        consoles
    }

    /// Creates hosts without messages. More can be added.
    pub fn open(engine: &mut dyn NodeEngine) -> Self {
        let nodes = engine.nodes();
        let port = HostPort::new(engine);
        for node in 0..nodes {
            port.offer(engine, node, false);
        }
        Consoles {
            port,
            desk: Desk {
                queues: vec![VecDeque::new(); nodes],
                waiting: 0,
                open: vec![true; nodes],
                exchanged: Exchanged::default(),
            },
        }
    }

    /// Adds a message for a node.
    pub fn give(&mut self, engine: &mut dyn NodeEngine, node: usize, message: &[u8]) {
        let with_length = [&[message.len() as u8], message].concat();
        self.desk.queues[node].push_back(with_length);
        self.desk.waiting += 1;
        self.has_something(engine, node);
    }

    /// Marks the end of the messages for a node.
    pub fn finish(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        self.desk.open[node] = false;
        self.has_something(engine, node);
    }

    /// Returns the number of messages that programs have not taken.
    pub fn waiting(&self) -> usize {
        self.desk.waiting
    }

    fn has_something(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        self.port.offer(engine, node, true);
        self.port.wake();
    }

    /// As [`HostPort::exchange`].
    pub fn exchange(&mut self, engine: &mut dyn NodeEngine) -> Exchanged {
        self.port.exchange(engine, &mut self.desk);
        std::mem::take(&mut self.desk.exchanged)
    }

    /// As [`HostPort::idle`].
    pub fn idle(&self) -> Option<[NodePort; 3]> {
        self.port.idle()
    }
}

impl Hosted for Desk {
    fn byte(&mut self, node: usize, index: u64) -> Option<u8> {
        const END: [u8; 2] = [HOST_END | 1, 0];
        let message = self.queues[node].front().map_or(&END[..], Vec::as_slice);
        Some(message.get(index as usize).copied().unwrap_or(0))
    }

    fn taken(&mut self, node: usize, _: usize) -> bool {
        if self.queues[node].pop_front().is_some() {
            self.waiting -= 1;
            self.exchanged.taken = true;
        }
        !(self.open[node] && self.queues[node].is_empty())
    }

    fn handed(&mut self, handed: Handed) {
        let said = told(&handed.bytes, handed.why);
        self.exchanged.told.push((handed.node, said));
    }
}

/// Decodes an output of a program with its length byte.
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
