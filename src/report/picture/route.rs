//! Route of one message through the machine, read from the event log.

use super::Scheduled;
use crate::counted::counted;
use crate::machine::{Event, EventKind};
use crate::topology::{End, Topology};
use crate::traffic::MessageList;

/// Transfer of a message from a node to its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Step, counted from the start.
    pub t: u64,
    pub from: u32,
    /// Port of the sender. If several ports lead to `to`, the first one.
    pub port: u32,
    pub to: u32,
}

/// Route of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Position in the list of messages, counted from 0.
    pub message: usize,
    pub source: u32,
    pub destination: u32,
    pub hops: Vec<Hop>,
}

impl Route {
    /// Route of the message at this position, up to its last hop.
    ///
    /// Messages with the same source and destination take the same route. Each buffer on the
    /// route holds one message, so messages never overtake each other. The k-th of these messages
    /// therefore made the k-th transfer on each hop. If one was lost, a later one may be shown in
    /// its place.
    ///
    /// # Panics
    /// If the list has no message at this position.
    pub fn new(
        topology: &dyn Topology,
        messages: &MessageList,
        events: &[Event],
        message: usize,
    ) -> Self {
        let ends = |place: usize| {
            let message = messages.get(place);
            (message.source, message.destination)
        };
        let (source, destination) = ends(message);
        let before = (0..message).filter(|place| ends(*place) == (source, destination));
        let turn = before.count();
        let moved = |e: &&Event| {
            (e.src, e.dst) == (source, destination)
                && matches!(e.what, EventKind::Forwarded | EventKind::Delivered)
        };
        let moves: Vec<&Event> = events.iter().filter(moved).collect();
        let mut here = source;
        let mut hops: Vec<Hop> = vec![];
        while here != destination && hops.len() < topology.nodes() as usize {
            let Some(event) = moves.iter().filter(|e| e.node == here).nth(turn) else {
                break;
            };
            let peer = |port| topology.peer(End { node: here, port }).node;
            let port = (0..topology.ports()).find(|port| peer(*port) == event.to);
            let Some(port) = port else {
                break;
            };
            hops.push(Hop {
                t: event.t,
                from: here,
                port,
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

    /// Route of the first message among those with the longest distance.
    pub fn longest(
        topology: &dyn Topology,
        messages: &MessageList,
        events: &[Event],
    ) -> Option<Self> {
        let distance = |place: &usize| {
            let message = messages.get(*place);
            topology.distance(message.source, message.destination)
        };
        let message = (0..messages.len()).rev().max_by_key(distance)?;
        Some(Route::new(topology, messages, events, message))
    }

    /// Lists the nodes of the route. The text follows [`title`](Self::title).
    pub(super) fn in_words(&self, machine: Scheduled) -> String {
        let nodes: Vec<String> = self.hops.iter().map(|hop| machine.name(hop.to)).collect();
        match nodes.is_empty() {
            true => ".".into(),
            false => format!("; by way of {}.", nodes.join(", ")),
        }
    }

    pub(super) fn title(&self, machine: Scheduled) -> String {
        let arrived = match self.hops.last() {
            Some(last) if last.to == self.destination => {
                let step = machine.step.full;
                format!(
                    "{}, arrived in {step} {}",
                    counted(self.hops.len(), "hop"),
                    last.t
                )
            }
            Some(last) => format!(
                "{}, as far as {}",
                counted(self.hops.len(), "hop"),
                machine.name(last.to)
            ),
            None if self.source == self.destination => "to itself, no hops".into(),
            None => "it has not moved".into(),
        };
        format!(
            "Message {} from {} to {}: {arrived}",
            self.message,
            machine.name(self.source),
            machine.name(self.destination)
        )
    }
}
