use crate::engine::{Engine, EngineError, EvaluatorEngine, Reference};
use crate::lower::{lower, LowerErrors};
use crate::machine::PhaseTiming;
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::tdma::{Cube, SLOT_BITS};
use crate::topology::Hypercube;
use lockstep::rtl::Design;

/// Bits of an offset in a register: its 128 bytes hold the longest message.
const OFFSET: usize = 7;

/// Bits of an address of the message memory.
const ADDRESS: usize = OFFSET + SLOT_BITS;

/// The circuit of a machine: what it is built for.
#[derive(Clone, Copy, Debug)]
pub struct CubeCircuit {
    cube: Hypercube,
    timing: PhaseTiming,
    patience: u64,
}

/// Evaluates an expression with `new`, a function that makes the circuit as its
/// own Rust type.
macro_rules! with_circuit {
    ($self:expr, $new:ident => $body:expr, $($dims:literal)*) => {
        match $self.cube.dims() {
            $($dims => {
                let $new = || {
                    let plan = $self.timing.plan();
                    Cube::<$dims, CLOCKS_PER_BIT, OFFSET, ADDRESS>::new(plan, $self.patience)
                };
                $body
            })*
            _ => unreachable!("CubeCircuit::new has checked the dimensions"),
        }
    };
    ($self:expr, $new:ident => $body:expr) => {
        with_circuit!($self, $new => $body, 1 2 3 4 5 6 7 8)
    };
}

impl CubeCircuit {
    /// The largest cube that is simulated node by node.
    pub const MAX_DIMS: u32 = 8;

    /// A machine for messages of up to `payload` bytes. Refusals count towards
    /// the end of a link in one superframe out of `patience`, a power of two.
    /// `None` if the cube has more than [`MAX_DIMS`](Self::MAX_DIMS) dimensions.
    pub fn new(cube: Hypercube, payload: usize, acked: bool, patience: u64) -> Option<Self> {
        // A routed message begins with its destination.
        let payload = payload + 2;
        (cube.dims() <= Self::MAX_DIMS).then(|| CubeCircuit {
            cube,
            timing: PhaseTiming::forwarder(CLOCKS_PER_BIT as u32, payload, cube.dims(), acked),
            patience,
        })
    }

    pub fn timing(&self) -> PhaseTiming {
        self.timing
    }

    /// The circuit, lowered.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    pub fn design(&self) -> Result<Design, LowerErrors> {
        with_circuit!(self, new => lower(&new()))
    }

    /// The circuit in `rust-hdl`'s simulator.
    ///
    /// # Errors
    /// As [`Reference::new`].
    pub fn reference(&self) -> Result<Box<dyn Engine>, EngineError> {
        with_circuit!(self, new => Ok(Box::new(Reference::new(new())?)))
    }

    /// The circuit in the evaluator.
    ///
    /// # Errors
    /// As [`EvaluatorEngine::new`].
    pub fn evaluator(&self) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(EvaluatorEngine::new(&self.design()?)?))
    }
}
