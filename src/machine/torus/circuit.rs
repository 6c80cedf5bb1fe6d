//! A torus of chips, in the form that each engine takes.

use super::TorusShape;
use crate::lower::{lower, LowerErrors};
use crate::machine::array::{Array, Line, Source, Wire};
use crate::rtl::torus::TorusNode;
use crate::topology::{End, Topology};
use lockstep::lanes::LaneMap;
use lockstep::rtl::{Builder, Design, Library};

/// The circuit of a machine: what it is built for.
#[derive(Clone, Debug)]
pub struct TorusCircuit {
    shape: TorusShape,
}

impl TorusCircuit {
    pub fn new(shape: TorusShape) -> Self {
        TorusCircuit { shape }
    }

    pub fn shape(&self) -> &TorusShape {
        &self.shape
    }

    /// The circuit of a node.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    pub fn node(&self) -> Result<Design, LowerErrors> {
        let plan = self.shape.plan();
        match (plan.tail.data_wires(), plan.channels) {
            (8, 1) => lower(&TorusNode::<8, 1>::new(plan)),
            (8, _) => lower(&TorusNode::<8, 2>::new(plan)),
            (_, 1) => lower(&TorusNode::<9, 1>::new(plan)),
            (_, _) => lower(&TorusNode::<9, 2>::new(plan)),
        }
    }

    /// The machine as a node and how it is wired: a node hears on its channel of a
    /// dimension what the node says whose coordinate there is one more, and hears its
    /// acknowledges from the node whose coordinate is one less. The origin pins and
    /// the processors' channels come from outside.
    ///
    /// # Errors
    /// As [`node`](Self::node).
    pub fn array(&self) -> Result<Array, LowerErrors> {
        let (torus, plan) = (self.shape.torus(), self.shape.plan());
        let nodes = torus.nodes() as usize;
        let mut wiring = vec![];
        for dim in 0..torus.dims() {
            let end = |node: usize| End {
                node: node as u32,
                port: dim as u32,
            };
            let from = LaneMap::from_fn(nodes, |i| torus.source(end(i)).node as usize);
            let to = LaneMap::from_fn(nodes, |i| torus.peer(end(i)).node as usize);
            let mut wire = |input: &str, output: &str, width: usize, node: &LaneMap| {
                let line = |bit| Line {
                    output: format!("{output}[{dim}]"),
                    bit,
                    node: node.clone(),
                };
                wiring.push(Wire {
                    input: format!("{input}[{dim}]"),
                    source: Source::Nodes((0..width as u32).map(line).collect()),
                });
            };
            wire("data_in", "data_out", plan.tail.data_wires(), &from);
            wire("request_in", "request_out", plan.channels, &from);
            wire("acknowledge_in", "acknowledge_out", plan.channels, &to);
        }
        Ok(Array {
            name: "torus".into(),
            doc: format!("The {} of torus routing chips.", torus.name()),
            node: self.node()?,
            nodes,
            shared: nothing_shared(),
            wiring,
        })
    }
}

/// There is nothing that the machine has one of.
fn nothing_shared() -> Design {
    let mut library = Library::default();
    let module = Builder::new("nothing_shared", "What all nodes have in common: nothing.");
    let top = library.add_module(module.finish());
    library.finish(top)
}
