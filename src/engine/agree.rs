//! Whether engines agree, on every output in every clock cycle.

use super::{Engine, EngineError, PortId, Stimulus};
use num_bigint::BigUint;
use std::collections::BTreeSet;
use thiserror::Error;

/// The outputs of every clock cycle.
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
        "output `{port}` never changed in {cycles} clock cycles: the stimulus shows nothing of it"
    )]
    Idle { port: String, cycles: usize },
}

/// Runs one engine on random inputs.
///
/// # Errors
/// If the circuit does not settle.
pub fn trace(engine: &mut dyn Engine, seed: u64, cycles: usize) -> Result<Trace, EngineError> {
    let stimulus = Stimulus::new(engine.ports(), seed);
    trace_with(engine, stimulus, cycles)
}

/// Runs one engine on the inputs of a stimulus made for its ports.
///
/// # Errors
/// If the circuit does not settle.
pub fn trace_with(
    engine: &mut dyn Engine,
    mut stimulus: Stimulus,
    cycles: usize,
) -> Result<Trace, EngineError> {
    let ports = engine.ports().to_vec();
    let ids = |input: bool| -> Vec<PortId> {
        (0..ports.len())
            .filter(|i| ports[*i].input == input)
            .map(PortId)
            .collect()
    };
    let (inputs, outputs) = (ids(true), ids(false));
    let mut trace = Vec::with_capacity(cycles);
    for _ in 0..cycles {
        for (id, value) in inputs.iter().zip(stimulus.next_cycle()) {
            engine.set(*id, value);
        }
        engine.settle()?;
        trace.push(outputs.iter().map(|id| engine.get(*id)).collect());
        engine.clock()?;
    }
    Ok(trace)
}

/// Compares what two engines did on the same inputs.
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

/// Checks that every output changed at least once: an agreement on constants
/// says little.
///
/// # Errors
/// The first output that did not.
pub fn all_alive(outputs: &[String], trace: &Trace) -> Result<(), Disagreement> {
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
