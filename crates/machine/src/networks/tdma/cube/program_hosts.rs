//! Hosts of nodes whose programs do other work than routing. They supply data to their nodes and
//! receive the outputs of the programs.

use super::hosts::{HostBehaviour, HostOutput, HostPorts, HOST_END};
use crate::values::Values;
use engine::NodeEngine;
use rtl::tdma::DeliveryReason;
use std::collections::VecDeque;

/// Output of a program to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramOutput {
    Message {
        bytes: Vec<u8>,
        reason: DeliveryReason,
    },
    /// End of the program, with its exit code.
    Exit(u8),
}

/// Actions of the hosts in a clock cycle.
#[derive(Default)]
pub(super) struct HostActivity {
    /// Outputs of programs, each with its node.
    pub outputs: Vec<(usize, ProgramOutput)>,
    /// Nodes whose programs took a message.
    pub taken: Vec<usize>,
}

/// Hosts of all nodes. Each supplies its messages in order. Afterwards it reports the end of its
/// data each time the program asks.
pub(super) struct ProgramHosts {
    /// For each node, its remaining messages, with their length bytes.
    queues: Vec<VecDeque<Vec<u8>>>,
    /// Number of messages in the queues, which programs have not taken.
    pub waiting: usize,
    /// For each node, true while more messages may follow. Its host then does not report the end.
    open: Vec<bool>,
    activity: HostActivity,
}

impl HostPorts<ProgramHosts> {
    /// Creates hosts that supply these values and then report the end.
    pub fn with_values(engine: &mut dyn NodeEngine, brings: &Values) -> Self {
        let mut consoles = HostPorts::open(engine);
        for node in 0..engine.nodes() {
            for value in brings.0.get(node).into_iter().flatten() {
                consoles.push_message(engine, node, &value.message());
            }
            consoles.finish(engine, node);
        }
        consoles
    }

    /// Creates hosts without messages. More can be added.
    pub fn open(engine: &mut dyn NodeEngine) -> Self {
        let nodes = engine.nodes();
        let hosts = ProgramHosts {
            queues: vec![VecDeque::new(); nodes],
            waiting: 0,
            open: vec![true; nodes],
            activity: HostActivity::default(),
        };
        let port = HostPorts::new(engine, hosts);
        for node in 0..nodes {
            port.offer(engine, node, false);
        }
        port
    }

    /// Adds a message for a node.
    pub fn push_message(&mut self, engine: &mut dyn NodeEngine, node: usize, message: &[u8]) {
        let with_length = [&[message.len() as u8], message].concat();
        self.hosts.queues[node].push_back(with_length);
        self.hosts.waiting += 1;
        self.wake_host(engine, node);
    }

    /// Marks the end of the messages for a node.
    pub fn finish(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        self.hosts.open[node] = false;
        self.wake_host(engine, node);
    }

    fn wake_host(&mut self, engine: &mut dyn NodeEngine, node: usize) {
        self.offer(engine, node, true);
        self.wake(node);
    }
}

impl HostBehaviour for ProgramHosts {
    type Actions = HostActivity;

    fn actions(&mut self) -> &mut HostActivity {
        &mut self.activity
    }

    fn byte(&mut self, node: usize, index: u64) -> Option<u8> {
        const END: [u8; 2] = [HOST_END | 1, 0];
        let message = self.queues[node].front().map_or(&END[..], Vec::as_slice);
        Some(message.get(index as usize).copied().unwrap_or(0))
    }

    fn on_taken(&mut self, node: usize, _: usize) -> bool {
        if self.queues[node].pop_front().is_some() {
            self.waiting -= 1;
            self.activity.taken.push(node);
        }
        !(self.open[node] && self.queues[node].is_empty())
    }

    fn on_output(&mut self, output: HostOutput) {
        let printed = decode_output(&output.bytes, output.reason);
        self.activity.outputs.push((output.node, printed));
    }
}

/// Decodes an output of a program with its length byte.
fn decode_output(bytes: &[u8], why: DeliveryReason) -> ProgramOutput {
    match bytes.split_first() {
        Some((length, rest)) if length & HOST_END != 0 => {
            ProgramOutput::Exit(rest.first().copied().unwrap_or(0))
        }
        rest => ProgramOutput::Message {
            bytes: rest.map_or(vec![], |(_, rest)| rest.to_vec()),
            reason: why,
        },
    }
}
