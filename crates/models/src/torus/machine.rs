//! Torus of the model: its nodes and the distances between them.

use super::{TorusModelNetwork, TorusModelRun};
use crate::bytes::packet::ModelTailFormat;

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
