//! The torus of the model: its nodes, and how far it is from one to another.

use super::{Network, Run};
use crate::bytes::packet::Format;

/// Where packets change from virtual channel 1 to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// At the node with coordinate 0 (section 4).
    AtZero,
    /// At the node with the greatest coordinate: behind channel 0 (Figure 2B).
    AfterZero,
}

/// A machine of the model.
#[derive(Clone, Debug)]
pub struct Machine {
    pub radices: Vec<u32>,
    /// Virtual channels, 1 or 2.
    pub channels: usize,
    /// Bytes that a queue holds.
    pub queue: usize,
    pub change: Change,
    pub format: Format,
    /// Dimensions of a chip; a node has as many chips as it needs.
    pub per_chip: usize,
}

/// A packet to be sent.
#[derive(Clone, Debug)]
pub struct Packet {
    pub source: u32,
    pub destination: u32,
    pub payload: Vec<u8>,
}

impl Machine {
    pub fn nodes(&self) -> usize {
        self.radices.iter().product::<u32>() as usize
    }

    /// Nodes that differ by one in this dimension are so far apart in number.
    fn stride(&self, dim: usize) -> u32 {
        self.radices[..dim].iter().product()
    }

    pub fn coordinate(&self, node: usize, dim: usize) -> u32 {
        node as u32 / self.stride(dim) % self.radices[dim]
    }

    /// The node with this coordinate, and the others of `node`.
    fn moved(&self, node: usize, dim: usize, to: u32) -> usize {
        let from = self.coordinate(node, dim);
        (node as u32 - from * self.stride(dim) + to * self.stride(dim)) as usize
    }

    /// The node that a channel leads to.
    pub fn down(&self, node: usize, dim: usize) -> usize {
        let last = self.radices[dim] - 1;
        let to = self.coordinate(node, dim).checked_sub(1).unwrap_or(last);
        self.moved(node, dim, to)
    }

    /// The node that a channel comes from.
    pub fn up(&self, node: usize, dim: usize) -> usize {
        let to = self.coordinate(node, dim) + 1;
        self.moved(node, dim, if to == self.radices[dim] { 0 } else { to })
    }

    /// Of each dimension, how many channels it is to the destination.
    pub fn relative(&self, packet: &Packet) -> Vec<u8> {
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

    pub fn changes(&self, node: usize, dim: usize) -> bool {
        match self.change {
            Change::AtZero => self.coordinate(node, dim) == 0,
            Change::AfterZero => self.coordinate(node, dim) == self.radices[dim] - 1,
        }
    }

    /// Sends the packets and goes on until nothing moves.
    pub fn run(&self, packets: &[Packet]) -> Run {
        let mut network = Network::new(self, packets);
        while !network.over() {
            network.step();
        }
        network.run
    }
}
