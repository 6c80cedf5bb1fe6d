//! Builds one module from a node circuit and its wiring, for engines without lanes.

use super::{Array, Feed};
use lockstep::design::{Builder, Design, Library, SignalId, SignalKind};
use std::collections::HashMap;

impl Array {
    /// Builds the machine as one module: the shared circuit, and one instance `nodes[i]` of the
    /// node's module per node.
    ///
    /// Its ports are the ports of the shared circuit. A port `p` of a node that the wiring does not
    /// drive becomes one port `p[i]` per node.
    ///
    /// # Panics
    /// If the wiring names a port that does not exist, or one of another width.
    pub fn whole(&self) -> Design {
        let mut library = Library::default();
        let mut top = Builder::new(&self.name, &self.doc);
        top.param("NODES", self.nodes);
        let shared = top.instantiate_design(&mut library, "shared", &self.shared);
        for (_, port) in self.shared.top().ports() {
            top.export_port(shared[&port.name], port, &port.name);
        }
        let node_id = library.add(&self.node);
        let node = library.module(node_id);
        let nodes: Vec<Vec<SignalId>> = (0..self.nodes)
            .map(|i| top.instance(&format!("nodes[{i}]"), node_id, node))
            .collect();
        let positions: HashMap<&str, usize> = node
            .ports()
            .enumerate()
            .map(|(position, (_, port))| (port.name.as_str(), position))
            .collect();
        for (position, (_, port)) in node.ports().enumerate() {
            let feed = self.feed(&port.name);
            for (i, pins) in nodes.iter().enumerate() {
                let (pin, name) = (pins[position], format!("{}[{i}]", port.name));
                match (&port.kind, feed) {
                    (SignalKind::Input, Some(Feed::Shared(output))) => {
                        top.connect(pin, shared[output.as_str()]);
                    }
                    (SignalKind::Input, Some(Feed::Number)) => {
                        let number = top.constant(i as u64, port.width());
                        top.assign(pin, number);
                    }
                    (SignalKind::Input, Some(Feed::Nodes(lines))) => {
                        assert_eq!(lines.len(), port.width() as usize, "`{}`", port.name);
                        for (bit, line) in (0..).zip(lines) {
                            let from = nodes[line.node.from(i)][positions[line.output.as_str()]];
                            let from = top.read(from);
                            let value = top.bit(from, line.bit);
                            top.assign_bit(pin, bit, value);
                        }
                    }
                    _ => {
                        top.export_port(pin, port, &name);
                    }
                }
            }
        }
        let top = library.add_module(top.finish());
        library.finish(top)
    }
}
