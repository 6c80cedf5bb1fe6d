//! A cube or MC(1,1) with its host, as it is built for a board and as it is simulated.

use crate::networks::tdma::PhaseTiming;
use crate::program::BoardMemory;
use crate::rtl::hosted::{
    HostedComparison, HostedCube, HostedCube4, HostedCube5, HostedCube6, HostedMetacube,
    HostedPrograms, SharedCube, SharedCube4, SharedCube5, SharedCube6, SharedPrograms,
};
use crate::rtl::{apart, CLOCKS_PER_BIT};
use crate::topology::{Hypercube, Metacube};
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// Bytes of payload of every message.
pub const PAYLOAD: usize = 8;

/// The shapes that go on a board.
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
    /// The 3-cube, whose programs come over the line.
    Programs,
    /// MC(1,1).
    Metacube,
}

impl HostedShape {
    /// The dimensions of the cubes.
    pub const CUBES: &[u32] = &[3, 4, 5, 6];

    /// The cube of so many dimensions, if there is one.
    pub fn cube(dims: u32) -> Option<Self> {
        match dims {
            3 => Some(HostedShape::Cube3),
            4 => Some(HostedShape::Cube4),
            5 => Some(HostedShape::Cube5),
            6 => Some(HostedShape::Cube6),
            _ => None,
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

/// What a board's circuit is built for.
#[derive(Clone, Debug)]
pub struct HostedCircuit {
    memory: BoardMemory,
    shape: HostedShape,
    timing: PhaseTiming,
    /// Rows of the chips of the CM-1 beside the nodes, if there is one.
    rows: Option<usize>,
}

impl HostedCircuit {
    /// With the service window that `route` needs, or a program with work of its own if any
    /// may come. The programs in the memory are for this shape.
    pub fn new(shape: HostedShape, memory: BoardMemory) -> Self {
        let timing = PhaseTiming::hosted(CLOCKS_PER_BIT as u32, PAYLOAD + 2, shape);
        HostedCircuit {
            memory,
            shape,
            timing: match shape {
                HostedShape::Programs => timing.with_work(),
                _ => timing,
            },
            rows: None,
        }
    }

    /// With a CM-1 beside the nodes of the cube, whose chips have so many rows; for
    /// [`BoardMemory::comparing`].
    #[must_use]
    pub fn beside_cm1(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// In clock cycles of a node.
    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }

    /// The circuit with the ports that a board has.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    pub fn design(&self) -> Result<Design, LowerErrors> {
        let (plan, divider) = (self.timing.plan(), self.divider());
        let words = &self.memory.words;
        match (self.rows, self.shape) {
            (None, HostedShape::Cube3) => apart(|| lower(&HostedCube::new(plan, divider, words))),
            (None, HostedShape::Cube4) => apart(|| lower(&HostedCube4::new(plan, divider, words))),
            (None, HostedShape::Cube5) => apart(|| lower(&HostedCube5::new(plan, divider, words))),
            (None, HostedShape::Cube6) => apart(|| lower(&HostedCube6::new(plan, divider, words))),
            (None, HostedShape::Programs) => {
                apart(|| lower(&HostedPrograms::new(plan, divider, words)))
            }
            (None, HostedShape::Metacube) => {
                apart(|| lower(&HostedMetacube::new(plan, divider, words)))
            }
            (Some(rows), _) => apart(|| lower(&HostedComparison::new(plan, divider, words, rows))),
        }
    }

    /// What the phase clock is set to, in clock cycles of the circuit.
    fn divider(&self) -> u64 {
        self.timing.divider_for(Metacube::from(self.shape).nodes())
    }

    /// The circuit with what a simulation looks at, and without a CM-1.
    ///
    /// # Errors
    /// As [`HostedCircuit::design`].
    ///
    /// # Panics
    /// If it is that of a metacube.
    pub fn observed_design(&self) -> Result<Design, LowerErrors> {
        let (plan, divider) = (self.timing.plan(), self.divider());
        let words = &self.memory.words;
        match self.shape {
            HostedShape::Cube3 => apart(|| lower(&self.observed())),
            HostedShape::Cube4 => apart(|| lower(&SharedCube4::new(plan, divider, words))),
            HostedShape::Cube5 => apart(|| lower(&SharedCube5::new(plan, divider, words))),
            HostedShape::Cube6 => apart(|| lower(&SharedCube6::new(plan, divider, words))),
            HostedShape::Programs => apart(|| lower(&SharedPrograms::new(plan, divider, words))),
            HostedShape::Metacube => panic!("no one looks into the metacube"),
        }
    }

    /// The block of the 3-cube with what a simulation looks at, and without a CM-1.
    pub fn observed(&self) -> SharedCube {
        SharedCube::new(self.timing.plan(), self.divider(), &self.memory.words)
    }
}
