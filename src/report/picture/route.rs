//! The way of one message through the cube, read off the event log.

use crate::machine::{Event, What};
use crate::topology::Hypercube;
use crate::traffic::MessageList;

/// A message from a node to its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The phase, counted from the start.
    pub t: u64,
    pub from: u32,
    pub to: u32,
}

impl Hop {
    pub fn dim(self) -> u32 {
        (self.from ^ self.to).trailing_zeros()
    }
}

/// The way that a message went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Its place in the list, counted from 0.
    pub message: usize,
    pub source: u32,
    pub destination: u32,
    pub hops: Vec<Hop>,
}

impl Route {
    /// Of the message at this place, as far as it went.
    ///
    /// Messages of one source and destination take one way, through registers that
    /// hold one of them each, and so they never overtake each other: the k-th of
    /// them made the k-th of each of these hops. Where one was lost, a later one may
    /// be taken for it.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn new(cube: Hypercube, messages: &MessageList, events: &[Event], message: usize) -> Self {
        let ends = |place: usize| {
            let message = messages.get(place);
            (message.source, message.destination)
        };
        let (source, destination) = ends(message);
        let before = (0..message).filter(|place| ends(*place) == (source, destination));
        let turn = before.count();
        let moved = |e: &&Event| {
            (e.src, e.dst) == (source, destination)
                && matches!(e.what, What::Forwarded | What::Delivered)
        };
        let moves: Vec<&Event> = events.iter().filter(moved).collect();
        let mut here = source;
        let mut hops: Vec<Hop> = vec![];
        while here != destination && hops.len() < cube.dims() as usize {
            let Some(event) = moves.iter().filter(|e| e.node == here).nth(turn) else {
                break;
            };
            hops.push(Hop {
                t: event.t,
                from: here,
                to: event.to,
            });
            here = event.to;
        }
        Route {
            message,
            source,
            destination,
            hops,
        }
    }

    /// Of the first of the messages that have the longest way.
    pub fn longest(cube: Hypercube, messages: &MessageList, events: &[Event]) -> Option<Self> {
        let distance = |place: &usize| {
            let message = messages.get(*place);
            cube.distance(message.source, message.destination)
        };
        let message = (0..messages.len()).rev().max_by_key(distance)?;
        Some(Route::new(cube, messages, events, message))
    }

    /// The nodes that it went through, after what [`title`](Self::title) says.
    pub fn in_words(&self, cube: Hypercube) -> String {
        let nodes: Vec<String> = self.hops.iter().map(|hop| cube.hex(hop.to)).collect();
        match nodes.is_empty() {
            true => ".".into(),
            false => format!("; by way of {}.", nodes.join(", ")),
        }
    }

    pub fn title(&self, cube: Hypercube) -> String {
        let arrived = match self.hops.last() {
            Some(last) if last.to == self.destination => {
                format!("{} hops, arrived in phase {}", self.hops.len(), last.t)
            }
            Some(last) => format!("{} hops, as far as {}", self.hops.len(), cube.hex(last.to)),
            None if self.source == self.destination => "to itself, no hops".into(),
            None => "it has not moved".into(),
        };
        format!(
            "Message {} from {} to {}: {arrived}",
            self.message,
            cube.hex(self.source),
            cube.hex(self.destination)
        )
    }
}
