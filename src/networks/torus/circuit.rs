//! A torus of chips, in the form that each engine takes.

use super::TorusShape;
use crate::engine::{Engine, EngineError, Reference};
use crate::machine::array::{Array, Blocks, Wire};
use crate::machine::MachineCircuit;
use crate::rtl::bytes::Always;
use crate::rtl::torus::TorusNode;
use crate::topology::Topology;
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

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

    /// A `rust-hdl` block of each node, in the reference.
    fn references(&self) -> Result<Vec<Box<dyn Engine>>, EngineError> {
        let plan = self.shape.plan();
        let nodes = self.shape.torus().nodes() as usize;
        match (plan.tail.data_wires(), plan.channels) {
            (8, 1) => Reference::copies(nodes, || TorusNode::<8, 1>::new(plan)),
            (8, _) => Reference::copies(nodes, || TorusNode::<8, 2>::new(plan)),
            (_, 1) => Reference::copies(nodes, || TorusNode::<9, 1>::new(plan)),
            (_, _) => Reference::copies(nodes, || TorusNode::<9, 2>::new(plan)),
        }
    }
}

impl MachineCircuit for TorusCircuit {
    fn topology(&self) -> &dyn Topology {
        self.shape.torus()
    }

    /// The machine as a node and how it is wired: a node hears on its channel of a
    /// dimension what the node says whose coordinate there is one more, and hears its
    /// acknowledges from the node whose coordinate is one less. The origin pins and
    /// the processors' channels come from outside.
    fn array(&self) -> Result<Array, LowerErrors> {
        let (torus, plan) = (self.shape.torus(), self.shape.plan());
        let (wires, channels) = (plan.tail.data_wires() as u32, plan.channels as u32);
        let mut wiring = vec![];
        for dim in 0..torus.ports() {
            let port = |name: &str| format!("{name}[{dim}]");
            for (input, output, bits) in [
                ("data_in", "data_out", wires),
                ("request_in", "request_out", channels),
            ] {
                wiring.push(Wire::word(&port(input), &port(output), bits, torus, dim));
            }
            let (input, output) = (port("acknowledge_in"), port("acknowledge_out"));
            wiring.push(Wire::back(&input, &output, channels, torus, dim));
        }
        Ok(Array {
            name: "torus".into(),
            doc: format!("The {} of torus routing chips.", torus.name()),
            node: self.node()?,
            nodes: torus.nodes() as usize,
            shared: lower(&Always::default())?,
            wiring,
        })
    }

    /// Of every size: there is one block for all.
    fn blocks(&self) -> Result<Blocks, EngineError> {
        Ok(Blocks {
            nodes: self.references()?,
            shared: Box::new(Reference::new(Always::default())?),
        })
    }
}
