//! Small networks with known deadlocks.

use crate::routing::{Channel, Relation};
use crate::topology::{PortEnd, Topology};

/// Topology given by its nodes, its ports, and the node that each end leads to.
#[derive(Clone, Copy, Debug)]
pub struct TestGraph {
    nodes: u32,
    ports: u32,
    /// Parameter for `to`.
    k: u32,
    to: fn(u32, PortEnd) -> u32,
}

impl Topology for TestGraph {
    fn name(&self) -> String {
        format!("{} nodes", self.nodes)
    }

    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn ports(&self) -> u32 {
        self.ports
    }

    fn peer(&self, end: PortEnd) -> PortEnd {
        let node = (self.to)(self.k, end);
        PortEnd { node, ..end }
    }
}

fn channel(node: u32, port: u32, vc: u32) -> Vec<Channel> {
    let from = PortEnd { node, port };
    vec![Channel { from, vc }]
}

/// Decrements one digit of the address.
fn down(k: u32, end: PortEnd) -> u32 {
    let weight = k.pow(end.port);
    match end.node / weight % k {
        0 => end.node + (k - 1) * weight,
        _ => end.node - weight,
    }
}

/// A k-ary n-cube with one descending channel per dimension, lowest dimension first. With two
/// virtual channels, packets change from 1 to 0 at the node with coordinate 0 in the dimension.
pub struct TestTorus {
    graph: TestGraph,
    two: bool,
}

impl TestTorus {
    pub fn new(k: u32, n: u32, two: bool) -> Self {
        let graph = TestGraph { nodes: k.pow(n), ports: n, k, to: down };
        TestTorus { graph, two }
    }

    fn onwards(&self, here: u32, destination: u32, came: Option<Channel>) -> Vec<Channel> {
        let digit = |node: u32, dim: u32| node / self.graph.k.pow(dim) % self.graph.k;
        let differs = |dim: &u32| digit(here, *dim) != digit(destination, *dim);
        let Some(dim) = (0..self.graph.ports).find(differs) else {
            return vec![];
        };
        let came = came.filter(|came| came.from.port == dim);
        let low = came.is_some_and(|came| came.vc == 0 || digit(here, dim) == 0);
        channel(here, dim, u32::from(self.two && !low))
    }
}

impl Relation for TestTorus {
    fn topology(&self) -> &dyn Topology {
        &self.graph
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.onwards(source, destination, None)
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let here = self.graph.peer(channel.from).node;
        self.onwards(here, destination, Some(channel))
    }
}

/// A ring with the virtual channels of section 3 of the paper: high from nodes below the
/// destination, low from nodes above it.
pub struct Spiral(TestGraph);

impl Spiral {
    pub fn new(k: u32) -> Self {
        Spiral(TestTorus::new(k, 1, true).graph)
    }
}

impl Relation for Spiral {
    fn topology(&self) -> &dyn Topology {
        &self.0
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        match source == destination {
            true => vec![],
            false => channel(source, 0, u32::from(source < destination)),
        }
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        self.first(self.0.peer(channel.from).node, destination)
    }
}

/// Minimal rotation on a k-cube: crosses the differing dimensions downwards and around, from the
/// one with the shortest span. With two virtual channels, packets use 1 from the wrap on.
pub struct TestRotation {
    graph: TestGraph,
    two: bool,
}

impl TestRotation {
    pub fn new(k: u32, two: bool) -> Self {
        let graph = TestGraph { nodes: 1 << k, ports: k, k, to: |_, end| end.node ^ 1 << end.port };
        TestRotation { graph, two }
    }

    /// Returns the first set dimension from `from` on, downwards and around, and its distance.
    fn next_set_dim(&self, delta: u32, from: u32) -> Option<(u32, u32)> {
        let k = self.graph.k;
        let steps = (0..k).map(|step| ((from + k - step) % k, step));
        steps.into_iter().find(|(dim, _)| delta >> dim & 1 == 1)
    }

    /// Distance downwards from this dimension to the last set one.
    fn span(&self, delta: u32, from: u32) -> u32 {
        let k = self.graph.k;
        let mut down = (0..k).rev();
        down.find(|step| delta >> ((from + k - step) % k) & 1 == 1).unwrap_or(0)
    }
}

impl Relation for TestRotation {
    fn topology(&self) -> &dyn Topology {
        &self.graph
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        let delta = source ^ destination;
        let set = (0..self.graph.k).rev().filter(|dim| delta >> dim & 1 == 1);
        match set.min_by_key(|&dim| self.span(delta, dim)) {
            Some(dim) => channel(source, dim, 0),
            None => vec![],
        }
    }

    fn next(&self, came: Channel, destination: u32) -> Vec<Channel> {
        let here = self.graph.peer(came.from).node;
        match self.next_set_dim(here ^ destination, came.from.port) {
            Some((dim, _)) => {
                let wraps = dim > came.from.port;
                channel(here, dim, u32::from(self.two && (wraps || came.vc == 1)))
            }
            None => vec![],
        }
    }
}

/// A ring of nodes 0 to 3. Messages enter it only from node 5, and node 5 only from node 4. The
/// destination is two nodes after the entry. Ring nodes send to node 4 first.
pub struct Hub;

impl Hub {
    const GRAPH: TestGraph = TestGraph {
        nodes: 6,
        ports: 5,
        k: 4,
        to: |_, end| match end.node {
            4 => 5,
            5 => end.port, // Includes node 4.
            node if end.port == 0 => (node + 1) % 4,
            _ => 4,
        },
    };

    fn onwards(here: u32, destination: u32, came_from: Option<u32>) -> Vec<Channel> {
        match (here, destination) {
            _ if here == destination => vec![],
            (4, _) => channel(4, 0, 0),
            (5, 4) => channel(5, 4, 0),
            (5, _) => channel(5, (destination + 2) % 4, 0),
            (_, 0..=3) if came_from.is_some() => channel(here, 0, 0),
            _ => channel(here, 1, 0),
        }
    }
}

impl Relation for Hub {
    fn topology(&self) -> &dyn Topology {
        &Self::GRAPH
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        Self::onwards(source, destination, None)
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let here = Self::GRAPH.peer(channel.from).node;
        Self::onwards(here, destination, Some(channel.from.node))
    }
}

/// A 3 x 3 mesh in which a message takes any channel that leads nearer. With `escape`, these are
/// virtual channel 1, and the message may enter virtual channel 0 at any time. On virtual channel 0
/// it stays, and follows the rows first (Duato 1993).
pub struct Mesh {
    pub escape: bool,
}

impl Mesh {
    /// Ports: east, west, north, south. Ports at the edge of the mesh lead back to the node.
    const GRAPH: TestGraph = TestGraph {
        nodes: 9,
        ports: 4,
        k: 3,
        to: |_, end| match (end.port, end.node % 3, end.node / 3) {
            (0, 0 | 1, _) => end.node + 1,
            (1, 1 | 2, _) => end.node - 1,
            (2, _, 0 | 1) => end.node + 3,
            (3, _, 1 | 2) => end.node - 3,
            _ => end.node,
        },
    };

    fn onwards(&self, here: u32, destination: u32, escaped: bool) -> Vec<Channel> {
        let [x, y] = [here % 3, here / 3];
        let [to_x, to_y] = [destination % 3, destination / 3];
        let nearer = [x < to_x, x > to_x, y < to_y, y > to_y];
        let ports = (0..4).filter(|&port| nearer[port as usize]);
        let ports: Vec<u32> = ports.collect();
        let any = ports.iter().flat_map(|&port| {
            let vc = u32::from(self.escape);
            channel(here, port, vc)
        });
        let rows_first = ports.first().map(|&port| channel(here, port, 0));
        let rows_first = rows_first.into_iter().flatten();
        match (self.escape, escaped) {
            (false, _) => any.collect(),
            (true, false) => any.chain(rows_first).collect(),
            (true, true) => rows_first.collect(),
        }
    }
}

impl Relation for Mesh {
    fn topology(&self) -> &dyn Topology {
        &Self::GRAPH
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        self.onwards(source, destination, false)
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let here = Self::GRAPH.peer(channel.from).node;
        self.onwards(here, destination, self.escape && channel.vc == 0)
    }
}

/// Four nodes: 0, 1 and 2 form a ring, and 3 leads into it. Node 1 sends by another port or by
/// none. With port 0 the only fault is that node 3 is never reached.
pub struct Faulty {
    pub port: Option<u32>,
}

impl Relation for Faulty {
    fn topology(&self) -> &dyn Topology {
        &TestGraph { nodes: 4, ports: 1, k: 3, to: |_, end| (end.node + 1) % 3 }
    }

    fn first(&self, source: u32, destination: u32) -> Vec<Channel> {
        match (source, self.port) {
            _ if source == destination => vec![],
            (1, None) => vec![],
            (1, Some(port)) => channel(1, port, 0),
            _ => channel(source, 0, 0),
        }
    }

    fn next(&self, channel: Channel, destination: u32) -> Vec<Channel> {
        let here = self.topology().peer(channel.from).node;
        self.first(here, destination)
    }
}
