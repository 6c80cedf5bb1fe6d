//! The bytes in a machine, and the queues in which they lie.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

/// A byte of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flit {
    /// The number of its packet.
    pub packet: usize,
    pub value: u8,
    /// It is the last of its packet: the torus has a wire for it, minimal rotation has not.
    pub tail: bool,
}

/// The sending side of one virtual channel.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    bytes: VecDeque<Flit>,
    /// The input that has it, and its packet.
    owner: Option<(usize, usize)>,
    /// Bytes of the owner's packet have come.
    begun: bool,
    /// The byte sent last has not been taken, as far as is known.
    pub busy: bool,
    /// Bytes sent so far.
    pub sent: u64,
}

impl Queue {
    fn is_ready(&self) -> bool {
        !self.busy && !self.bytes.is_empty()
    }
}

/// The queues of a switch. Virtual channel v of dimension d is number d * channels + v, the
/// processor's is the last.
#[derive(Clone, Debug)]
pub struct Queues {
    all: Vec<Queue>,
    channels: usize,
    /// Bytes that each holds.
    depth: usize,
    /// Of each dimension the virtual channel that was served last.
    served: Vec<usize>,
}

impl Queues {
    pub fn new(dims: usize, channels: usize, depth: usize) -> Self {
        Queues {
            all: vec![Queue::default(); dims * channels + 1],
            channels,
            depth,
            served: vec![0; dims],
        }
    }

    /// The number of the processor's.
    pub fn processor(&self) -> usize {
        self.all.len() - 1
    }

    /// Of each queue, the input that it belongs to in this clock cycle: the one that has it, else
    /// the lowest that wants it. `wants` says of each input which queue that is.
    pub fn grants(&self, wants: &[Option<usize>]) -> Vec<Option<usize>> {
        let grant = |(q, queue): (usize, &Queue)| match queue.owner {
            Some((input, _)) => Some(input),
            None => wants.iter().position(|wanted| *wanted == Some(q)),
        };
        self.all.iter().enumerate().map(grant).collect()
    }

    pub fn has_room(&self, q: usize) -> bool {
        self.all[q].bytes.len() < self.depth
    }

    /// The queues that send a byte in this clock cycle. Of the two channels of a dimension that is the
    /// one that was not served last, if both could.
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

    /// These queues send: what.
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

    /// A queue belongs to this input with this packet, if it does not belong to one.
    pub fn belongs(&mut self, q: usize, input: usize, packet: Option<usize>) {
        let owner = &mut self.all[q].owner;
        *owner = owner.or(packet.map(|packet| (input, packet)));
    }

    /// A byte comes; with the last of its packet the queue belongs to nobody.
    pub fn push(&mut self, q: usize, flit: Flit, last: bool) {
        let queue = &mut self.all[q];
        queue.bytes.push_back(flit);
        queue.begun = !last;
        if last {
            queue.owner = None;
        }
    }

    /// The packet that is in the way of an input that waits for a queue.
    pub fn in_the_way(&self, q: usize, input: usize) -> Option<usize> {
        let queue = &self.all[q];
        match queue.owner {
            Some((owner, packet)) if owner != input && queue.begun => Some(packet),
            _ => Some(queue.bytes.front()?.packet),
        }
    }
}

impl Index<usize> for Queues {
    type Output = Queue;

    fn index(&self, q: usize) -> &Queue {
        &self.all[q]
    }
}

impl IndexMut<usize> for Queues {
    fn index_mut(&mut self, q: usize) -> &mut Queue {
        &mut self.all[q]
    }
}
