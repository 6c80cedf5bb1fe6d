//! Runs of TDMA machines with any timing.

use phasecube::engine::NodeEngine;
use phasecube::machine::{drive, Load, RunControl, RunStats};
use phasecube::networks::tdma::cube::{CubeCircuit, CubeDriver, CubeFaults, DEADLOCK_AFTER};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::routing::Schedule;
use phasecube::topology::Metacube;
use phasecube::traffic::{Message, MessageList};

/// Returns the parameters of a machine of small nodes, which have a timing of their own.
pub fn circuit(shape: impl Into<Metacube>, timing: PhaseTiming) -> CubeCircuit {
    let circuit = CubeCircuit::new(shape, 4, timing.acked).expect("the shape is known");
    circuit.with_timing(timing)
}

/// Returns a load of these messages, all present at the start. The log is kept.
pub fn load(messages: &[Message]) -> Load {
    Load {
        keep_events: true,
        ..Load::at_once(MessageList::from(messages))
    }
}

/// Returns a load whose messages are at their sources from these phases on. No log is kept.
pub fn load_from(messages: &[Message], releases: &[u64], timing: PhaseTiming) -> Load {
    let created = releases.iter().map(|t| t * u64::from(timing.bit_times()));
    Load {
        created: created.collect(),
        ..Load::at_once(MessageList::from(messages))
    }
}

/// Returns the counts that do not depend on the kind of nodes: hops, duplicated and undetected
/// messages, and the frames with each outcome.
pub fn counts(run: &RunStats) -> [u64; 7] {
    let [naks, timeouts, retries, late] =
        ["refused", "silences", "retries", "late"].map(|key| run.figure(key));
    let (hops, duplicated, undetected) = (run.hops, run.duplicated, run.undetected);
    [hops, duplicated, undetected, naks, timeouts, retries, late]
}

/// Returns the end conditions of a run of at most `limit` superframes.
pub fn limit(circuit: &CubeCircuit, limit: u64) -> RunControl<'static> {
    let period = circuit.schedule().period().into();
    RunControl {
        limit,
        ..RunControl::to_end(period, Some(DEADLOCK_AFTER))
    }
}

/// Runs a load on an engine that has such a circuit.
pub fn run_load(
    engine: &mut dyn NodeEngine,
    circuit: &CubeCircuit,
    faults: &CubeFaults,
    load: &Load,
    control: RunControl,
) -> RunStats {
    let mut driver = CubeDriver::new(engine, circuit, faults, load);
    drive(&mut driver, control).unwrap()
}

/// Runs messages on an engine that has such a circuit, for at most `superframes` superframes.
pub fn run_for(
    engine: &mut dyn NodeEngine,
    circuit: &CubeCircuit,
    faults: &CubeFaults,
    messages: &[Message],
    superframes: u64,
) -> RunStats {
    let control = limit(circuit, superframes);
    run_load(engine, circuit, faults, &load(messages), control)
}

/// Runs messages on an engine that has such a circuit, to the end.
pub fn run(
    engine: &mut dyn NodeEngine,
    circuit: &CubeCircuit,
    faults: &CubeFaults,
    messages: &[Message],
) -> RunStats {
    run_for(engine, circuit, faults, messages, u64::MAX)
}
