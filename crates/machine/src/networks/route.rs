//! Route of one message, as the command `route` prints it.

use super::NetworkError;
use crate::format_count::format_count;
use crate::JsonEntry;
use anyhow::Context;
use interconnect::routing::{Channel, Relation};
use interconnect::topology::{node_at, Topology};

/// Hop of a route: `node` passes the message to `next`.
#[derive(Debug)]
pub struct NetworkHop {
    pub node: u32,
    pub next: u32,
    /// Printed names of both nodes.
    pub names: [String; 2],
    /// Values of the columns between them, numbers or words, in the order of [`NetworkRoute::columns`].
    pub cells: Vec<JsonEntry>,
}

/// Route of a message without contention.
#[derive(Debug)]
pub struct NetworkRoute {
    /// Ends and machine in one line: `0x2 to 0x5 on the 3-cube`.
    pub title: String,
    /// Duration, in lines of text.
    pub summary: String,
    /// Parameters of the machine, for `--json`.
    pub settings: Vec<JsonEntry>,
    /// Names of the columns between `node` and `next`.
    pub columns: Vec<&'static str>,
    pub hops: Vec<NetworkHop>,
}

/// Returns the route of a message that always takes the first permitted channel.
///
/// # Errors
/// If source or destination is no node.
pub(super) fn route_by_relation(
    relation: &dyn Relation,
    dims: u64,
    ends: [u64; 2],
) -> Result<NetworkRoute, NetworkError> {
    let topology = relation.topology();
    let [source, destination] = self::check_ends(topology, ends)?;
    let route = relation.route(source, destination);
    let hop = |channel: &Channel| NetworkHop {
        node: channel.from.node,
        next: topology.peer(channel.from).node,
        cells: vec![
            JsonEntry::new("port", channel.from.port),
            JsonEntry::new("vc", channel.vc),
        ],
        names: [channel.from.node, topology.peer(channel.from).node]
            .map(|node| topology.node_name(node)),
    };
    let (from, to) = (topology.node_name(source), topology.node_name(destination));
    Ok(NetworkRoute {
        title: format!("{from} to {to} on the {}", topology.name()),
        summary: format_count(route.len(), "hop"),
        settings: vec![JsonEntry::new("dims", dims)],
        columns: vec!["port", "vc"],
        hops: route.iter().map(hop).collect(),
    })
}

/// Returns source and destination of a route.
///
/// # Errors
/// If one of them is no node of the topology. The message names it.
pub(super) fn check_ends(
    topology: &dyn Topology,
    ends: [u64; 2],
) -> Result<[u32; 2], NetworkError> {
    let end = |what: &'static str, value| {
        let node = node_at(topology, value).context(what);
        node.map_err(NetworkError::BadInput)
    };
    Ok([
        end("the source", ends[0])?,
        end("the destination", ends[1])?,
    ])
}
