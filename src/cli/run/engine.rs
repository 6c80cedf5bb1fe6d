use crate::cli::args::{Engine as EngineChoice, EngineArgs};
use crate::cli::{builds, Failure};
use crate::engine::{Engine, EngineError, NodeEngine, Verilator, Whole};
use crate::machine::{MachineCircuit, MAX_REFERENCE_DIMS};
use crate::toolchain::{Effort, Toolchain};
use anyhow::anyhow;
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
    let nodes = 1 << circuit.dims();
    let whole = |engine| -> Box<dyn NodeEngine> { Box::new(Whole::new(engine, nodes)) };
    let engine = match args.engine {
        EngineChoice::Reference => match circuit.reference() {
            Ok(None) => {
                return Err(Failure::BadInput(anyhow!(
                    "the reference engine runs cubes of up to {} dimensions, not {}; accepted: a \
                     smaller --dims, or another --engine",
                    MAX_REFERENCE_DIMS,
                    circuit.dims()
                )))
            }
            Ok(Some(engine)) => Ok(whole(engine)),
            Err(e) => Err(e),
        },
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
