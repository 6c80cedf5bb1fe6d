//! Reference model of the torus routing chip at the level of packets and bytes. The model was
//! written from sections 4 and 5 of the paper (torus-routing-chip) and the rules of the byte
//! channel, independently of the circuits.
//!
//! Each byte carries the number of its packet. A step is one clock cycle, and all its decisions use
//! the state at the start of the cycle. Clock cycles are counted from 0. Processors present their
//! first bytes on their ports in clock cycle 1.

pub mod chip;

use crate::bytes::{encode, Flit, ModelBlockedPacket, ModelStall, ModelTailFormat};
use chip::TorusModelChip;
use std::collections::VecDeque;

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct TorusModelRun {
    /// For each packet, the clock cycle in which its tail left the last queue.
    pub delivered: Vec<Option<u64>>,
    /// Number of clock cycles up to the last movement.
    pub clocks: u64,
    /// Number of bytes sent over channels between nodes.
    pub crossings: u64,
    pub stall: Option<ModelStall>,
}

/// Sender of an input or receiver of a queue.
#[derive(Clone, Copy, Debug)]
enum TorusModelEnd {
    Processor(usize),
    Chip(usize, usize),
}

/// State of a running machine.
pub struct TorusModelNetwork {
    pub machine: TorusModelMachine,
    /// Chips of all nodes. Chip `place` of a node has number node * places + place.
    chips: Vec<TorusModelChip>,
    chips_per_node: usize,
    sources: Vec<TorusModelSource>,
    /// For each node, whether its processor has a byte on its port in this clock cycle.
    byte_at_processor: Vec<bool>,
    data: Vec<Vec<u32>>,
    pub run: TorusModelRun,
    pub clock: u64,
    left: usize,
}

/// Traffic source: a processor as a sender.
#[derive(Clone, Debug, Default)]
struct TorusModelSource {
    /// Bytes to send, each with the clock cycle from which it is available.
    flits: VecDeque<(Flit, u64)>,
    busy: bool,
}

/// Number of clock cycles without movement that proves a stall.
const STALL_CLOCKS: u64 = 8;

impl TorusModelNetwork {
    pub fn new(machine: &TorusModelMachine, packets: &[TorusModelPacket]) -> Self {
        Self::with_releases(machine, packets, &vec![0; packets.len()])
    }

    /// Creates a network whose packets become available over time. `releases` holds the clock cycle
    /// of each packet. The values for one processor must ascend.
    pub fn with_releases(
        machine: &TorusModelMachine,
        packets: &[TorusModelPacket],
        releases: &[u64],
    ) -> Self {
        let dims = machine.radices.len();
        let mut chips = vec![];
        for node in 0..machine.nodes() {
            for start in (0..dims).step_by(machine.per_chip) {
                let dims = start..(start + machine.per_chip).min(dims);
                let changes = dims.map(|d| machine.changes_vc(node, d)).collect();
                chips.push(TorusModelChip::new(machine, changes));
            }
        }
        let mut sources = vec![TorusModelSource::default(); machine.nodes()];
        for (number, packet) in packets.iter().enumerate() {
            let bytes = encode(machine.format, &machine.relative_address(packet), &packet.payload);
            let flits = bytes.into_iter().map(|(value, tail)| Flit { packet: number, value, tail });
            let flits = flits.map(|flit| (flit, releases[number]));
            sources[packet.source as usize].flits.extend(flits);
        }
        TorusModelNetwork {
            chips_per_node: dims.div_ceil(machine.per_chip),
            data: chips.iter().map(|chip| vec![0; chip.dims + 1]).collect(),
            byte_at_processor: vec![false; machine.nodes()],
            chips,
            sources,
            run: TorusModelRun { delivered: vec![None; packets.len()], ..TorusModelRun::default() },
            machine: machine.clone(),
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
        for (node, source) in self.sources.iter_mut().enumerate() {
            if source.busy {
                continue;
            }
            let next = source.flits.front();
            if next.is_some_and(|(_, release)| *release <= self.clock) {
                let (flit, _) = source.flits.pop_front().expect("there is one");
                source.busy = true;
                let first = &mut self.chips[node * self.chips_per_node];
                let port = first.processor();
                first.inputs[port].fresh = Some(flit);
                any = true;
            }
        }
        any
    }

    /// Advances the network by one clock cycle.
    pub fn step(&mut self) {
        let decisions: Vec<_> = self.chips.iter().map(TorusModelChip::decide).collect();
        let none = vec![false; self.byte_at_processor.len()];
        let taken_by_processors = std::mem::replace(&mut self.byte_at_processor, none);
        let mut moved = taken_by_processors.contains(&true);
        let (mut took, mut sent) = (vec![], vec![]);
        for (c, decision) in decisions.iter().enumerate() {
            let (inputs, flits) = self.chips[c].apply(decision);
            moved |= !inputs.is_empty() || !flits.is_empty();
            took.extend(inputs.into_iter().map(|i| (c, i)));
            sent.extend(flits.into_iter().map(|(q, flit)| (c, q, flit)));
        }
        // The acknowledges follow afterwards because a sender sees them one clock cycle later.
        moved |= self.feed_ports();
        for (c, i) in took {
            match self.sender(c, i) {
                TorusModelEnd::Processor(node) => self.sources[node].busy = false,
                TorusModelEnd::Chip(c, q) => self.chips[c].queues[q].busy = false,
            }
        }
        for (node, _) in taken_by_processors.iter().enumerate().filter(|(_, t)| **t) {
            let last = &mut self.chips[(node + 1) * self.chips_per_node - 1];
            let port = last.processor();
            last.queues[port].busy = false;
        }
        for (c, q, flit) in sent {
            self.transmit(c, q, flit);
        }
        self.clock += 1;
        if moved {
            self.run.clocks = self.clock;
        }
        let last = self.sources.iter().filter_map(|source| source.flits.front());
        let to_come = last.map(|(_, release)| *release).max().unwrap_or(0);
        if self.left > 0 && self.clock >= self.run.clocks.max(to_come) + STALL_CLOCKS {
            self.run.stall = Some(ModelStall::new(self.waiting()));
        }
    }

    fn transmit(&mut self, c: usize, q: usize, flit: Flit) {
        let wire = q / self.machine.channels;
        self.data[c][wire] = u32::from(flit.tail) << 8 | u32::from(flit.value);
        match self.receiver(c, q) {
            TorusModelEnd::Chip(to, i) => {
                self.chips[to].inputs[i].fresh = Some(flit);
                self.run.crossings +=
                    u64::from(to / self.chips_per_node != c / self.chips_per_node);
            }
            TorusModelEnd::Processor(node) => {
                self.byte_at_processor[node] = true;
                if self.machine.format.is_tail(flit.value, flit.tail) {
                    self.run.delivered[flit.packet] = Some(self.clock);
                    self.left -= 1;
                }
            }
        }
    }

    /// Returns the receiver of a queue.
    fn receiver(&self, c: usize, q: usize) -> TorusModelEnd {
        let (node, place) = (c / self.chips_per_node, c % self.chips_per_node);
        if q < self.chips[c].processor() {
            let dim = place * self.machine.per_chip + q / self.machine.channels;
            TorusModelEnd::Chip(self.machine.down(node, dim) * self.chips_per_node + place, q)
        } else if place + 1 < self.chips_per_node {
            TorusModelEnd::Chip(c + 1, self.chips[c + 1].processor())
        } else {
            TorusModelEnd::Processor(node)
        }
    }

    /// Returns the sender of an input.
    fn sender(&self, c: usize, i: usize) -> TorusModelEnd {
        let (node, place) = (c / self.chips_per_node, c % self.chips_per_node);
        if i < self.chips[c].processor() {
            let dim = place * self.machine.per_chip + i / self.machine.channels;
            TorusModelEnd::Chip(self.machine.up(node, dim) * self.chips_per_node + place, i)
        } else if place > 0 {
            TorusModelEnd::Chip(c - 1, self.chips[c - 1].processor())
        } else {
            TorusModelEnd::Processor(node)
        }
    }

    /// Returns the packet heads that wait, each with the packet that blocks it.
    fn waiting(&self) -> Vec<ModelBlockedPacket> {
        let mut waiting = vec![];
        for (c, chip) in self.chips.iter().enumerate() {
            for (_, packet, queue, behind) in chip.waiting() {
                let dim =
                    c % self.chips_per_node * self.machine.per_chip + queue / self.machine.channels;
                let wants = (dim, queue % self.machine.channels);
                if behind != packet {
                    waiting.push(ModelBlockedPacket {
                        packet,
                        node: (c / self.chips_per_node) as u32,
                        wants: Some(wants).filter(|_| queue < chip.processor()),
                        blocked_by: behind,
                    });
                }
            }
        }
        waiting
    }

    /// Returns the signals that a node drives on its channel of a dimension: data, requests, and
    /// the acknowledges to the node above.
    pub fn wires(&self, node: usize, dim: usize) -> (u32, u32, u32) {
        let c = node * self.chips_per_node + dim / self.machine.per_chip;
        let wire = dim % self.machine.per_chip;
        let vcs = self.machine.channels;
        let word = |count: &dyn Fn(usize) -> u64| {
            let bit = |v| (count(wire * vcs + v) as u32 & 1) << v;
            (0..vcs).map(bit).sum()
        };
        (
            self.data[c][wire],
            word(&|q| self.chips[c].queues[q].sent),
            word(&|i| self.chips[c].inputs[i].taken),
        )
    }

    /// Returns the signals from a node to its processor: data, request and acknowledge.
    pub fn processor_wires(&self, node: usize) -> (u32, u32, u32) {
        let (first, last) = (node * self.chips_per_node, (node + 1) * self.chips_per_node - 1);
        let (to, from) = (self.chips[last].processor(), self.chips[first].processor());
        (
            self.data[last][self.chips[last].dims],
            self.chips[last].queues[to].sent as u32 & 1,
            self.chips[first].inputs[from].taken as u32 & 1,
        )
    }
}

// Torus of the model: its nodes and the distances between them.

/// Node where packets change from virtual channel 1 to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TorusModelVcChange {
    /// The node with coordinate 0 (section 4).
    AtZero,
    /// The node with the greatest coordinate, which follows channel 0 (Figure 2B).
    AfterZero,
}

/// Parameters of a modelled machine.
#[derive(Clone, Debug)]
pub struct TorusModelMachine {
    pub radices: Vec<u32>,
    /// Number of virtual channels, 1 or 2.
    pub channels: usize,
    /// Capacity of a queue in bytes.
    pub queue: usize,
    pub vc_change: TorusModelVcChange,
    pub format: ModelTailFormat,
    /// Dimensions of a chip. A node has as many chips as its dimensions require.
    pub per_chip: usize,
}

/// Packet to be sent.
#[derive(Clone, Debug)]
pub struct TorusModelPacket {
    pub source: u32,
    pub destination: u32,
    pub payload: Vec<u8>,
}

impl TorusModelMachine {
    pub fn nodes(&self) -> usize {
        self.radices.iter().product::<u32>() as usize
    }

    /// Returns the difference in number between nodes that are neighbours in this dimension.
    fn stride(&self, dim: usize) -> u32 {
        self.radices[..dim].iter().product()
    }

    pub fn coordinate(&self, node: usize, dim: usize) -> u32 {
        node as u32 / self.stride(dim) % self.radices[dim]
    }

    /// Returns the node with coordinate `to` in this dimension and the other coordinates of `node`.
    fn with_coordinate(&self, node: usize, dim: usize, to: u32) -> usize {
        let from = self.coordinate(node, dim);
        (node as u32 - from * self.stride(dim) + to * self.stride(dim)) as usize
    }

    /// Returns the node to which the outgoing channel leads.
    pub fn down(&self, node: usize, dim: usize) -> usize {
        let last = self.radices[dim] - 1;
        let to = self.coordinate(node, dim).checked_sub(1).unwrap_or(last);
        self.with_coordinate(node, dim, to)
    }

    /// Returns the node that drives the incoming channel.
    pub fn up(&self, node: usize, dim: usize) -> usize {
        let to = self.coordinate(node, dim) + 1;
        self.with_coordinate(node, dim, if to == self.radices[dim] { 0 } else { to })
    }

    /// Returns the distance to the destination in each dimension, in channels.
    pub fn relative_address(&self, packet: &TorusModelPacket) -> Vec<u8> {
        let far = |dim| {
            let mut here = packet.source as usize;
            let to = self.coordinate(packet.destination as usize, dim);
            let mut steps = 0;
            while self.coordinate(here, dim) != to {
                here = self.down(here, dim);
                steps += 1;
            }
            steps
        };
        (0..self.radices.len()).map(far).collect()
    }

    pub fn changes_vc(&self, node: usize, dim: usize) -> bool {
        match self.vc_change {
            TorusModelVcChange::AtZero => self.coordinate(node, dim) == 0,
            TorusModelVcChange::AfterZero => self.coordinate(node, dim) == self.radices[dim] - 1,
        }
    }

    /// Sends the packets and runs until all have arrived or the network stalls.
    pub fn run(&self, packets: &[TorusModelPacket]) -> TorusModelRun {
        let mut network = TorusModelNetwork::new(self, packets);
        while !network.is_done() {
            network.step();
        }
        network.run
    }
}
