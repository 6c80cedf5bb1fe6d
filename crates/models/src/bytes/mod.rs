//! Common parts of the byte-channel network models: packets as bytes, output queues, and deadlock
//! detection.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

// Packets as bytes: addresses, payload, tail. The models have their own encoder.

/// Encoding that marks the end of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelTailFormat {
    /// A zero byte. The search starts after the addresses.
    Zero,
    /// A tail wire beside the byte.
    Wire,
    /// A zero byte. The search starts at the first byte that is not stripped, as printed in the
    /// paper.
    Naive,
}

impl ModelTailFormat {
    pub fn is_tail(self, value: u8, tail: bool) -> bool {
        match self {
            ModelTailFormat::Wire => tail,
            ModelTailFormat::Zero | ModelTailFormat::Naive => value == 0,
        }
    }
}

/// Returns the bytes of a packet, each with the value of its tail wire.
pub fn encode(format: ModelTailFormat, addresses: &[u8], payload: &[u8]) -> Vec<(u8, bool)> {
    let mut bytes: Vec<(u8, bool)> = addresses.iter().map(|a| (*a, false)).collect();
    let data = match format {
        ModelTailFormat::Wire => payload.to_vec(),
        ModelTailFormat::Zero | ModelTailFormat::Naive => cobs_encode(payload),
    };
    bytes.extend(data.iter().map(|byte| (*byte, false)));
    bytes.push((0, format == ModelTailFormat::Wire));
    bytes
}

/// Encodes fewer than 254 bytes with COBS (Cheshire and Baker 1999). Each run of nonzero bytes
/// follows a byte that holds the run length plus one.
fn cobs_encode(payload: &[u8]) -> Vec<u8> {
    assert!(payload.len() < 254);
    let runs = payload.split(|byte| *byte == 0);
    runs.flat_map(|run| [&[run.len() as u8 + 1], run].concat()).collect()
}

#[test]
fn cobs_removes_zero_bytes() {
    assert_eq!(cobs_encode(&[]), [1]);
    assert_eq!(cobs_encode(&[0]), [1, 1]);
    assert_eq!(cobs_encode(&[7, 0, 0, 9]), [2, 7, 1, 2, 9]);
    let wire = encode(ModelTailFormat::Wire, &[2, 0], &[0]);
    assert_eq!(wire, [(2, false), (0, false), (0, false), (0, true)]);
}

// Bytes in flight and the output queues of a switch.

/// A byte of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flit {
    /// Number of the packet that contains the byte.
    pub packet: usize,
    pub value: u8,
    /// True for the last byte of a packet. The torus has a wire for this flag, minimal rotation
    /// does not.
    pub tail: bool,
}

/// Sending side of one virtual channel.
#[derive(Clone, Debug, Default)]
pub struct ModelQueue {
    bytes: VecDeque<Flit>,
    /// Input that owns the queue, and the packet that it sends.
    owner: Option<(usize, usize)>,
    /// True while a part of the owner's packet has entered the queue.
    begun: bool,
    /// True until the sender receives the acknowledge for the last byte sent.
    pub busy: bool,
    /// Number of bytes sent.
    pub sent: u64,
}

impl ModelQueue {
    fn is_ready(&self) -> bool {
        !self.busy && !self.bytes.is_empty()
    }
}

/// Queues of a switch. Virtual channel v of dimension d has number d * channels + v. The
/// processor's queue has the last number.
#[derive(Clone, Debug)]
pub struct ModelQueues {
    all: Vec<ModelQueue>,
    channels: usize,
    /// Capacity of each queue in bytes.
    depth: usize,
    /// For each dimension, the virtual channel served last.
    served: Vec<usize>,
}

impl ModelQueues {
    pub fn new(dims: usize, channels: usize, depth: usize) -> Self {
        ModelQueues {
            all: vec![ModelQueue::default(); dims * channels + 1],
            channels,
            depth,
            served: vec![0; dims],
        }
    }

    /// Returns the number of the processor's queue.
    pub fn processor(&self) -> usize {
        self.all.len() - 1
    }

    /// Returns, for each queue, the input that owns it in this clock cycle. An owner keeps its
    /// queue. Otherwise the lowest requesting input wins. `wants` holds the requested queue of each
    /// input.
    pub fn grants(&self, wants: &[Option<usize>]) -> Vec<Option<usize>> {
        let grant = |(q, queue): (usize, &ModelQueue)| match queue.owner {
            Some((input, _)) => Some(input),
            None => wants.iter().position(|wanted| *wanted == Some(q)),
        };
        self.all.iter().enumerate().map(grant).collect()
    }

    pub fn has_room(&self, q: usize) -> bool {
        self.all[q].bytes.len() < self.depth
    }

    /// Returns the queues that send a byte in this clock cycle. If both channels of a dimension are
    /// ready, the channel that was not served last sends.
    pub fn sends(&self) -> Vec<usize> {
        let mut sends = vec![];
        for (dim, served) in self.served.iter().enumerate() {
            let all = dim * self.channels..(dim + 1) * self.channels;
            let ready: Vec<usize> = all.filter(|q| self.all[*q].is_ready()).collect();
            let other = |q: &&usize| **q % self.channels != *served;
            sends.extend(ready.iter().find(other).or(ready.first()));
        }
        sends.extend(Some(self.processor()).filter(|q| self.all[*q].is_ready()));
        sends
    }

    /// Sends one byte from each of these queues and returns the bytes with their queue numbers.
    pub fn send(&mut self, sends: &[usize]) -> Vec<(usize, Flit)> {
        let processor = self.processor();
        let send = |q: &usize| {
            let queue = &mut self.all[*q];
            queue.busy = true;
            queue.sent += 1;
            if *q < processor {
                self.served[q / self.channels] = q % self.channels;
            }
            (*q, queue.bytes.pop_front().expect("it is not empty"))
        };
        sends.iter().map(send).collect()
    }

    /// Assigns a queue to this input and packet if the queue has no owner.
    pub fn set_owner(&mut self, q: usize, input: usize, packet: Option<usize>) {
        let owner = &mut self.all[q].owner;
        *owner = owner.or(packet.map(|packet| (input, packet)));
    }

    /// Appends a byte. The last byte of a packet releases the queue.
    pub fn push(&mut self, q: usize, flit: Flit, last: bool) {
        let queue = &mut self.all[q];
        queue.bytes.push_back(flit);
        queue.begun = !last;
        if last {
            queue.owner = None;
        }
    }

    /// Returns the packet that blocks an input waiting for queue `q`.
    pub fn blocking_packet(&self, q: usize, input: usize) -> Option<usize> {
        let queue = &self.all[q];
        match queue.owner {
            Some((owner, packet)) if owner != input && queue.begun => Some(packet),
            _ => Some(queue.bytes.front()?.packet),
        }
    }
}

impl Index<usize> for ModelQueues {
    type Output = ModelQueue;

    fn index(&self, q: usize) -> &ModelQueue {
        &self.all[q]
    }
}

impl IndexMut<usize> for ModelQueues {
    fn index_mut(&mut self, q: usize) -> &mut ModelQueue {
        &mut self.all[q]
    }
}

// Stall report: the blocked packets and a cycle of packets that wait for each other (deadlock).

/// Packet head that waits for a queue held by another packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelBlockedPacket {
    pub packet: usize,
    /// Node where the packet waits.
    pub node: u32,
    /// Requested queue as dimension and virtual channel, or `None` for the processor's queue.
    pub wants: Option<(usize, usize)>,
    /// Packet that blocks this one.
    pub blocked_by: usize,
}

/// All waiting packets, and one deadlock cycle among them. The cycle begins with its lowest packet
/// number and is empty if there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStall {
    pub waiting: Vec<ModelBlockedPacket>,
    pub cycle: Vec<ModelBlockedPacket>,
}

impl ModelStall {
    pub fn new(mut waiting: Vec<ModelBlockedPacket>) -> Self {
        waiting.sort();
        let of = |packet: usize| waiting.iter().find(|w| w.packet == packet);
        let cycle = waiting.iter().find_map(|start| {
            let mut cycle = vec![*start];
            loop {
                let next = of(cycle.last()?.blocked_by)?;
                if next == start {
                    return Some(cycle);
                }
                if cycle.contains(next) {
                    return None;
                }
                cycle.push(*next);
            }
        });
        ModelStall { cycle: cycle.unwrap_or_default(), waiting }
    }
}
