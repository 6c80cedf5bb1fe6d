//! What the circuits of all machines have in common.

use super::array::Array;
use crate::engine::{Engine, EngineError, EvaluatorEngine, LockstepEngine};
use crate::lower::LowerErrors;
use lockstep::lanes::Options;
use lockstep::rtl::Design;

/// The largest cube that is written as one `rust-hdl` block, for the reference
/// simulator.
pub const MAX_REFERENCE_DIMS: u32 = 4;

/// The circuit of a machine, which every engine takes in its own form.
pub trait MachineCircuit {
    fn dims(&self) -> u32;

    /// The machine as a node circuit and how it is wired.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    fn array(&self) -> Result<Array, LowerErrors>;

    /// The machine in `rust-hdl`'s simulator; `None` if it has more than
    /// [`MAX_REFERENCE_DIMS`] dimensions.
    ///
    /// # Errors
    /// As [`Reference::new`](crate::engine::Reference::new).
    fn reference(&self) -> Result<Option<Box<dyn Engine>>, EngineError> {
        match self.dims() > MAX_REFERENCE_DIMS {
            true => Ok(None),
            false => self.small_reference().map(Some),
        }
    }

    /// The same for a machine of which there is a `rust-hdl` block.
    ///
    /// # Errors
    /// As [`Reference::new`](crate::engine::Reference::new).
    fn small_reference(&self) -> Result<Box<dyn Engine>, EngineError>;

    /// The machine as one circuit.
    ///
    /// # Errors
    /// As [`array`](Self::array).
    fn design(&self) -> Result<Design, LowerErrors> {
        Ok(self.array()?.whole())
    }

    /// The machine in the lockstep engine.
    ///
    /// # Errors
    /// As [`LockstepEngine::new`].
    fn lockstep(&self, options: &Options) -> Result<LockstepEngine, EngineError> {
        self.array()?.lockstep(options)
    }

    /// The machine in the evaluator.
    ///
    /// # Errors
    /// As [`EvaluatorEngine::new`].
    fn evaluator(&self) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(EvaluatorEngine::new(&self.design()?)?))
    }
}
