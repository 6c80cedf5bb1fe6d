//! Starts an engine, selected by name, with a machine in it.

use super::MachineCircuit;
use engine::{ByNode, CircuitEngine, EngineError, NodeEngine, TooLarge, VerilatorEngine};
use interconnect::topology::Topology;
use lockstep::lanes::LaneOptions;
use std::path::Path;
use toolchain::{CompileEffort, Toolchain};

/// Engine that runs the circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Simulator of `rust-hdl`.
    Reference,
    /// Plain evaluator of the netlist.
    Evaluator,
    /// Netlist of one node in many lanes, as machine code.
    Lockstep,
    /// Emitted Verilog in Verilator.
    Verilator,
}

impl EngineKind {
    /// Checks the size of the machine.
    ///
    /// # Errors
    /// If the engine does not run machines of this size.
    pub fn check(self, topology: &dyn Topology) -> Result<(), TooLarge> {
        match self {
            EngineKind::Reference => TooLarge::check(topology),
            _ => Ok(()),
        }
    }

    /// Starts this engine with a machine in it. `options` apply to the lockstep engine. Compiled
    /// models go to `work_dir`.
    ///
    /// # Errors
    /// If the engine can't be made, the machine is too large for it, or a tool is missing.
    pub fn start(
        self,
        circuit: &dyn MachineCircuit,
        options: &LaneOptions,
        work_dir: &Path,
    ) -> Result<Box<dyn NodeEngine>, EngineError> {
        let nodes = circuit.topology().nodes() as usize;
        let by_node = |engine| -> Box<dyn NodeEngine> { Box::new(ByNode::new(engine, nodes)) };
        Ok(match self {
            EngineKind::Reference => Box::new(circuit.reference()?),
            EngineKind::Evaluator => by_node(circuit.evaluator()?),
            EngineKind::Lockstep => Box::new(circuit.lockstep(options)?),
            EngineKind::Verilator => by_node(verilator(circuit, work_dir)?),
        })
    }
}

fn verilator(
    circuit: &dyn MachineCircuit,
    work_dir: &Path,
) -> Result<Box<dyn CircuitEngine>, EngineError> {
    let models = work_dir.join("models");
    let tools = Toolchain::open()?;
    let engine = VerilatorEngine::new(&circuit.design()?, &tools, &models, CompileEffort::Quick)?;
    Ok(Box::new(engine))
}
