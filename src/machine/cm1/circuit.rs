use super::Cm1Shape;
use crate::engine::{Engine, EngineError, EvaluatorEngine, Reference};
use crate::lower::{lower, LowerErrors};
use crate::rtl::cm1::{Cm1Cube, PetitPlan, ROWS_MAX};
use lockstep::rtl::Design;

/// The circuit of a machine: what it is built for.
#[derive(Clone, Copy, Debug)]
pub struct Cm1Circuit {
    shape: Cm1Shape,
    plan: PetitPlan,
}

/// Evaluates an expression with `new`, a function that makes the circuit as its
/// own Rust type.
macro_rules! with_circuit {
    ($self:expr, $new:ident => $body:expr, $($dims:literal)*) => {
        match $self.shape.format.dims {
            $($dims => {
                let $new = || Cm1Cube::<$dims>::new($self.shape.rows, $self.plan);
                $body
            })*
            _ => unreachable!("Cm1Circuit::new has checked the dimensions"),
        }
    };
    ($self:expr, $new:ident => $body:expr) => {
        with_circuit!($self, $new => $body, 1 2 3 4 5 6 7 8)
    };
}

impl Cm1Circuit {
    /// The largest cube that is simulated chip by chip.
    pub const MAX_DIMS: u32 = 8;

    /// `None` if there are more than [`MAX_DIMS`](Self::MAX_DIMS) dimensions, or
    /// not 2 to 16 rows.
    pub fn new(shape: Cm1Shape, plan: PetitPlan) -> Option<Self> {
        let possible = shape.format.dims <= Self::MAX_DIMS && (2..=ROWS_MAX).contains(&shape.rows);
        possible.then_some(Cm1Circuit { shape, plan })
    }

    pub fn shape(&self) -> Cm1Shape {
        self.shape
    }

    pub fn plan(&self) -> PetitPlan {
        self.plan
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
