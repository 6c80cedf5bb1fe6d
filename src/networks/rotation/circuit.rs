//! A cube of rotation switches, in the form that each engine takes.

use super::RotationShape;
use crate::engine::{Engine, EngineError, Reference};
use crate::machine::array::{Array, Blocks, Wire};
use crate::machine::MachineCircuit;
use crate::rtl::bytes::Always;
use crate::rtl::rotation::{RotationSwitch, Scheme};
use crate::topology::Topology;
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// The circuit of a machine: what it is built for.
#[derive(Clone, Debug)]
pub struct RotationCircuit {
    shape: RotationShape,
}

/// With the switch of a plan, whose scheme and virtual channels are constants.
macro_rules! with_switch {
    ($plan:expr, $make:ident => $body:expr) => {{
        let plan = $plan;
        match (plan.scheme(), plan.channels) {
            (Scheme::Minimal, 1) => {
                let $make = || RotationSwitch::<0, 1>::new(plan);
                $body
            }
            (Scheme::Minimal, _) => {
                let $make = || RotationSwitch::<0, 2>::new(plan);
                $body
            }
            (Scheme::Thacker, 1) => {
                let $make = || RotationSwitch::<1, 1>::new(plan);
                $body
            }
            (Scheme::Thacker, _) => {
                let $make = || RotationSwitch::<1, 2>::new(plan);
                $body
            }
            (Scheme::Rewired, 1) => {
                let $make = || RotationSwitch::<2, 1>::new(plan);
                $body
            }
            (Scheme::Rewired, _) => {
                let $make = || RotationSwitch::<2, 2>::new(plan);
                $body
            }
        }
    }};
}

impl RotationCircuit {
    pub fn new(shape: RotationShape) -> Self {
        RotationCircuit { shape }
    }

    pub fn shape(&self) -> &RotationShape {
        &self.shape
    }

    /// The circuit of a node.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    pub fn node(&self) -> Result<Design, LowerErrors> {
        with_switch!(self.shape.plan(), switch => lower(&switch()))
    }

    /// A `rust-hdl` block of each node, in the reference.
    fn references(&self) -> Result<Vec<Box<dyn Engine>>, EngineError> {
        let nodes = self.shape.cube().nodes() as usize;
        with_switch!(self.shape.plan(), switch => Reference::copies(nodes, switch))
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
            node: self.node()?,
            nodes: cube.nodes() as usize,
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
