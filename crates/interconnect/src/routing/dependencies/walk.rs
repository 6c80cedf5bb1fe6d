//! Following all messages for one destination at once, channel by channel.

use super::{Channel, Relation, RelationError};
use crate::topology::{End, Topology};
use std::collections::VecDeque;

/// Numbering of channels by virtual channel, node and port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    nodes: u32,
    ports: u32,
}

impl Numbers {
    pub fn of(topology: &dyn Topology) -> Self {
        Numbers {
            nodes: topology.nodes(),
            ports: topology.ports(),
        }
    }

    pub fn number(self, channel: Channel) -> u32 {
        let End { node, port } = channel.from;
        (channel.vc * self.nodes + node) * self.ports + port
    }

    pub fn channel(self, number: u32) -> Channel {
        let (end, port) = (number / self.ports, number % self.ports);
        let (vc, node) = (end / self.nodes, end % self.nodes);
        Channel {
            from: End { node, port },
            vc,
        }
    }
}

/// All messages for one destination, followed from their sources channel by channel.
pub(super) struct Walk<'a> {
    pub relation: &'a dyn Relation,
    pub numbers: Numbers,
    pub destination: u32,
    /// Indexed by channel number: how the first message reached it, or `None` if no message holds
    /// it.
    pub found: Vec<Option<Came>>,
    /// Channels that were found but not yet followed, in the order of discovery. A shortest path
    /// therefore comes first.
    queue: VecDeque<u32>,
}

/// How a message comes to hold a channel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Came {
    FromItsSource,
    From(u32),
}

/// A channel that a message for the destination may hold, and the channels that it may want next.
pub(super) struct State {
    pub number: u32,
    pub next: Vec<u32>,
}

impl<'a> Walk<'a> {
    pub fn new(relation: &'a dyn Relation, destination: u32) -> Self {
        Walk {
            relation,
            numbers: Numbers::of(relation.topology()),
            destination,
            found: vec![],
            queue: Default::default(),
        }
    }

    /// Starts a message at every source.
    pub fn begin(&mut self) -> Result<(), RelationError> {
        for source in 0..self.numbers.nodes {
            if source != self.destination {
                for first in self.first(source)? {
                    self.find(first, Came::FromItsSource);
                }
            }
        }
        Ok(())
    }

    /// Returns the next channel that some message holds. The walk does not yet advance from it.
    pub fn look(&mut self) -> Result<Option<State>, RelationError> {
        let Some(number) = self.queue.pop_front() else {
            return Ok(None);
        };
        let next = self.next(number)?;
        Ok(Some(State { number, next }))
    }

    pub fn follow(&mut self, state: &State) {
        for &next in &state.next {
            self.find(next, Came::From(state.number));
        }
    }

    /// Calls [`look`](Self::look), then [`follow`](Self::follow).
    pub fn step(&mut self) -> Result<Option<State>, RelationError> {
        let state = self.look()?;
        if let Some(state) = &state {
            self.follow(state);
        }
        Ok(state)
    }

    /// Returns the channels from a source to this one, on a shortest path that was walked.
    pub fn route(&self, number: u32) -> Vec<u32> {
        let mut route = vec![number];
        let mut here = number;
        while let Some(Some(Came::From(before))) = self.found.get(here as usize) {
            here = *before;
            route.push(here);
        }
        route.reverse();
        route
    }

    fn find(&mut self, number: u32, came: Came) {
        let place = number as usize;
        if self.found.len() <= place {
            // Grows by whole virtual channels.
            let channels = (self.numbers.nodes * self.numbers.ports) as usize;
            let length = (place + 1).next_multiple_of(channels);
            self.found.resize(length, None);
        }
        if self.found[place].is_none() {
            self.found[place] = Some(came);
            self.queue.push_back(number);
        }
    }

    pub fn first(&self, source: u32) -> Result<Vec<u32>, RelationError> {
        let first = self.relation.first(source, self.destination);
        self.checked(first, source)
    }

    pub fn next(&self, number: u32) -> Result<Vec<u32>, RelationError> {
        let channel = self.numbers.channel(number);
        let next = self.relation.next(channel, self.destination);
        let here = self.relation.topology().peer(channel.from).node;
        self.checked(next, here)
    }

    /// Converts the channels that may be entered at a node to numbers, and checks them.
    fn checked(&self, channels: Vec<Channel>, here: u32) -> Result<Vec<u32>, RelationError> {
        let topology = self.relation.topology();
        let destination = || topology.node_name(self.destination);
        let carried = self.relation.carries(here, self.destination);
        if channels.is_empty() && here != self.destination && carried {
            return Err(RelationError::Lost {
                node: topology.node_name(here),
                destination: destination(),
            });
        }
        let number = |channel: Channel| {
            let end = channel.from;
            if end.node != here || end.port >= self.numbers.ports {
                return Err(RelationError::Elsewhere {
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
