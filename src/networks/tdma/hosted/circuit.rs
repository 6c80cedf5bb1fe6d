//! A cube or MC(1,1) with its host, as it is built for a board and as it is simulated.

use crate::networks::tdma::PhaseTiming;
use crate::program::BoardMemory;
use crate::rtl::hosted::{HostedComparison, HostedShape};
use crate::rtl::CLOCKS_PER_BIT;
use crate::topology::Metacube;
use hdl::lower::{lower, Circuit, LowerErrors};
use lockstep::design::Design;

/// Bytes of payload of every message.
pub const PAYLOAD: usize = 8;

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
        match self.rows {
            None => lower(&*self.shape.circuit(plan, divider, words)),
            Some(rows) => lower(&HostedComparison::new(plan, divider, words, rows)),
        }
    }

    /// What the phase clock is set to, in clock cycles of the circuit.
    fn divider(&self) -> u64 {
        self.timing.divider_for(Metacube::from(self.shape).nodes())
    }

    /// The block with what a simulation looks at, and without a CM-1.
    ///
    /// # Panics
    /// If it is that of a metacube.
    pub fn observed(&self) -> Box<dyn Circuit> {
        let plan = self.timing.plan();
        self.shape
            .observed(plan, self.divider(), &self.memory.words)
    }
}
