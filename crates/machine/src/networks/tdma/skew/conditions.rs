//! Conditions for the test of two nodes with individual clocks.

use crate::networks::tdma::frame::OVERHEAD;
use engine::{EngineError, EvaluatorEngine};
use hdl::lower::lower;
use rtl::tdma::SynchronisedPort;
use rtl::uart::BITS_PER_BYTE;

/// Numbers of clock cycles per bit for which there are circuits.
pub const CLOCKS_PER_BIT: &[u32] = &[4, 8, 16, 32, 64];

/// Conditions of the two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkewConditions {
    /// Clock cycles per bit: one of [`CLOCKS_PER_BIT`].
    pub clocks_per_bit: u32,
    /// Payload of every frame in bytes, up to 80.
    pub payload: u32,
    /// Bit-times by which the phase clock reaches node 1 later than node 0.
    pub skew: f64,
    /// Parts per million by which node 1's clock is slower than node 0's. Each clock is off by half
    /// of this value.
    pub mismatch: f64,
}

impl SkewConditions {
    /// Returns the bit-times of a frame with a perfect clock.
    pub fn frame(&self) -> f64 {
        f64::from(BITS_PER_BYTE * (OVERHEAD as u32 + self.payload))
    }

    /// Returns the bit-times of a clock cycle of a node.
    pub fn clock_cycle(&self, node: usize) -> f64 {
        let off = if node == 0 { -0.5 } else { 0.5 };
        (1.0 + off * self.mismatch * 1e-6) / f64::from(self.clocks_per_bit)
    }

    /// Returns a node's circuit in its initial state.
    ///
    /// # Errors
    /// None occurs, because the tests lower the circuits.
    ///
    /// # Panics
    /// If there is no circuit for this number of clock cycles per bit.
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
