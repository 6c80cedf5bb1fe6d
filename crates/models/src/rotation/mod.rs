//! Reference model of minimal rotation at the level of packets and bytes. The model was written
//! from the note (minimal-rotation-routing) and the rules of the byte channel, independently of the
//! circuits.
//!
//! Every node applies the rule again to the remaining header. The circuit instead uses the note's
//! Lemma after the first hop. Each byte carries the number of its packet. A step is one clock
//! cycle, and all its decisions use the state at the start of the cycle. Clock cycles are counted
//! from 0. Processors present their first bytes on their ports in clock cycle 1.

use crate::bytes::{encode, Flit, ModelBlockedPacket, ModelQueues, ModelStall, ModelTailFormat};
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

// Routing rules on words as strings of 0 and 1, as in the note (minimal-rotation-routing).

/// Rule that selects the next dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationModelRule {
    Minimal,
    Thacker,
}

impl RotationModelRule {
    /// Returns the next dimension to cross, one in which `left` has a 1. The word `left` has `dims`
    /// bits.
    pub fn next(self, dims: u32, left: u32) -> u32 {
        let word = format!("{left:0width$b}", width = dims as usize);
        let from_left = match self {
            RotationModelRule::Minimal => {
                let turned = |by: usize| [&word[by..], &word[..by]].concat();
                let least = (0..word.len()).map(turned).min().unwrap();
                let by = (0..word.len()).find(|by| turned(*by) == least).unwrap();
                (least.find('1').unwrap() + by) % word.len()
            }
            RotationModelRule::Thacker => {
                let group = word.find('1').unwrap();
                let behind = word[group..].find('0');
                behind.map_or(word.len(), |length| group + length) - 1
            }
        };
        dims - 1 - from_left as u32
    }
}

#[test]
fn rules_match_the_examples_of_the_note() {
    // Both rules change the word 0101 into 0100 first.
    assert_eq!(RotationModelRule::Minimal.next(4, 0b0101), 2);
    assert_eq!(RotationModelRule::Thacker.next(4, 0b0101), 2);
    assert_eq!(RotationModelRule::Minimal.next(4, 0b1011), 1);
    assert_eq!(RotationModelRule::Thacker.next(4, 0b1011), 3);
    assert_eq!(RotationModelRule::Thacker.next(4, 0b0110), 1);
}

// One switch of the model: inputs, queues and queue ownership.

/// State of an input: the use of its next byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RotationModelInputState {
    /// The header is incomplete or its next hop is not decided.
    Header,
    /// The second header byte is next and goes to this queue with this value.
    Second(usize, u8),
    /// Data and tail go to this queue.
    Forward(usize),
}

/// Receiving end of one virtual channel.
#[derive(Clone, Debug)]
pub struct RotationModelInput {
    /// Byte on the wires, present only in the clock cycle in which it arrives.
    pub fresh: Option<Flit>,
    stored: Option<Flit>,
    /// First byte of a two-byte header.
    low: Option<Flit>,
    state: RotationModelInputState,
    /// Number of clock cycles for which the complete header has waited.
    age: u32,
    /// Number of bytes taken.
    pub taken: u64,
}

/// Action requested by an input.
#[derive(Clone, Copy, Debug)]
enum RotationModelRequest {
    /// Store the first byte of a two-byte header.
    Keep,
    /// Remove a zero header: the packet has reached its destination.
    Strip,
    Push {
        queue: usize,
        flit: Flit,
        then: RotationModelInputState,
    },
}

impl RotationModelRequest {
    fn queue(&self) -> Option<usize> {
        match self {
            RotationModelRequest::Push { queue, .. } => Some(*queue),
            _ => None,
        }
    }
}

/// Actions of a switch in one clock cycle.
pub struct RotationModelDecision {
    requests: Vec<Option<RotationModelRequest>>,
    /// For each queue, the input that owns it in this clock cycle.
    grants: Vec<Option<usize>>,
    /// For each input, whether its action is performed.
    performed: Vec<bool>,
    /// Queues that send a byte.
    sends: Vec<usize>,
}

/// Switch. Virtual channel v of dimension d has number d * channels + v. The processor has the last
/// number. Inputs and queues use the same numbers.
#[derive(Clone, Debug)]
pub struct RotationModelNode {
    pub inputs: Vec<RotationModelInput>,
    pub queues: ModelQueues,
    machine: RotationModelMachine,
}

impl RotationModelNode {
    pub fn new(machine: &RotationModelMachine) -> Self {
        let ports = machine.dims as usize * machine.channels + 1;
        let input = RotationModelInput {
            fresh: None,
            stored: None,
            low: None,
            state: RotationModelInputState::Header,
            age: 0,
            taken: 0,
        };
        RotationModelNode {
            inputs: vec![input; ports],
            queues: ModelQueues::new(machine.dims as usize, machine.channels, machine.queue),
            machine: *machine,
        }
    }

    /// Returns the number of the processor's input and queue.
    pub fn processor(&self) -> usize {
        self.queues.processor()
    }

    /// Returns the header at an input if it is complete.
    fn header(&self, input: &RotationModelInput) -> Option<u32> {
        let byte = input.stored.or(input.fresh)?;
        match (self.machine.dims > 8, input.low) {
            (false, _) => Some(byte.value.into()),
            (true, None) => None,
            (true, Some(low)) => Some(u32::from(byte.value) << 8 | u32::from(low.value)),
        }
    }

    /// Returns the queue for a packet from this input that crosses dimension `dim`.
    fn queue(&self, input: usize, dim: u32) -> usize {
        let RotationModelMachine { channels, rule, .. } = self.machine;
        let vc = match input < self.processor() {
            false => 0,
            true => {
                let (from, vc) = ((input / channels) as u32, input % channels);
                let against = match rule {
                    RotationModelRule::Minimal => dim > from,
                    RotationModelRule::Thacker => dim < from,
                };
                (vc + usize::from(against)).min(channels - 1)
            }
        };
        dim as usize * channels + vc
    }

    /// Returns the action that an input requests.
    fn request(&self, number: usize) -> Option<RotationModelRequest> {
        let input = &self.inputs[number];
        let flit = input.stored.or(input.fresh)?;
        let wide = self.machine.dims > 8;
        match input.state {
            RotationModelInputState::Header if wide && input.low.is_none() => {
                Some(RotationModelRequest::Keep)
            }
            RotationModelInputState::Header => {
                let left = self.header(input)?;
                if left == 0 {
                    return Some(RotationModelRequest::Strip);
                }
                let thinks = self.machine.serial && number == self.processor();
                if thinks && input.age < self.machine.dims {
                    return None;
                }
                let dim = self.machine.rule.next(self.machine.dims, left);
                let queue = self.queue(number, dim);
                let [low, high, ..] = (left & !(1 << dim)).to_le_bytes();
                Some(RotationModelRequest::Push {
                    queue,
                    flit: Flit { value: low, ..input.low.unwrap_or(flit) },
                    then: match wide {
                        true => RotationModelInputState::Second(queue, high),
                        false => RotationModelInputState::Forward(queue),
                    },
                })
            }
            RotationModelInputState::Second(queue, value) => Some(RotationModelRequest::Push {
                queue,
                flit: Flit { value, ..flit },
                then: RotationModelInputState::Forward(queue),
            }),
            RotationModelInputState::Forward(queue) => Some(RotationModelRequest::Push {
                queue,
                flit,
                then: match flit.value {
                    0 => RotationModelInputState::Header,
                    _ => RotationModelInputState::Forward(queue),
                },
            }),
        }
    }

    /// Decides the actions of a clock cycle from the state at its start.
    pub fn decide(&self) -> RotationModelDecision {
        let ports = 0..self.inputs.len();
        let wishes: Vec<Option<RotationModelRequest>> =
            ports.clone().map(|i| self.request(i)).collect();
        let wants: Vec<Option<usize>> = wishes.iter().map(|wish| wish.as_ref()?.queue()).collect();
        let grants = self.queues.grants(&wants);
        let does = |i: usize| match wishes[i] {
            None => false,
            Some(RotationModelRequest::Keep | RotationModelRequest::Strip) => true,
            Some(RotationModelRequest::Push { queue, .. }) => {
                grants[queue] == Some(i) && self.queues.has_room(queue)
            }
        };
        let does = ports.map(does).collect();
        RotationModelDecision {
            requests: wishes,
            grants,
            performed: does,
            sends: self.queues.sends(),
        }
    }

    /// Applies the decision at the end of the clock cycle. Returns the inputs that took the byte on
    /// their wires, and the bytes sent.
    pub fn apply(&mut self, decision: &RotationModelDecision) -> (Vec<usize>, Vec<(usize, Flit)>) {
        let sent = self.queues.send(&decision.sends);
        for (q, grant) in decision.grants.iter().enumerate() {
            if let Some(input) = grant {
                let current = self.inputs[*input].stored.or(self.inputs[*input].fresh);
                self.queues.set_owner(q, *input, current.map(|flit| flit.packet));
            }
        }
        let home = self.processor();
        let mut took = vec![];
        for (i, wish) in decision.requests.iter().enumerate() {
            let whole = self.header(&self.inputs[i]).is_some();
            let input = &mut self.inputs[i];
            let current = input.stored.or(input.fresh.take());
            input.fresh = None;
            input.stored = current;
            let waits = input.state == RotationModelInputState::Header && whole;
            input.age = if waits { input.age + 1 } else { 0 };
            let Some(wish) = wish.filter(|_| decision.performed[i]) else {
                continue;
            };
            // A stored first byte is forwarded alone. The byte on the wires then waits.
            let takes = match wish {
                RotationModelRequest::Push { .. } => {
                    input.state != RotationModelInputState::Header || input.low.is_none()
                }
                RotationModelRequest::Keep | RotationModelRequest::Strip => true,
            };
            if takes {
                input.stored = None;
                took.push(i);
                input.taken += 1;
            }
            match wish {
                RotationModelRequest::Keep => input.low = current,
                RotationModelRequest::Strip => {
                    input.low = None;
                    input.state = RotationModelInputState::Forward(home);
                }
                RotationModelRequest::Push { queue, flit, then } => {
                    let last = then == RotationModelInputState::Header;
                    input.low = None;
                    input.state = then;
                    self.queues.push(queue, flit, last);
                }
            }
        }
        (took, sent)
    }

    /// Returns, for every input that waits for a queue: its packet, the queue and the blocking
    /// packet.
    pub fn waiting(&self) -> Vec<(usize, usize, usize)> {
        let decision = self.decide();
        let waits = |i: usize| {
            let flit = self.inputs[i].stored?;
            let Some(RotationModelRequest::Push { queue, .. }) = decision.requests[i] else {
                return None;
            };
            let blocking = self.queues.blocking_packet(queue, i)?;
            Some((flit.packet, queue, blocking))
        };
        (0..self.inputs.len()).filter_map(waits).collect()
    }
}
