//! The 3-cube with its host, as it is built for a board and as it is simulated.

use crate::networks::tdma::PhaseTiming;
use crate::program::BoardMemory;
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::hosted::{HostedComparison, HostedCube, SharedCube, DIMS};
use crate::topology::Hypercube;
use hdl::lower::{lower, LowerErrors};
use lockstep::design::Design;

/// Bytes of payload of every message.
pub const PAYLOAD: usize = 8;

/// What a board's circuit is built for.
#[derive(Clone, Debug)]
pub struct HostedCircuit {
    memory: BoardMemory,
    timing: PhaseTiming,
    /// Rows of the chips of the CM-1 beside the nodes, if there is one.
    rows: Option<usize>,
}

impl HostedCircuit {
    /// With the service window that `route` needs.
    pub fn new(memory: BoardMemory) -> Self {
        HostedCircuit {
            memory,
            timing: PhaseTiming::hosted(
                CLOCKS_PER_BIT as u32,
                PAYLOAD + 2,
                Hypercube::of(DIMS as u32),
            ),
            rows: None,
        }
    }

    /// With a CM-1 beside the nodes, whose chips have so many rows; for
    /// [`BoardMemory::comparing`].
    #[must_use]
    pub fn beside_cm1(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }

    /// The circuit with the ports that a board has.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    pub fn design(&self) -> Result<Design, LowerErrors> {
        let (plan, divider) = (self.timing.plan(), self.timing.divider());
        let words = &self.memory.words;
        match self.rows {
            None => lower(&HostedCube::new(plan, divider, words)),
            Some(rows) => lower(&HostedComparison::new(plan, divider, words, rows)),
        }
    }

    /// The same with what a simulation looks at, and without a CM-1.
    pub fn observed(&self) -> SharedCube {
        let (plan, divider) = (self.timing.plan(), self.timing.divider());
        SharedCube::new(plan, divider, &self.memory.words)
    }
}
