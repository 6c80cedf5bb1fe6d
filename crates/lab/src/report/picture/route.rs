//! Route of one message through the machine, read from the event log.

use super::ScheduledMachine;
use interconnect::topology::{PortEnd, Topology};
use interconnect::traffic::MessageList;
use machine::format_count::format_count;
use machine::{MessageEvent, MessageEventKind};

/// Transfer of a message from a node to its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHop {
    /// Step, counted from the start.
    pub t: u64,
    pub from: u32,
    /// Port of the sender. If several ports lead to `to`, the first one.
    pub port: u32,
    pub to: u32,
}

/// Route of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRoute {
    /// Position in the list of messages, counted from 0.
    pub message: usize,
    pub source: u32,
    pub destination: u32,
    pub hops: Vec<MessageHop>,
}

impl MessageRoute {
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
        events: &[MessageEvent],
        message: usize,
    ) -> Self {
        let ends = |place: usize| {
            let message = messages.get(place);
            (message.source, message.destination)
        };
        let (source, destination) = ends(message);
        let before = (0..message).filter(|place| ends(*place) == (source, destination));
        let turn = before.count();
        let moved = |e: &&MessageEvent| {
            (e.src, e.dst) == (source, destination)
                && matches!(
                    e.what,
                    MessageEventKind::Forwarded | MessageEventKind::Delivered
                )
        };
        let moves: Vec<&MessageEvent> = events.iter().filter(moved).collect();
        let mut here = source;
        let mut hops: Vec<MessageHop> = vec![];
        while here != destination && hops.len() < topology.nodes() as usize {
            let Some(event) = moves.iter().filter(|e| e.node == here).nth(turn) else {
                break;
            };
            let peer = |port| topology.peer(PortEnd { node: here, port }).node;
            let port = (0..topology.ports()).find(|port| peer(*port) == event.to);
            let Some(port) = port else {
                break;
            };
            hops.push(MessageHop {
                t: event.t,
                from: here,
                port,
                to: event.to,
            });
            here = event.to;
        }
        MessageRoute {
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
        events: &[MessageEvent],
    ) -> Option<Self> {
        let distance = |place: &usize| {
            let message = messages.get(*place);
            topology.distance(message.source, message.destination)
        };
        let message = (0..messages.len()).rev().max_by_key(distance)?;
        Some(MessageRoute::new(topology, messages, events, message))
    }

    /// Lists the nodes of the route. The text follows [`title`](Self::title).
    pub(super) fn node_list(&self, machine: ScheduledMachine) -> String {
        let nodes: Vec<String> = self.hops.iter().map(|hop| machine.name(hop.to)).collect();
        match nodes.is_empty() {
            true => ".".into(),
            false => format!("; by way of {}.", nodes.join(", ")),
        }
    }

    pub(super) fn title(&self, machine: ScheduledMachine) -> String {
        let arrived = match self.hops.last() {
            Some(last) if last.to == self.destination => {
                let step = machine.step.full;
                format!(
                    "{}, arrived in {step} {}",
                    format_count(self.hops.len(), "hop"),
                    last.t
                )
            }
            Some(last) => format!(
                "{}, as far as {}",
                format_count(self.hops.len(), "hop"),
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
