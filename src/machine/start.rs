//! The engines by their names, with a machine in them.

use super::MachineCircuit;
use crate::engine::{Engine, EngineError, NodeEngine, Verilator, Whole};
use crate::toolchain::{Effort, Toolchain};
use lockstep::lanes::Options;
use std::path::Path;

/// What runs the circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// rust-hdl's own simulator.
    Reference,
    /// The plain evaluator of the netlist.
    Evaluator,
    /// One node's netlist in many lanes, as machine code.
    Lockstep,
    /// The emitted Verilog in Verilator.
    Verilator,
}

impl EngineKind {
    /// This engine with a machine in it. `options` are those of the lockstep engine;
    /// compiled models go to `work_dir`.
    ///
    /// # Errors
    /// If the engine can't be made, or a tool is missing.
    ///
    /// # Panics
    /// If the machine is too large for the reference.
    pub fn start(
        self,
        circuit: &dyn MachineCircuit,
        options: &Options,
        work_dir: &Path,
    ) -> Result<Box<dyn NodeEngine>, EngineError> {
        let nodes = 1 << circuit.dims();
        let whole = |engine| -> Box<dyn NodeEngine> { Box::new(Whole::new(engine, nodes)) };
        Ok(match self {
            EngineKind::Reference => whole(circuit.reference()?.expect("it is small enough")),
            EngineKind::Evaluator => whole(circuit.evaluator()?),
            EngineKind::Lockstep => Box::new(circuit.lockstep(options)?),
            EngineKind::Verilator => whole(verilator(circuit, work_dir)?),
        })
    }
}

fn verilator(
    circuit: &dyn MachineCircuit,
    work_dir: &Path,
) -> Result<Box<dyn Engine>, EngineError> {
    let models = work_dir.join("models");
    let tools = Toolchain::open()?;
    let engine = Verilator::new(&circuit.design()?, &tools, &models, Effort::Quick)?;
    Ok(Box::new(engine))
}
