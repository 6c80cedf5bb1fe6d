//! Networks that are described channel by channel, such as meshes with edges.

use super::{PortEnd, Topology};
use std::collections::HashMap;
use thiserror::Error;

/// Nodes with names, joined by one-way channels.
///
/// A node has a port for each channel that leaves it. Nodes with fewer channels than others have
/// ports without a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// For each node, the other ends of the channels that leave it, by port.
    leaving: Vec<Vec<PortEnd>>,
    /// For each node, the other ends of the channels that arrive.
    arriving: Vec<Vec<PortEnd>>,
}

/// Error: a channel cannot be added to a graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    #[error("a channel leads from {0} to {0}; accepted: two different nodes")]
    ToItself(String),
    #[error("the channel from {0} to {1} is there already; accepted: one line for both ends, with the number of virtual channels in the column vcs")]
    Twice(String, String),
    #[error("there are more than {max} nodes; accepted: up to {max}", max = Graph::MAX_NODES)]
    Nodes,
}

impl Graph {
    /// Largest number of nodes.
    pub const MAX_NODES: usize = 1 << 16;

    /// Adds a channel between two nodes. A new name adds a node.
    ///
    /// # Errors
    /// If the nodes are the same, have this channel already, or are too many.
    pub fn add_channel(&mut self, from: &str, to: &str) -> Result<(), GraphError> {
        if from == to {
            return Err(GraphError::ToItself(from.to_owned()));
        }
        let ends = [self.add_node(from)?, self.add_node(to)?];
        if self.port_to(ends[0], ends[1]).is_some() {
            return Err(GraphError::Twice(from.to_owned(), to.to_owned()));
        }
        let [from, to] = ends.map(|node| node as usize);
        let end = |node: u32, others: &[PortEnd]| PortEnd::new(node, others.len() as u32);
        let leaves = end(ends[0], &self.leaving[from]);
        let arrives = end(ends[1], &self.arriving[to]);
        self.leaving[from].push(arrives);
        self.arriving[to].push(leaves);
        Ok(())
    }

    fn add_node(&mut self, name: &str) -> Result<u32, GraphError> {
        if let Some(node) = self.node(name) {
            return Ok(node);
        }
        if self.names.len() == Self::MAX_NODES {
            return Err(GraphError::Nodes);
        }
        let node = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), node);
        self.leaving.push(vec![]);
        self.arriving.push(vec![]);
        Ok(node)
    }

    /// Returns the node with this name.
    pub fn node(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the port by which a channel leads from one node to another.
    pub fn port_to(&self, from: u32, to: u32) -> Option<u32> {
        let leaving = &self.leaving[from as usize];
        let port = leaving.iter().position(|end| end.node == to)?;
        Some(port as u32)
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.leaving.iter().map(Vec::len).sum()
    }
}

impl Topology for Graph {
    fn name(&self) -> String {
        format!("graph of {} nodes", self.names.len())
    }

    fn nodes(&self) -> u32 {
        self.names.len() as u32
    }

    fn ports(&self) -> u32 {
        let degrees = self.leaving.iter().chain(&self.arriving).map(Vec::len);
        degrees.max().unwrap_or(0) as u32
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        let peer = self.leaving[end.node as usize].get(end.port as usize);
        peer.copied().unwrap_or(end)
    }

    fn source(&self, end: PortEnd) -> PortEnd {
        let source = self.arriving[end.node as usize].get(end.port as usize);
        source.copied().unwrap_or(end)
    }

    fn is_connected(&self, end: PortEnd) -> bool {
        (end.port as usize) < self.leaving[end.node as usize].len()
    }

    fn is_one_way(&self) -> bool {
        true
    }

    fn node_name(&self, node: u32) -> String {
        self.names[node as usize].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{distances, links, neighbours};

    /// A 3x2 mesh:
    ///
    /// ```text
    /// a b c
    /// d e f
    /// ```
    fn mesh() -> Graph {
        let mut graph = Graph::default();
        for pair in ["ab", "bc", "de", "ef", "ad", "be", "cf"] {
            let (from, to) = pair.split_at(1);
            graph.add_channel(from, to).unwrap();
            graph.add_channel(to, from).unwrap();
        }
        graph
    }

    #[test]
    fn a_mesh_has_edges() {
        let graph = mesh();
        let node = |name: &str| graph.node(name).unwrap();
        assert_eq!((graph.nodes(), graph.channels(), graph.ports()), (6, 14, 3));
        assert_eq!(links(&graph).count(), 14);
        let mut near: Vec<String> =
            neighbours(&graph, node("a")).into_iter().map(|n| graph.node_name(n)).collect();
        near.sort();
        assert_eq!(near, ["b", "d"]);
        assert_eq!(neighbours(&graph, node("e")).len(), 3);
        let far = distances(&graph, node("a"));
        let far = |name: &str| far[node(name) as usize];
        assert_eq!((far("a"), far("e"), far("f")), (Some(0), Some(2), Some(3)));
        for link in links(&graph) {
            assert_eq!(graph.source(link.to), link.from);
            assert_eq!(graph.port_to(link.from.node, link.to.node), Some(link.from.port));
        }
    }

    #[test]
    fn wrong_channels_are_rejected() {
        let mut graph = mesh();
        assert_eq!(graph.add_channel("a", "a"), Err(GraphError::ToItself("a".into())));
        assert_eq!(graph.add_channel("a", "b"), Err(GraphError::Twice("a".into(), "b".into())));
        assert_eq!(graph, mesh());
    }
}
