//! Runs of TDMA machines with any timing, and their comparison with the second model or with each
//! other.

use crate::model::CubeModelRun;
use phasecube::engine::NodeEngine;
use phasecube::machine::{drive, Delivery, Load, RunControl, RunStats};
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
    Load { keep_events: true, ..Load::at_once(MessageList::from(messages)) }
}

/// Returns a load whose messages are at their sources from these phases on. No log is kept.
pub fn load_from(messages: &[Message], releases: &[u64], timing: PhaseTiming) -> Load {
    let created = releases.iter().map(|t| t * u64::from(timing.bit_times()));
    Load { created: created.collect(), ..Load::at_once(MessageList::from(messages)) }
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
    RunControl { limit, ..RunControl::to_end(period, Some(DEADLOCK_AFTER)) }
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

/// Checks that the event logs and the results of all messages are equal.
pub fn as_modelled(run: &RunStats, wanted: &CubeModelRun, messages: &[Message], which: &str) {
    assert_eq!(run.events, wanted.events, "{which}");
    deliveries_as_modelled(run, wanted, messages, which);
}

/// Checks that the result of each message equals the model's.
pub fn deliveries_as_modelled(
    run: &RunStats,
    wanted: &CubeModelRun,
    messages: &[Message],
    which: &str,
) {
    for (i, delivery) in run.deliveries.iter().enumerate() {
        let reported = match delivery {
            Delivery::ToSelf => (None, false),
            Delivery::Delivered { t } => (Some(u64::from(*t)), false),
            Delivery::Lost { .. } => (None, true),
            other => panic!("{which}: message {i} is {other:?}"),
        };
        let wanted = (wanted.delivered[i], wanted.lost[i]);
        assert_eq!(reported, wanted, "{which}: message {i}, {:?}", messages[i]);
    }
    assert_eq!(run.undetected + run.duplicated, 0);
}

/// Checks that event logs, results of messages and counters are equal.
pub fn same_run(found: &RunStats, wanted: &RunStats, what: &str) {
    for (place, (found, wanted)) in found.events.iter().zip(&wanted.events).enumerate() {
        assert_eq!(found, wanted, "{what}, line {place}");
    }
    assert_eq!(found.events.len(), wanted.events.len(), "{what}");
    assert_eq!(found.deliveries, wanted.deliveries, "{what}");
    assert_eq!(counts(found), counts(wanted), "{what}");
}
