//! Cube of rotation switches, in the form that each engine takes.

use super::RotationShape;
use crate::array::{Array, BlockEngines, InputWiring};
use crate::MachineCircuit;
use engine::EngineError;
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::topology::Topology;
use rtl::bytes::ConstantStep;
use rtl::rotation::machine;

/// Parameters of the circuit of a machine.
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

    /// Returns the block of a node.
    pub fn node(&self) -> Box<dyn Circuit> {
        machine::switch(self.shape.plan())
    }
}

impl MachineCircuit for RotationCircuit {
    fn topology(&self) -> &dyn Topology {
        self.shape.cube()
    }

    /// Returns the machine as an array of nodes. The outputs of a node in a dimension drive the
    /// inputs of its neighbour in that dimension, including acknowledges. The processors' channels
    /// are external ports.
    fn array(&self) -> Result<Array, LowerErrors> {
        let cube = self.shape.cube();
        let mut wiring = vec![];
        for dim in 0..cube.dims() {
            let (input, output) = (format!("data_in[{dim}]"), format!("data_out[{dim}]"));
            wiring.push(InputWiring::word(&input, &output, 8, cube, dim));
        }
        for (number, lane) in self.shape.crossbar().lanes().iter().enumerate() {
            let dim = lane.dim as u32;
            let port = |name: &str| format!("{name}[{number}]");
            let (input, output) = (port("request_in"), port("request_out"));
            wiring.push(InputWiring::word(&input, &output, 1, cube, dim));
            let (input, output) = (port("acknowledge_in"), port("acknowledge_out"));
            wiring.push(InputWiring::reverse_word(&input, &output, 1, cube, dim));
        }
        Ok(Array {
            name: "rotation".into(),
            doc: format!("The {} of rotation switches.", cube.name()),
            node: lower(&*self.node())?,
            nodes: cube.nodes() as usize,
            shared: lower(&ConstantStep::default())?,
            wiring,
        })
    }

    fn blocks(&self) -> Result<BlockEngines, EngineError> {
        let nodes = self.shape.cube().nodes() as usize;
        BlockEngines::of(nodes, || self.node(), Box::new(ConstantStep::default()))
    }
}
