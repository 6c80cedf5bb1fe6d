//! Next hops of messages and their times: relations and schedules, without circuits.
//!
//! * [`Relation`]: the channels that a message may enter next;
//! * [`Schedule`]: the step in which each node sends, for networks with a fixed schedule;
//! * [`compiled`]: lists of messages with paths and times fixed before the machine runs;
//! * [`dependencies`]: channels that may wait for each other, and the cycles among them;
//! * [`hypercube`]: routes of the cube: the fixed order of dimensions, any order, and the path of a lone
//!   message in the CM-1;
//! * [`loads`]: the load of each channel when all pairs communicate;
//! * [`metacube`]: routes between the classes of the metacube, and the order of its total exchange;
//! * [`rewired`]: routes that avoid a failed switch of the cube;
//! * [`rotation`]: minimal rotation on the cube;
//! * [`table`]: a relation from CSV files;
//! * [`tdma`]: the transmitter of each wire in each phase;
//! * [`torus`]: routes and virtual channels of the torus.

pub mod compiled;
pub mod dependencies;
pub mod hypercube;
pub mod loads;
pub mod metacube;
pub mod rewired;
pub mod rotation;
pub mod table;
pub mod tdma;
pub mod torus;

use crate::topology::{PortEnd, Topology};
use std::fmt;

// Routing relation of a network: the channels that a message may enter next.

/// Storage between two nodes for one message or a part of one. A message enters it from this end on
/// this virtual channel.
///
/// Networks without virtual channels use only number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The end by which a message enters the channel.
    pub from: PortEnd,
    /// The virtual channel, counted from 0.
    pub vc: u32,
}

impl Channel {
    pub const fn new(from: PortEnd, vc: u32) -> Self {
        Channel { from, vc }
    }
}

/// Gives the permitted next channels of a message from its current channel and its destination.
///
/// The relation is plain arithmetic, so an analysis can enumerate all of it. A message that holds a
/// channel may wait for the next channels. If such waits form a cycle, a machine may deadlock
/// (torus-routing-chip, Definition 5 and Theorem 1).
pub trait Relation {
    fn topology(&self) -> &dyn Topology;

    /// Returns the channels that a message may enter at its source, or none if the source is its
    /// destination.
    fn first(&self, source: u32, destination: u32) -> Vec<Channel>;

    /// Returns the channels that a message for `destination` may enter from this one, or none if it
    /// has arrived there. The verdict on escape channels holds only if a blocked message waits for all
    /// of these channels at once and takes whichever is free, and if destinations consume messages.
    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel>;

    /// Printed name of a channel: `0x3 to 0x2`, with the virtual channel if there are several.
    fn channel_name(&self, channel: Channel) -> String {
        let topology = self.topology();
        let to = topology.peer(channel.from);
        let (from, to) = (channel.from.node, to.node);
        format!("{} to {}", topology.node_name(from), topology.node_name(to))
    }

    /// Returns true if messages between these nodes have routes. Otherwise they enter no channel.
    fn has_route(&self, source: u32, destination: u32) -> bool {
        let _ = (source, destination);
        true
    }

    /// Returns true if a message for this destination that waits for the channel has it as an escape:
    /// the channel belongs to the routing subfunction for the destination
    /// ([`dependencies::check_escape`]). By default no channel is declared as an escape.
    fn is_escape(&self, channel: Channel, destination: u32) -> bool {
        let _ = (channel, destination);
        false
    }

    /// Returns true if nodes are those of a cube and a route depends only on the xor of source and
    /// destination. The route from s to d is then the route from 0 to s xor d, with each node xor
    /// s.
    fn is_translation_invariant(&self) -> bool {
        false
    }

    /// Returns the channels, in order, of a message that always takes the first permitted one.
    fn route(&self, source: u32, destination: u32) -> Vec<Channel> {
        let mut route: Vec<Channel> = vec![];
        let mut next = self.first(source, destination);
        while let Some(channel) = next.first().copied() {
            route.push(channel);
            next = self.next(channel, destination);
        }
        route
    }
}

/// Port by which each node sends in each step of a period, the same in every period. A node sends
/// by at most one port in a step.
pub trait Schedule: fmt::Debug + Send + Sync {
    /// Number of steps in a period.
    fn period(&self) -> u32;

    /// Returns the port by which a node sends in this step, counted from 0 in the period.
    fn sends(&self, node: u32, step: u32) -> Option<u32>;

    /// Returns the port at which a node receives in this step: the one whose other end sends.
    fn receives(&self, topology: &dyn Topology, node: u32, step: u32) -> Option<u32> {
        (0..topology.ports()).find(|&port| {
            let from = topology.source(PortEnd { node, port });
            self.sends(from.node, step) == Some(from.port)
        })
    }

    /// Returns the first step of a period in which a node sends by this port.
    fn step_of(&self, end: PortEnd) -> Option<u32> {
        (0..self.period()).find(|&step| self.sends(end.node, step) == Some(end.port))
    }
    /// Common property of the nodes that send in a step, for the head of a column: `dim 2, bit 0`.
    /// Empty if there is none.
    fn step_label(&self, _step: u32) -> String {
        String::new()
    }

    /// The same property as numbers, for a waveform. Every step has the same names.
    fn step_numbers(&self, _step: u32) -> Vec<StepNumber> {
        vec![]
    }
}

/// Named number that describes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepNumber {
    /// Name in a waveform.
    pub name: &'static str,
    /// Width in bits, enough for every step.
    pub bits: u32,
    pub value: u64,
}
