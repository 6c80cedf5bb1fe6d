//! Circuit of a CM-1 of given shape, in the form that each engine takes.

use super::Cm1Shape;
use crate::array::{Array, BlockEngines, InputWiring};
use crate::MachineCircuit;
use engine::EngineError;
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::topology::{Hypercube, Topology};
use rtl::cm1::machine::{chip, petit_control};
use rtl::cm1::{PetitPlan, PROCESSORS_MAX, ROWS_MAX};

/// Parameters of the circuit of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Cm1Circuit {
    cube: Hypercube,
    shape: Cm1Shape,
    plan: PetitPlan,
}

impl Cm1Circuit {
    /// Largest cube for which there is a chip.
    pub const MAX_DIMS: u32 = 12;

    /// Creates the parameters. Returns `None` for more than [`MAX_DIMS`](Self::MAX_DIMS)
    /// dimensions, for more than 16 processors on a chip, or for a number of rows outside 2 to 16.
    pub fn new(shape: Cm1Shape, plan: PetitPlan) -> Option<Self> {
        let possible = shape.format.dims <= Self::MAX_DIMS
            && shape.processors() <= PROCESSORS_MAX
            && (2..=ROWS_MAX).contains(&shape.rows);
        let cube = Hypercube::new(shape.format.dims.into()).ok()?;
        possible.then_some(Cm1Circuit { cube, shape, plan })
    }

    pub fn shape(&self) -> Cm1Shape {
        self.shape
    }

    pub fn plan(&self) -> PetitPlan {
        self.plan
    }

    /// Returns the block of a chip.
    fn chip(&self) -> Box<dyn Circuit> {
        chip(self.cube.dims(), self.shape.rows, self.plan)
    }

    /// Returns the block of the petit-cycle control.
    pub fn control(&self) -> Box<dyn Circuit> {
        petit_control(self.cube.dims(), self.plan)
    }
}

impl MachineCircuit for Cm1Circuit {
    fn topology(&self) -> &dyn Topology {
        &self.cube
    }

    /// Returns the machine as an array of chips. Bit d of a chip's `cube_in` is bit d of `cube_out`
    /// of its neighbour across dimension d. All chips share the petit-cycle control.
    fn array(&self) -> Result<Array, LowerErrors> {
        let node = lower(&*self.chip())?;
        let shared = lower(&*self.control())?;
        let mut wiring = vec![InputWiring::links("cube_in", "cube_out", &self.cube)];
        // Each output of the control drives the chip input of the same name.
        for (_, strobe) in shared.top().ports() {
            if node.top().port(&strobe.name).is_some() {
                wiring.push(InputWiring::shared(&strobe.name, &strobe.name));
            }
        }
        Ok(Array {
            name: "cm1".into(),
            doc: format!(
                "The CM-1: {} chips and the petit-cycle control.",
                self.shape.chips()
            ),
            node,
            nodes: self.shape.chips(),
            shared,
            wiring,
        })
    }

    fn blocks(&self) -> Result<BlockEngines, EngineError> {
        BlockEngines::of(self.shape.chips(), || self.chip(), self.control())
    }
}
