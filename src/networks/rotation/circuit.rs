//! A cube of rotation switches, in the form that each engine takes.

use super::RotationShape;
use crate::engine::EngineError;
use crate::machine::array::{Array, Blocks, Wire};
use crate::machine::MachineCircuit;
use crate::rtl::bytes::Always;
use crate::rtl::rotation::machine;
use crate::topology::Topology;
use hdl::lower::{lower, Circuit, LowerErrors};

/// The circuit of a machine: what it is built for.
#[derive(Clone, Debug)]
pub struct RotationCircuit {
    shape: RotationShape,
}

impl RotationCircuit {
    pub fn new(shape: RotationShape) -> Self {
        RotationCircuit { shape }
    }

    pub fn shape(&self) -> &RotationShape {
        &self.shape
    }

    /// The block of a node.
    pub fn node(&self) -> Box<dyn Circuit> {
        machine::switch(self.shape.plan())
    }
}

impl MachineCircuit for RotationCircuit {
    fn topology(&self) -> &dyn Topology {
        self.shape.cube()
    }

    /// The machine as a node and how it is wired: what a node says in a dimension its
    /// neighbour there hears, acknowledges too. The processors' channels come from outside.
    fn array(&self) -> Result<Array, LowerErrors> {
        let cube = self.shape.cube();
        let mut wiring = vec![];
        for dim in 0..cube.dims() {
            let (input, output) = (format!("data_in[{dim}]"), format!("data_out[{dim}]"));
            wiring.push(Wire::word(&input, &output, 8, cube, dim));
        }
        for (number, lane) in self.shape.crossbar().lanes().iter().enumerate() {
            let dim = lane.dim as u32;
            let port = |name: &str| format!("{name}[{number}]");
            let (input, output) = (port("request_in"), port("request_out"));
            wiring.push(Wire::word(&input, &output, 1, cube, dim));
            let (input, output) = (port("acknowledge_in"), port("acknowledge_out"));
            wiring.push(Wire::back(&input, &output, 1, cube, dim));
        }
        Ok(Array {
            name: "rotation".into(),
            doc: format!("The {} of rotation switches.", cube.name()),
            node: lower(&*self.node())?,
            nodes: cube.nodes() as usize,
            shared: lower(&Always::default())?,
            wiring,
        })
    }

    fn blocks(&self) -> Result<Blocks, EngineError> {
        let nodes = self.shape.cube().nodes() as usize;
        Blocks::of(nodes, || self.node(), Box::new(Always::default()))
    }
}
