//! Common interface of the circuits of all machines.

use super::array::{Array, Assembly, BlockEngines};
use engine::{CircuitEngine, EngineError, EvaluatorEngine, LockstepEngine, TooLarge};
use hdl::lower::LowerErrors;
use interconnect::topology::Topology;
use lockstep::design::Design;
use lockstep::lanes::LaneOptions;

/// Circuit of a machine, which every engine converts to its own form.
pub trait MachineCircuit {
    /// Nodes, and the connections between their ports.
    fn topology(&self) -> &dyn Topology;

    /// Builds the machine as a node circuit with its wiring.
    ///
    /// # Errors
    /// None for a released circuit, because the tests lower it.
    fn array(&self) -> Result<Array, LowerErrors>;

    /// Builds the `rust-hdl` blocks of the machine, each in the reference.
    ///
    /// # Errors
    /// As [`ReferenceEngine::new`](engine::ReferenceEngine::new).
    fn blocks(&self) -> Result<BlockEngines, EngineError>;

    /// Builds the machine in `rust-hdl`'s simulator.
    ///
    /// # Errors
    /// [`EngineError::TooLarge`] for more nodes than the simulator runs. As
    /// [`blocks`](Self::blocks), and if the machine does not settle.
    fn reference(&self) -> Result<Assembly, EngineError> {
        TooLarge::check(self.topology())?;
        self.array()?.assemble(self.blocks()?)
    }

    /// Builds the machine as one circuit.
    ///
    /// # Errors
    /// As [`array`](Self::array).
    fn design(&self) -> Result<Design, LowerErrors> {
        Ok(self.array()?.whole())
    }

    /// Builds the machine in the lockstep engine.
    ///
    /// # Errors
    /// As [`LockstepEngine::new`].
    fn lockstep(&self, options: &LaneOptions) -> Result<LockstepEngine, EngineError> {
        self.array()?.lockstep(options)
    }

    /// Builds the machine in the evaluator.
    ///
    /// # Errors
    /// As [`EvaluatorEngine::new`].
    fn evaluator(&self) -> Result<Box<dyn CircuitEngine>, EngineError> {
        Ok(Box::new(EvaluatorEngine::new(&self.design()?)?))
    }
}
