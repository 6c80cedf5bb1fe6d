//! Cube or MC(1,1) with its host, in one form for boards and for simulation.

use crate::networks::tdma::PhaseTiming;
use crate::program::BoardMemory;
use hdl::lower::{lower, Circuit, LowerErrors};
use interconnect::topology::Metacube;
use lockstep::design::Design;
use rtl::hosted::{HostedComparison, HostedShape};
use rtl::CLOCKS_PER_BIT;

/// Payload of every message, in bytes.
pub const PAYLOAD: usize = 8;

/// Parameters of a board's circuit.
#[derive(Clone, Debug)]
pub struct HostedCircuit {
    memory: BoardMemory,
    shape: HostedShape,
    timing: PhaseTiming,
    /// Rows of the chips of the CM-1 beside the nodes. `None` without a CM-1.
    rows: Option<usize>,
}

impl HostedCircuit {
    /// Creates the circuit with the service window that `route` needs. If programs with work of
    /// their own may be loaded, the window has their length. The programs in the memory are for
    /// this shape.
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

    /// Adds a CM-1 beside the nodes of the cube. Its chips have `rows` rows. For
    /// [`BoardMemory::comparison`].
    #[must_use]
    pub fn beside_cm1(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// Returns the timing of a phase, in clock cycles of a node.
    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }

    /// Returns the circuit with the ports of a board.
    ///
    /// # Errors
    /// A released circuit causes no error, because the tests lower it.
    pub fn design(&self) -> Result<Design, LowerErrors> {
        let (plan, divider) = (self.timing.plan(), self.divider());
        let words = &self.memory.words;
        match self.rows {
            None => lower(&*self.shape.circuit(plan, divider, words)),
            Some(rows) => lower(&HostedComparison::new(plan, divider, words, rows)),
        }
    }

    /// Returns the divider of the phase clock, in clock cycles of the circuit.
    fn divider(&self) -> u64 {
        self.timing.divider_for(Metacube::from(self.shape).nodes())
    }

    /// Returns the block with the outputs that a simulation observes, and without a CM-1.
    ///
    /// # Panics
    /// If the shape is a metacube.
    pub fn observed(&self) -> Box<dyn Circuit> {
        let plan = self.timing.plan();
        self.shape
            .observed(plan, self.divider(), &self.memory.words)
    }
}
