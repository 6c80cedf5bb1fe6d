//! Compares engines on every output in every clock cycle.

use super::{CircuitEngine, EngineError, PortId, Stimulus};
use num_bigint::BigUint;
use std::collections::BTreeSet;
use thiserror::Error;

/// Outputs of every clock cycle.
pub type Trace = Vec<Vec<BigUint>>;

#[derive(Debug, Error)]
pub enum Disagreement {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(
        "clock cycle {cycle}, output `{port}`: {first} has {:#x}, {second} has {:#x}",
        values[0],
        values[1]
    )]
    Output {
        cycle: usize,
        port: String,
        first: String,
        second: String,
        values: Box<[BigUint; 2]>,
    },
    #[error(
        "output `{port}` never changed in {cycles} clock cycles, so the stimulus does not test it"
    )]
    Idle { port: String, cycles: usize },
}

/// Runs one engine on random inputs.
///
/// # Errors
/// If the circuit does not settle.
pub fn trace(
    engine: &mut dyn CircuitEngine,
    seed: u64,
    cycles: usize,
) -> Result<Trace, EngineError> {
    let stimulus = Stimulus::new(engine.ports(), seed);
    trace_with(engine, stimulus, cycles)
}

/// Runs one engine on the inputs of a stimulus for its ports.
///
/// # Errors
/// If the circuit does not settle.
pub fn trace_with(
    engine: &mut dyn CircuitEngine,
    mut stimulus: Stimulus,
    cycles: usize,
) -> Result<Trace, EngineError> {
    let mut stepper = Stepper::new(engine);
    (0..cycles)
        .map(|_| stepper.step(stimulus.next_cycle()))
        .collect()
}

/// Runs an engine clock cycle by clock cycle, with values for all its inputs.
pub struct Stepper<'a> {
    engine: &'a mut dyn CircuitEngine,
    inputs: Vec<PortId>,
    outputs: Vec<PortId>,
}

impl<'a> Stepper<'a> {
    pub fn new(engine: &'a mut dyn CircuitEngine) -> Self {
        let ids = |inputs: bool| {
            let ports = engine.ports().iter().enumerate();
            let wanted = ports.filter(|(_, port)| port.input == inputs);
            wanted.map(|(i, _)| PortId(i)).collect()
        };
        Stepper {
            inputs: ids(true),
            outputs: ids(false),
            engine,
        }
    }

    /// Runs a clock cycle with these inputs and returns its outputs, both in order of declaration.
    ///
    /// # Errors
    /// If the circuit does not settle.
    pub fn step(&mut self, inputs: &[BigUint]) -> Result<Vec<BigUint>, EngineError> {
        for (id, value) in self.inputs.iter().zip(inputs) {
            self.engine.set(*id, value);
        }
        self.engine.settle()?;
        let shown = self.outputs.iter().map(|id| self.engine.get(*id)).collect();
        self.engine.clock()?;
        Ok(shown)
    }
}

/// Compares the traces of two engines for the same inputs.
///
/// # Errors
/// The first clock cycle and output in which they differ.
pub fn compare(
    outputs: &[String],
    (first, expected): (&str, &Trace),
    (second, found): (&str, &Trace),
) -> Result<(), Disagreement> {
    assert_eq!(expected.len(), found.len(), "traces of different lengths");
    for (cycle, (a, b)) in expected.iter().zip(found).enumerate() {
        for (port, (a, b)) in outputs.iter().zip(a.iter().zip(b)) {
            if a != b {
                return Err(Disagreement::Output {
                    cycle,
                    port: port.clone(),
                    first: first.into(),
                    second: second.into(),
                    values: Box::new([a.clone(), b.clone()]),
                });
            }
        }
    }
    Ok(())
}

/// Checks that every output changed at least once, because agreement on constants means little.
///
/// # Errors
/// The first output that did not change.
pub fn check_all_outputs_change(outputs: &[String], trace: &Trace) -> Result<(), Disagreement> {
    for (i, port) in outputs.iter().enumerate() {
        let seen: BTreeSet<&BigUint> = trace.iter().map(|cycle| &cycle[i]).collect();
        if seen.len() < 2 {
            return Err(Disagreement::Idle {
                port: port.clone(),
                cycles: trace.len(),
            });
        }
    }
    Ok(())
}
