//! The TDMA cube as RTL, against independent references: golden logs, the behavioural model, and
//! invariants under faults.

mod adaptive;
mod adaptive_faults;
mod adaptive_model;
mod agreement;
mod any_wiring;
mod delivery_counter;
mod exchange;
mod fairness;
mod faults;
mod fleet;
mod golden;
mod large;
mod lists;
mod local_sync;
mod lockstep;
mod node_clocks;
mod payloads;
mod scale;
mod slips;

use crate::support::cube_runs;
use ::lockstep::lanes::LaneOptions;
use hdl::lower::lower;
use phasecube::engine::{ByNode, CircuitEngine, EvaluatorEngine, NodeEngine};
use phasecube::machine::array::Array;
use phasecube::machine::{Load, RunStats};
use phasecube::networks::tdma::cube::{cube_array, CubeFaults};
use phasecube::networks::tdma::PhaseTiming;
use phasecube::routing::tdma::ServiceOrder;
use phasecube::rtl::tdma::{pool_slots, AdaptiveNode, CubeNode, EnginePlan};
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, Recipe};

pub const CLOCKS: usize = 4;

/// Maximum payload bytes of a message in these tests.
pub const PAYLOAD: usize = 4;

/// A node with buffers of 16 bytes.
pub type SmallCubeNode<const D: usize> = CubeNode<D, CLOCKS, 4, 8>;

pub fn cube(dims: usize) -> Hypercube {
    Hypercube::new(dims as u64).unwrap()
}

pub fn timing(dims: usize, acked: bool) -> PhaseTiming {
    PhaseTiming::forwarder(CLOCKS as u32, PAYLOAD + 2, Hypercube::of(dims as u32), acked)
}

/// A node of the same size that routes adaptively.
pub type SmallAdaptiveNode<const D: usize, const P: usize> = AdaptiveNode<D, P, CLOCKS, 4, 8>;

pub fn adaptive_timing(dims: usize) -> PhaseTiming {
    PhaseTiming::adaptive(CLOCKS as u32, PAYLOAD + 2, dims as u32)
}

/// Returns the machine of adaptive nodes.
pub fn adaptive_array<const D: usize, const P: usize>() -> Array {
    assert_eq!(P, pool_slots(D));
    let node = lower(&SmallAdaptiveNode::<D, P>::new(adaptive_timing(D).plan())).unwrap();
    cube_array(cube(D), &node).unwrap()
}

/// Runs messages on an engine that has such a machine.
pub fn run_adaptive<const D: usize>(
    engine: &mut dyn NodeEngine,
    disturbance: CubeFaults,
    messages: &[Message],
    keep_events: bool,
) -> RunStats {
    let timing = adaptive_timing(D);
    let circuit = cube_runs::circuit(cube(D), timing).adaptive();
    let circuit = circuit.with_timing(timing);
    let load = Load { keep_events, ..cube_runs::load(messages) };
    let control = cube_runs::limit(&circuit, u64::MAX);
    cube_runs::run_load(engine, &circuit, &disturbance, &load, control)
}

/// Returns the evaluator with a machine of these nodes.
pub fn evaluator<const D: usize>(timing: PhaseTiming) -> EvaluatorEngine {
    EvaluatorEngine::new(&array_of::<D>(timing.plan()).whole()).unwrap()
}

/// Returns the machine of nodes built for this plan.
fn array_of<const D: usize>(plan: EnginePlan) -> Array {
    let node = lower(&SmallCubeNode::<D>::new(plan)).unwrap();
    cube_array(cube(D), &node).unwrap()
}

/// Runs messages on an engine that has such a circuit.
pub fn run_on<const D: usize>(
    engine: &mut dyn CircuitEngine,
    acked: bool,
    disturbance: CubeFaults,
    messages: &[Message],
) -> RunStats {
    let mut nodes = ByNode::new(engine, 1 << D);
    let circuit = cube_runs::circuit(cube(D), timing(D, acked));
    cube_runs::run(&mut nodes, &circuit, &disturbance, messages)
}

/// Returns the machine of these nodes, to be used for many runs.
pub fn array<const D: usize>(acked: bool) -> Array {
    array_of::<D>(timing(D, acked).plan())
}

/// Returns the machine of nodes that serve in this order if they answer.
pub fn array_in_order<const D: usize>(acked: bool, order: ServiceOrder) -> Array {
    array_of::<D>(EnginePlan {
        round_robin: acked && order == ServiceOrder::RoundRobin,
        ..timing(D, acked).plan()
    })
}

/// Runs messages on the lockstep engine. It keeps the event log only if `keep_events` is set.
pub fn run_lockstep<const D: usize>(
    array: &Array,
    acked: bool,
    messages: &[Message],
    keep_events: bool,
) -> RunStats {
    let mut engine = array.lockstep(&LaneOptions::default()).unwrap();
    let circuit = cube_runs::circuit(cube(D), timing(D, acked));
    let (faults, control) = (CubeFaults::default(), cube_runs::limit(&circuit, u64::MAX));
    let load = Load { keep_events, ..cube_runs::load(messages) };
    cube_runs::run_load(&mut engine, &circuit, &faults, &load, control)
}

/// Runs messages on the evaluator.
pub fn run<const D: usize>(acked: bool, messages: &[Message]) -> RunStats {
    let mut engine = evaluator::<D>(timing(D, acked));
    run_on::<D>(&mut engine, acked, CubeFaults::default(), messages)
}

/// Runs messages on the evaluator, with nodes that serve in this order if they answer.
pub fn run_in_order<const D: usize>(
    acked: bool,
    order: ServiceOrder,
    messages: &[Message],
) -> RunStats {
    let whole = array_in_order::<D>(acked, order).whole();
    let mut engine = EvaluatorEngine::new(&whole).unwrap();
    run_on::<D>(&mut engine, acked, CubeFaults::default(), messages)
}

/// Returns the messages of a pattern, without payload.
pub fn pattern(pattern: &str, seed: u64, dims: usize) -> Vec<Message> {
    let recipe =
        Recipe { pattern: pattern.parse().unwrap(), seed, payload: 0, order: ExchangeOrder::Pairs };
    recipe.messages(cube(dims)).unwrap()
}

/// Returns messages between these pairs, each with a different payload.
pub fn messages(pairs: &[(u32, u32)]) -> Vec<Message> {
    let message = |(i, (source, destination)): (usize, &(u32, u32))| Message {
        source: *source,
        destination: *destination,
        payload: vec![i as u8, 0xA5, *source as u8],
    };
    pairs.iter().enumerate().map(message).collect()
}
