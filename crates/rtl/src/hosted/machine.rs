//! The machines for a board, with their host.

use super::{
    HostedCube, HostedCube4, HostedCube5, HostedCube6, HostedMetacube, HostedPrograms, SharedCube,
    SharedCube4, SharedCube5, SharedCube6, SharedPrograms,
};
use crate::for_dims::apart;
use crate::tdma::EnginePlan;
use hdl::lower::Circuit;
use interconnect::topology::{Hypercube, Metacube};

/// Shape of a machine on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostedShape {
    /// The 3-cube.
    Cube3,
    /// The 4-cube.
    Cube4,
    /// The 5-cube.
    Cube5,
    /// The 6-cube.
    Cube6,
    /// The 3-cube whose programs come over the line.
    Programs,
    /// MC(1,1).
    Metacube,
}

impl HostedShape {
    /// Dimensions of the cubes.
    pub const CUBES: &[u32] = &[3, 4, 5, 6];

    /// Returns the cube with this number of dimensions, if there is one.
    pub fn cube(dims: u32) -> Option<Self> {
        match dims {
            3 => Some(HostedShape::Cube3),
            4 => Some(HostedShape::Cube4),
            5 => Some(HostedShape::Cube5),
            6 => Some(HostedShape::Cube6),
            _ => None,
        }
    }

    /// Makes the circuit with the ports of a board: a [`HostedNodes`](super::HostedNodes). The
    /// arguments are passed to its `new`.
    pub fn circuit(self, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
        match self {
            HostedShape::Cube3 => apart(|| Box::new(HostedCube::new(plan, divider, memory))),
            HostedShape::Cube4 => apart(|| Box::new(HostedCube4::new(plan, divider, memory))),
            HostedShape::Cube5 => apart(|| Box::new(HostedCube5::new(plan, divider, memory))),
            HostedShape::Cube6 => apart(|| Box::new(HostedCube6::new(plan, divider, memory))),
            HostedShape::Programs => apart(|| Box::new(HostedPrograms::new(plan, divider, memory))),
            HostedShape::Metacube => apart(|| Box::new(HostedMetacube::new(plan, divider, memory))),
        }
    }

    /// Makes the circuit with the ports for simulation: a [`SharedNodes`](super::SharedNodes).
    ///
    /// # Panics
    /// If the shape is a metacube, which is not observed.
    pub fn observed(self, plan: EnginePlan, divider: u64, memory: &[u32]) -> Box<dyn Circuit> {
        match self {
            HostedShape::Cube3 => apart(|| Box::new(SharedCube::new(plan, divider, memory))),
            HostedShape::Cube4 => apart(|| Box::new(SharedCube4::new(plan, divider, memory))),
            HostedShape::Cube5 => apart(|| Box::new(SharedCube5::new(plan, divider, memory))),
            HostedShape::Cube6 => apart(|| Box::new(SharedCube6::new(plan, divider, memory))),
            HostedShape::Programs => apart(|| Box::new(SharedPrograms::new(plan, divider, memory))),
            HostedShape::Metacube => panic!("no one looks into the metacube"),
        }
    }
}

impl From<HostedShape> for Metacube {
    fn from(shape: HostedShape) -> Self {
        match shape {
            HostedShape::Cube3 | HostedShape::Programs => Hypercube::of(3).into(),
            HostedShape::Cube4 => Hypercube::of(4).into(),
            HostedShape::Cube5 => Hypercube::of(5).into(),
            HostedShape::Cube6 => Hypercube::of(6).into(),
            HostedShape::Metacube => Metacube::of(1, 1),
        }
    }
}
