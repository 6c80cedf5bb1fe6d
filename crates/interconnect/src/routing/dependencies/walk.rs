//! Following all messages for one destination at once, channel by channel.

use super::{Channel, Relation, RelationError};
use crate::topology::{PortEnd, Topology};
use std::collections::VecDeque;

/// Numbering of channels by virtual channel, node and port.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelNumbers {
    nodes: u32,
    ports: u32,
}

impl ChannelNumbers {
    pub fn of(topology: &dyn Topology) -> Self {
        ChannelNumbers {
            nodes: topology.nodes(),
            ports: topology.ports(),
        }
    }

    pub fn number(self, channel: Channel) -> u32 {
        let PortEnd { node, port } = channel.from;
        (channel.vc * self.nodes + node) * self.ports + port
    }

    pub fn channel(self, number: u32) -> Channel {
        let (end, port) = (number / self.ports, number % self.ports);
        let (vc, node) = (end / self.nodes, end % self.nodes);
        Channel {
            from: PortEnd { node, port },
            vc,
        }
    }
}

/// All messages for one destination, followed from their sources channel by channel.
pub(super) struct Walk<'a> {
    pub relation: &'a dyn Relation,
    pub numbers: ChannelNumbers,
    pub destination: u32,
    /// Indexed by channel number: how the first message reached it, or `None` if no message holds
    /// it.
    pub reached: Vec<Option<ReachedFrom>>,
    /// Channels that were found but not yet followed, in the order of discovery. A shortest path
    /// therefore comes first.
    queue: VecDeque<u32>,
}

/// How a message comes to hold a channel.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReachedFrom {
    Source,
    Channel(u32),
}

/// A channel that a message for the destination may hold, and the channels that it may want next.
pub(super) struct WalkState {
    pub number: u32,
    pub next: Vec<u32>,
}

impl<'a> Walk<'a> {
    pub fn new(relation: &'a dyn Relation, destination: u32) -> Self {
        Walk {
            relation,
            numbers: ChannelNumbers::of(relation.topology()),
            destination,
            reached: vec![],
            queue: Default::default(),
        }
    }

    /// Starts a message at every source.
    pub fn begin(&mut self) -> Result<(), RelationError> {
        for source in 0..self.numbers.nodes {
            if source != self.destination {
                for first in self.first(source)? {
                    self.reach(first, ReachedFrom::Source);
                }
            }
        }
        Ok(())
    }

    /// Returns the next channel that some message holds. The walk does not yet advance from it.
    pub fn next_state(&mut self) -> Result<Option<WalkState>, RelationError> {
        let Some(number) = self.queue.pop_front() else {
            return Ok(None);
        };
        let next = self.next(number)?;
        Ok(Some(WalkState { number, next }))
    }

    pub fn follow(&mut self, state: &WalkState) {
        for &next in &state.next {
            self.reach(next, ReachedFrom::Channel(state.number));
        }
    }

    /// Calls [`next_state`](Self::next_state), then [`follow`](Self::follow).
    pub fn step(&mut self) -> Result<Option<WalkState>, RelationError> {
        let state = self.next_state()?;
        if let Some(state) = &state {
            self.follow(state);
        }
        Ok(state)
    }

    /// Returns the channels from a source to this one, on a shortest path that was walked.
    pub fn route(&self, number: u32) -> Vec<u32> {
        let mut route = vec![number];
        let mut here = number;
        while let Some(Some(ReachedFrom::Channel(before))) = self.reached.get(here as usize) {
            here = *before;
            route.push(here);
        }
        route.reverse();
        route
    }

    fn reach(&mut self, number: u32, came: ReachedFrom) {
        let place = number as usize;
        if self.reached.len() <= place {
            // Grows by whole virtual channels.
            let channels = (self.numbers.nodes * self.numbers.ports) as usize;
            let length = (place + 1).next_multiple_of(channels);
            self.reached.resize(length, None);
        }
        if self.reached[place].is_none() {
            self.reached[place] = Some(came);
            self.queue.push_back(number);
        }
    }

    pub fn first(&self, source: u32) -> Result<Vec<u32>, RelationError> {
        let first = self.relation.first(source, self.destination);
        self.check_channels(first, source)
    }

    pub fn next(&self, number: u32) -> Result<Vec<u32>, RelationError> {
        let channel = self.numbers.channel(number);
        let next = self.relation.next(channel, self.destination);
        let here = self.relation.topology().peer(channel.from).node;
        self.check_channels(next, here)
    }

    /// Converts the channels that may be entered at a node to numbers, and checks them.
    fn check_channels(&self, channels: Vec<Channel>, here: u32) -> Result<Vec<u32>, RelationError> {
        let topology = self.relation.topology();
        let destination = || topology.node_name(self.destination);
        let carried = self.relation.has_route(here, self.destination);
        if channels.is_empty() && here != self.destination && carried {
            return Err(RelationError::DeadEnd {
                node: topology.node_name(here),
                destination: destination(),
            });
        }
        let number = |channel: Channel| {
            let end = channel.from;
            if end.node != here || end.port >= self.numbers.ports {
                return Err(RelationError::WrongNode {
                    end,
                    here,
                    last: self.numbers.ports.saturating_sub(1),
                    destination: destination(),
                });
            }
            Ok(self.numbers.number(channel))
        };
        channels.into_iter().map(number).collect()
    }
}
