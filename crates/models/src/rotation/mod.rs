//! Reference model of minimal rotation at the level of packets and bytes. The model was written
//! from the note (minimal-rotation-routing) and the rules of the byte channel, independently of the
//! circuits.
//!
//! Every node applies the rule again to the remaining header. The circuit instead uses the note's
//! Lemma after the first hop. Each byte carries the number of its packet. A step is one clock
//! cycle, and all its decisions use the state at the start of the cycle. Clock cycles are counted
//! from 0. Processors present their first bytes on their ports in clock cycle 1.

pub mod node;
pub mod rule;

use crate::bytes::packet::{encode, ModelTailFormat};
use crate::bytes::queue::Flit;
use crate::bytes::stall::{ModelBlockedPacket, ModelStall};
use node::RotationModelNode;
use rule::RotationModelRule;
use std::collections::VecDeque;

/// Parameters of a modelled machine.
#[derive(Clone, Copy, Debug)]
pub struct RotationModelMachine {
    pub dims: u32,
    /// Number of virtual channels, 1 or 2.
    pub channels: usize,
    /// Capacity of a queue in bytes.
    pub queue: usize,
    pub rule: RotationModelRule,
    /// The decision on the first hop takes one clock cycle per dimension.
    pub serial: bool,
}

/// Packet to be sent.
#[derive(Clone, Debug)]
pub struct RotationModelPacket {
    pub source: u32,
    pub destination: u32,
    pub payload: Vec<u8>,
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct RotationModelRun {
    /// For each packet, the clock cycle in which its tail left the last queue.
    pub delivered: Vec<Option<u64>>,
    /// Number of clock cycles up to the last movement.
    pub clocks: u64,
    /// Number of bytes sent over channels between nodes.
    pub crossings: u64,
    pub stall: Option<ModelStall>,
}

impl RotationModelMachine {
    pub fn nodes(&self) -> usize {
        1 << self.dims
    }

    /// Returns the number of clock cycles without movement that proves a stall.
    pub fn stall_clocks(&self) -> u64 {
        8 + u64::from(self.serial) * u64::from(self.dims)
    }

    /// Sends the packets and runs until all have arrived or the network stalls.
    pub fn run(&self, packets: &[RotationModelPacket]) -> RotationModelRun {
        let mut network = RotationModelNetwork::new(self, packets);
        while !network.is_done() {
            network.step();
        }
        network.run
    }
}

/// State of a running machine.
pub struct RotationModelNetwork {
    pub machine: RotationModelMachine,
    nodes: Vec<RotationModelNode>,
    sources: Vec<RotationModelSource>,
    /// For each node, whether its processor has a byte on its port in this clock cycle.
    byte_at_processor: Vec<bool>,
    /// For each node, the bytes on its outgoing channels, the processor's last.
    data: Vec<Vec<u8>>,
    pub run: RotationModelRun,
    pub clock: u64,
    left: usize,
}

/// Traffic source: a processor as a sender.
#[derive(Clone, Debug, Default)]
struct RotationModelSource {
    flits: VecDeque<Flit>,
    busy: bool,
}

impl RotationModelNetwork {
    pub fn new(machine: &RotationModelMachine, packets: &[RotationModelPacket]) -> Self {
        let nodes = machine.nodes();
        let mut sources = vec![RotationModelSource::default(); nodes];
        for (number, packet) in packets.iter().enumerate() {
            let header = (packet.source ^ packet.destination).to_le_bytes();
            let header = &header[..if machine.dims > 8 { 2 } else { 1 }];
            let bytes = encode(ModelTailFormat::Zero, header, &packet.payload);
            let end = bytes.len() - 1;
            let flits = bytes.into_iter().enumerate().map(|(i, (value, _))| Flit {
                packet: number,
                value,
                tail: i == end,
            });
            sources[packet.source as usize].flits.extend(flits);
        }
        RotationModelNetwork {
            nodes: vec![RotationModelNode::new(machine); nodes],
            data: vec![vec![0; machine.dims as usize + 1]; nodes],
            byte_at_processor: vec![false; nodes],
            sources,
            run: RotationModelRun {
                delivered: vec![None; packets.len()],
                ..RotationModelRun::default()
            },
            machine: *machine,
            clock: 0,
            left: packets.len(),
        }
    }

    /// Returns true if all packets have arrived or the network has stalled.
    pub fn is_done(&self) -> bool {
        self.left == 0 || self.run.stall.is_some()
    }

    /// Puts the next byte of each idle traffic source on its port for the next clock cycle. Returns
    /// true if there was one.
    fn feed_ports(&mut self) -> bool {
        let mut any = false;
        for (source, node) in self.sources.iter_mut().zip(&mut self.nodes) {
            if source.busy {
                continue;
            }
            if let Some(flit) = source.flits.pop_front() {
                source.busy = true;
                let port = node.processor();
                node.inputs[port].fresh = Some(flit);
                any = true;
            }
        }
        any
    }

    /// Advances the network by one clock cycle.
    pub fn step(&mut self) {
        let decisions: Vec<_> = self.nodes.iter().map(RotationModelNode::decide).collect();
        let none = vec![false; self.byte_at_processor.len()];
        let taken_by_processors = std::mem::replace(&mut self.byte_at_processor, none);
        let mut moved = taken_by_processors.contains(&true);
        let (mut took, mut sent) = (vec![], vec![]);
        for (n, decision) in decisions.iter().enumerate() {
            let (inputs, flits) = self.nodes[n].apply(decision);
            moved |= !inputs.is_empty() || !flits.is_empty();
            took.extend(inputs.into_iter().map(|i| (n, i)));
            sent.extend(flits.into_iter().map(|(q, flit)| (n, q, flit)));
        }
        // The acknowledges follow afterwards because a sender sees them one clock cycle later.
        moved |= self.feed_ports();
        for (n, i) in took {
            match self.neighbour(n, i) {
                None => self.sources[n].busy = false,
                Some(sender) => self.nodes[sender].queues[i].busy = false,
            }
        }
        for (n, _) in taken_by_processors.iter().enumerate().filter(|(_, t)| **t) {
            let port = self.nodes[n].processor();
            self.nodes[n].queues[port].busy = false;
        }
        for (n, q, flit) in sent {
            self.transmit(n, q, flit);
        }
        self.clock += 1;
        if moved {
            self.run.clocks = self.clock;
        }
        if self.left > 0 && self.clock >= self.run.clocks + self.machine.stall_clocks() {
            self.run.stall = Some(ModelStall::new(self.waiting()));
        }
    }

    /// Returns the node at the other end of a virtual channel, or `None` for the processor's port.
    fn neighbour(&self, node: usize, number: usize) -> Option<usize> {
        let dim = number / self.machine.channels;
        (number < self.nodes[node].processor()).then_some(node ^ 1 << dim)
    }

    fn transmit(&mut self, n: usize, q: usize, flit: Flit) {
        match self.neighbour(n, q) {
            Some(to) => {
                self.data[n][q / self.machine.channels] = flit.value;
                self.nodes[to].inputs[q].fresh = Some(flit);
                self.run.crossings += 1;
            }
            None => {
                self.data[n][self.machine.dims as usize] = flit.value;
                self.byte_at_processor[n] = true;
                assert_eq!(flit.tail, flit.value == 0, "a byte was lost");
                if flit.tail {
                    self.run.delivered[flit.packet] = Some(self.clock);
                    self.left -= 1;
                }
            }
        }
    }

    /// Returns the packet heads that wait, each with the packet that blocks it.
    fn waiting(&self) -> Vec<ModelBlockedPacket> {
        let mut waiting = vec![];
        for (n, node) in self.nodes.iter().enumerate() {
            for (packet, queue, behind) in node.waiting() {
                let channels = self.machine.channels;
                let wants = (queue / channels, queue % channels);
                if behind != packet {
                    waiting.push(ModelBlockedPacket {
                        packet,
                        node: n as u32,
                        wants: Some(wants).filter(|_| queue < node.processor()),
                        blocked_by: behind,
                    });
                }
            }
        }
        waiting
    }

    /// Returns the byte that a node drives on its channel of a dimension.
    pub fn data(&self, node: usize, dim: usize) -> u8 {
        self.data[node][dim]
    }

    /// Returns two bits of a virtual channel: the request that the node drives, and its acknowledge
    /// to the incoming channel.
    pub fn wires(&self, node: usize, dim: usize, vc: usize) -> (u8, u8) {
        let number = dim * self.machine.channels + vc;
        self.handshake_bits(node, number)
    }

    /// Returns the signals from a node to its processor: data, request and acknowledge.
    pub fn processor_wires(&self, node: usize) -> (u8, u8, u8) {
        let (request, acknowledge) = self.handshake_bits(node, self.nodes[node].processor());
        let data = self.data[node][self.machine.dims as usize];
        (data, request, acknowledge)
    }

    fn handshake_bits(&self, node: usize, number: usize) -> (u8, u8) {
        let node = &self.nodes[node];
        let (sent, taken) = (node.queues[number].sent, node.inputs[number].taken);
        ((sent & 1) as u8, (taken & 1) as u8)
    }
}
