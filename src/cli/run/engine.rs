//! The engine with a machine in it.

use crate::cli::args::{Engine as EngineChoice, EngineArgs};
use crate::cli::{builds, Failure};
use crate::engine::{Engine, EngineError, NodeEngine, Verilator, Whole};
use crate::machine::MachineCircuit;
use crate::toolchain::{Effort, Toolchain};
use lockstep::lanes::{Keep, Options};

/// The engine that is asked for, with the machine in it.
pub fn engine(
    args: &EngineArgs,
    circuit: &dyn MachineCircuit,
) -> Result<Box<dyn NodeEngine>, Failure> {
    engine_with(args, circuit, Keep::Outputs)
}

/// The same, with signals inside it that are to be looked at.
pub fn engine_with(
    args: &EngineArgs,
    circuit: &dyn MachineCircuit,
    keep: Keep,
) -> Result<Box<dyn NodeEngine>, Failure> {
    args.check(circuit.dims())?;
    let nodes = 1 << circuit.dims();
    let whole = |engine| -> Box<dyn NodeEngine> { Box::new(Whole::new(engine, nodes)) };
    let engine = match args.engine {
        EngineChoice::Reference => circuit
            .reference()
            .map(|engine| whole(engine.expect("the dimensions were checked"))),
        EngineChoice::Evaluator => circuit.evaluator().map(whole),
        EngineChoice::Lockstep => circuit
            .lockstep(&Options {
                keep,
                ..args.options()
            })
            .map(|engine| Box::new(engine) as Box<dyn NodeEngine>),
        EngineChoice::Verilator => verilator(circuit).map(whole),
    };
    engine.map_err(|e| Failure::Failed(e.into()))
}

fn verilator(circuit: &dyn MachineCircuit) -> Result<Box<dyn Engine>, EngineError> {
    let models = builds().join("models");
    let tools = Toolchain::open()?;
    let engine = Verilator::new(&circuit.design()?, &tools, &models, Effort::Quick)?;
    Ok(Box::new(engine))
}
