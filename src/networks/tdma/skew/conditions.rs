//! What two nodes with clocks of their own are tried under.

use crate::engine::{EngineError, EvaluatorEngine};
use crate::networks::tdma::frame::OVERHEAD;
use crate::rtl::tdma::SynchronisedPort;
use crate::rtl::uart::BITS_PER_BYTE;
use hdl::lower::lower;

/// The clock cycles per bit that there are circuits for.
pub const CLOCKS_PER_BIT: &[u32] = &[4, 8, 16, 32, 64];

/// What the two nodes have to live with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// One of [`CLOCKS_PER_BIT`].
    pub clocks_per_bit: u32,
    /// Bytes of payload of every frame, up to 80.
    pub payload: u32,
    /// Bit-times by which the phase clock reaches node 1 later than node 0.
    pub skew: f64,
    /// Parts per million by which node 1's clock is slower than node 0's; each
    /// is off by half of that.
    pub mismatch: f64,
}

impl Conditions {
    /// Bit-times of a frame, by a perfect clock.
    pub fn frame(&self) -> f64 {
        f64::from(BITS_PER_BYTE * (OVERHEAD as u32 + self.payload))
    }

    /// Bit-times of a clock cycle of a node.
    pub fn clock_cycle(&self, node: usize) -> f64 {
        let off = if node == 0 { -0.5 } else { 0.5 };
        (1.0 + off * self.mismatch * 1e-6) / f64::from(self.clocks_per_bit)
    }

    /// A node's circuit in its initial state.
    ///
    /// # Errors
    /// None: the circuits are lowered in the tests.
    ///
    /// # Panics
    /// If there is no circuit for so many clock cycles per bit.
    pub(super) fn node(&self) -> Result<EvaluatorEngine, EngineError> {
        macro_rules! circuits {
            ($($clocks:literal)*) => {
                match self.clocks_per_bit {
                    $($clocks => lower(&SynchronisedPort::<1, $clocks>::default())?,)*
                    other => panic!("no circuit with {other} clock cycles per bit"),
                }
            };
        }
        EvaluatorEngine::new(&circuits!(4 8 16 32 64))
    }
}
