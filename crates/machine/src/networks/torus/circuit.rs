//! Torus of chips, in the form that each engine takes.

use super::TorusShape;
use crate::array::{Array, BlockEngines, InputWiring};
use crate::MachineCircuit;
use engine::EngineError;
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::topology::Topology;
use rtl::bytes::ConstantStep;
use rtl::torus::machine;

/// Parameters of the circuit of a machine.
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

    /// Returns the block of a node.
    pub fn node(&self) -> Box<dyn Circuit> {
        machine::node(self.shape.plan())
    }
}

impl MachineCircuit for TorusCircuit {
    fn topology(&self) -> &dyn Topology {
        self.shape.torus()
    }

    /// Returns the machine as an array of nodes. The channel input of a node in a dimension comes
    /// from the node whose coordinate is one more. Its acknowledge input comes from the node whose
    /// coordinate is one less. The origin pins and the processors' channels are external ports.
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
                wiring.push(InputWiring::word(
                    &port(input),
                    &port(output),
                    bits,
                    torus,
                    dim,
                ));
            }
            let (input, output) = (port("acknowledge_in"), port("acknowledge_out"));
            wiring.push(InputWiring::reverse_word(
                &input, &output, channels, torus, dim,
            ));
        }
        Ok(Array {
            name: "torus".into(),
            doc: format!("The {} of torus routing chips.", torus.name()),
            node: lower(&*self.node())?,
            nodes: torus.nodes() as usize,
            shared: lower(&ConstantStep::default())?,
            wiring,
        })
    }

    fn blocks(&self) -> Result<BlockEngines, EngineError> {
        let nodes = self.shape.torus().nodes() as usize;
        BlockEngines::of(nodes, || self.node(), Box::new(ConstantStep::default()))
    }
}
