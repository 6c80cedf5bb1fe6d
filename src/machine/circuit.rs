//! What the circuits of all machines have in common.

use super::array::{Array, Assembly, Blocks};
use crate::engine::{Engine, EngineError, EvaluatorEngine, LockstepEngine, TooLarge};
use crate::topology::Topology;
use hdl::lower::LowerErrors;
use lockstep::design::Design;
use lockstep::lanes::Options;

/// The circuit of a machine, which every engine takes in its own form.
pub trait MachineCircuit {
    /// Which nodes there are and which of their ports meet.
    fn topology(&self) -> &dyn Topology;

    /// The machine as a node circuit and how it is wired.
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    fn array(&self) -> Result<Array, LowerErrors>;

    /// The `rust-hdl` blocks of the machine, each in the reference.
    ///
    /// # Errors
    /// As [`Reference::new`](crate::engine::Reference::new).
    fn blocks(&self) -> Result<Blocks, EngineError>;

    /// The machine in `rust-hdl`'s simulator.
    ///
    /// # Errors
    /// [`EngineError::TooLarge`] for more nodes than it runs; as [`blocks`](Self::blocks), and if
    /// the machine does not settle.
    fn reference(&self) -> Result<Assembly, EngineError> {
        TooLarge::check(self.topology())?;
        self.array()?.assemble(self.blocks()?)
    }

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
