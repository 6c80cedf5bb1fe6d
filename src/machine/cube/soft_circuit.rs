use super::CubeCircuit;
use crate::engine::{Engine, EngineError, EvaluatorEngine, Reference};
use crate::lower::{lower, LowerErrors};
use crate::machine::PhaseTiming;
use crate::program::Firmware;
use crate::rtl::catalog::CLOCKS_PER_BIT;
use crate::rtl::tdma::{SoftCube, SLOT_BITS};
use crate::topology::Hypercube;
use lockstep::rtl::Design;

/// Bits of an offset in a register: its 128 bytes hold the longest message.
const OFFSET: usize = 7;

/// Bits of an address of the message memory.
const ADDRESS: usize = OFFSET + SLOT_BITS;

/// A machine that engines can run.
pub trait Machinery {
    fn timing(&self) -> PhaseTiming;

    /// The circuit, lowered.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    fn design(&self) -> Result<Design, LowerErrors>;

    /// The circuit in `rust-hdl`'s simulator.
    ///
    /// # Errors
    /// As [`Reference::new`].
    fn reference(&self) -> Result<Box<dyn Engine>, EngineError>;

    /// The circuit in the evaluator.
    ///
    /// # Errors
    /// As [`EvaluatorEngine::new`].
    fn evaluator(&self) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(EvaluatorEngine::new(&self.design()?)?))
    }
}

impl Machinery for CubeCircuit {
    fn timing(&self) -> PhaseTiming {
        self.timing()
    }

    fn design(&self) -> Result<Design, LowerErrors> {
        self.design()
    }

    fn reference(&self) -> Result<Box<dyn Engine>, EngineError> {
        self.reference()
    }
}

/// The circuit of a machine whose nodes run a program.
#[derive(Clone, Debug)]
pub struct SoftCubeCircuit {
    cube: Hypercube,
    timing: PhaseTiming,
    patience: u64,
    program: Vec<u32>,
}

/// Evaluates an expression with `new`, a function that makes the circuit as its
/// own Rust type.
macro_rules! with_circuit {
    ($self:expr, $new:ident => $body:expr, $($dims:literal)*) => {
        match $self.cube.dims() {
            $($dims => {
                let $new = || {
                    let plan = $self.timing.plan();
                    SoftCube::<$dims, CLOCKS_PER_BIT, OFFSET, ADDRESS>::new(
                        plan,
                        $self.patience,
                        &$self.program,
                    )
                };
                $body
            })*
            _ => unreachable!("SoftCubeCircuit::new has checked the dimensions"),
        }
    };
    ($self:expr, $new:ident => $body:expr) => {
        with_circuit!($self, $new => $body, 1 2 3 4)
    };
}

impl SoftCubeCircuit {
    /// The largest cube of nodes with cores that is simulated node by node.
    pub const MAX_DIMS: u32 = 4;

    /// As [`CubeCircuit::new`], with one program for all nodes.
    pub fn new(
        cube: Hypercube,
        payload: usize,
        acked: bool,
        patience: u64,
        firmware: &Firmware,
    ) -> Option<Self> {
        // A routed message begins with its destination.
        let payload = payload + 2;
        (cube.dims() <= Self::MAX_DIMS).then(|| SoftCubeCircuit {
            cube,
            timing: PhaseTiming::software(CLOCKS_PER_BIT as u32, payload, cube.dims(), acked),
            patience,
            program: firmware.words.clone(),
        })
    }
}

impl Machinery for SoftCubeCircuit {
    fn timing(&self) -> PhaseTiming {
        self.timing
    }

    fn design(&self) -> Result<Design, LowerErrors> {
        with_circuit!(self, new => lower(&new()))
    }

    fn reference(&self) -> Result<Box<dyn Engine>, EngineError> {
        with_circuit!(self, new => Ok(Box::new(Reference::new(new())?)))
    }
}
