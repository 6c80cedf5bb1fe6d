//! Nodes that run code. The programs of `firmware/`, compiled by the pinned compiler, run on the
//! core's RTL and on a PC. They are compared with the hardware forwarder.

mod adaptive;
mod background;
mod cm1;
mod collectives;
mod images;
mod livelock;
mod native;
mod port;
mod programs;
mod raw;
mod route;
mod service;
mod shipped;
mod slot;
mod starc;

use crate::support::whole_runs::OutputTrace;
use crate::support::{array_runs, cube_runs};
use hdl::lower::lower;
use lockstep::design::Design;
use lockstep::lanes::LaneOptions;
use phasecube::engine::{ByNode, CircuitEngine, LockstepEngine, NodeEngine, ObservedEngine};
use phasecube::machine::array::BlockCircuit;
use phasecube::machine::{Delivery, EndReason, RunStats};
use phasecube::networks::tdma::cube::{cube_array, CubeFaults, DeadMode, DeadNode, Slip};
use phasecube::networks::tdma::{CoreProfile, PhaseTiming, Profiler};
use phasecube::program::{Firmware, NodeKind};
use phasecube::report::OutputProbe;
use phasecube::routing::tdma::Routing;
use phasecube::rtl::tdma::{AdaptiveNode, CubeNode, CubeSoftNode, EnginePlan, SoftNode};
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{ExchangeOrder, Message, Recipe, TrafficPattern};
use std::path::Path;

pub const CLOCKS: usize = 8;

/// Maximum payload bytes of a message in these tests.
pub const PAYLOAD: usize = 4;

/// A node with buffers of 16 bytes that runs a program.
pub type SmallSoftNode<const D: usize> = CubeSoftNode<D, CLOCKS, 4, 8>;

pub fn cube(dims: usize) -> Hypercube {
    Hypercube::new(dims as u64).unwrap()
}

pub fn builds() -> &'static Path {
    env!("CARGO_TARGET_TMPDIR").as_ref()
}

/// Returns a program of the project, or one from a file.
pub fn firmware(what: &str) -> Firmware {
    opened(what, NodeKind::CUBE)
}

/// Returns the program `route` for nodes with a pool.
pub fn pool_route() -> Firmware {
    opened("route", NodeKind::Pool)
}

fn opened(what: &str, kind: NodeKind) -> Firmware {
    let tools = Toolchain::open().unwrap();
    Firmware::open(what, kind, &tools, builds()).unwrap_or_else(|e| panic!("{e}"))
}

pub fn timing(dims: usize) -> PhaseTiming {
    PhaseTiming::look_ahead(CLOCKS as u32, PAYLOAD + 2, Hypercube::of(dims as u32), true)
}

/// Returns the timing for links without answers.
pub fn raw_timing(dims: usize) -> PhaseTiming {
    PhaseTiming::look_ahead(CLOCKS as u32, PAYLOAD + 2, Hypercube::of(dims as u32), false)
}

/// A node with a pool that runs `route`, similar to [`SmallSoftNode`].
pub type SmallPoolSoftNode<const D: usize, const P: usize> = SoftNode<D, D, P, CLOCKS, 4, 8>;

pub fn pool_timing(dims: usize) -> PhaseTiming {
    PhaseTiming::adaptive_software(CLOCKS as u32, PAYLOAD + 2, dims as u32)
}

/// Returns the machine of such nodes, as lanes of one netlist.
fn lockstep(dims: usize, node: &Design) -> LockstepEngine {
    let array = cube_array(cube(dims), node).unwrap();
    array.lockstep(&LaneOptions::default()).unwrap()
}

/// Returns the machine whose nodes run this program.
pub fn soft<const D: usize>(program: &Firmware, timing: PhaseTiming) -> LockstepEngine {
    let node = SmallSoftNode::<D>::new(timing.plan(), &program.words);
    lockstep(D, &lower(&node).unwrap())
}

/// Runs messages on an engine that has a cube of nodes with this routing.
pub fn run<const D: usize>(
    engine: &mut dyn NodeEngine,
    timing: PhaseTiming,
    routing: Routing,
    disturbance: CubeFaults,
    messages: &[Message],
) -> RunStats {
    let circuit = cube_runs::circuit(cube(D), timing);
    let circuit = match routing {
        Routing::ECube => circuit,
        Routing::Adaptive => circuit.adaptive().with_timing(timing),
    };
    cube_runs::run(engine, &circuit, &disturbance, messages)
}

/// Runs messages on nodes with programs, and profiles the cores.
pub fn run_on<const D: usize>(
    engine: &mut dyn NodeEngine,
    timing: PhaseTiming,
    routing: Routing,
    disturbance: CubeFaults,
    messages: &[Message],
) -> (RunStats, Vec<CoreProfile>) {
    let mut profiler = Profiler::new(engine);
    let mut observed = ObservedEngine::new(engine, vec![&mut profiler]);
    let run = run::<D>(&mut observed, timing, routing, disturbance, messages);
    (run, profiler.into_cores())
}

/// Returns the disturbance of one dead node.
pub fn dead(node: u32, mode: DeadMode) -> CubeFaults {
    CubeFaults { dead: vec![DeadNode { node, mode }], ..CubeFaults::default() }
}

/// Returns true if the message reached its destination.
pub fn is_delivered(delivery: &Delivery) -> bool {
    matches!(delivery, Delivery::Delivered { .. } | Delivery::ToSelf)
}

/// Returns slips for every node of the 3-cube, one each, in noise, so that links have frames to
/// repeat.
pub fn slips_in_noise(noise: f64, seed: u64) -> CubeFaults {
    let slips = (0..8u32).map(|node| Slip { node, t: 7 + u64::from(node) * 5 + seed % 12 });
    CubeFaults { noise, seed, slips: slips.collect(), ..CubeFaults::default() }
}

/// Checks that every message was delivered once, and that frames were repeated.
pub fn assert_all_delivered_in_noise(run: &RunStats, seed: u64) {
    assert_eq!(run.end, EndReason::Complete, "{seed}");
    assert!(run.deliveries.iter().all(is_delivered), "{seed}: {:?}", run.deliveries);
    assert!(run.figure("retries") > 0, "{seed}");
    let wrong = run.duplicated + run.undetected;
    assert_eq!(wrong, 0, "{seed}");
}

/// Runs messages on nodes that run `route`.
pub fn run_soft<const D: usize>(
    disturbance: CubeFaults,
    messages: &[Message],
) -> (RunStats, Vec<CoreProfile>) {
    let mut engine = soft::<D>(&firmware("route"), timing(D));
    run_on::<D>(&mut engine, timing(D), Routing::ECube, disturbance, messages)
}

/// Runs messages on nodes with forwarders.
pub fn run_hard<const D: usize>(disturbance: CubeFaults, messages: &[Message]) -> RunStats {
    let timing = PhaseTiming::forwarder(CLOCKS as u32, PAYLOAD + 2, Hypercube::of(D as u32), true);
    let node = CubeNode::<D, CLOCKS, 4, 8>::new(timing.plan());
    let mut engine = lockstep(D, &lower(&node).unwrap());
    run::<D>(&mut engine, timing, Routing::ECube, disturbance, messages)
}

/// Runs messages on nodes with a pool that run `route`, in phases of this length.
pub fn run_pool_soft<const D: usize, const P: usize>(
    timing: PhaseTiming,
    disturbance: CubeFaults,
    messages: &[Message],
) -> (RunStats, Vec<CoreProfile>) {
    let node = SmallPoolSoftNode::<D, P>::new(timing.plan().pooled(), &pool_route().words);
    let mut engine = lockstep(D, &lower(&node).unwrap());
    run_on::<D>(&mut engine, timing, Routing::Adaptive, disturbance, messages)
}

/// Runs messages on nodes with adaptive forwarders.
pub fn run_pool_hard<const D: usize, const P: usize>(
    disturbance: CubeFaults,
    messages: &[Message],
) -> RunStats {
    let timing = PhaseTiming::adaptive(CLOCKS as u32, PAYLOAD + 2, D as u32);
    let node = AdaptiveNode::<D, P, CLOCKS, 4, 8>::new(timing.plan());
    let mut engine = lockstep(D, &lower(&node).unwrap());
    run::<D>(&mut engine, timing, Routing::Adaptive, disturbance, messages)
}

/// Runs these messages on nodes that run `route` and on nodes with forwarders. Links serve their
/// buffers in ascending order.
pub fn run_ascending<const D: usize>(messages: &[Message]) -> [RunStats; 2] {
    let plan = |timing: PhaseTiming| EnginePlan { round_robin: false, ..timing.plan() };
    let run = |timing: PhaseTiming, node: Design| {
        let mut engine = lockstep(D, &node);
        run::<D>(&mut engine, timing, Routing::ECube, CubeFaults::default(), messages)
    };
    let (soft, route) = (timing(D), firmware("route"));
    let hard = PhaseTiming::forwarder(CLOCKS as u32, PAYLOAD + 2, Hypercube::of(D as u32), true);
    [
        run(soft, lower(&SmallSoftNode::<D>::new(plan(soft), &route.words)).unwrap()),
        run(hard, lower(&CubeNode::<D, CLOCKS, 4, 8>::new(plan(hard))).unwrap()),
    ]
}

pub fn traffic(dims: usize, pattern: TrafficPattern, seed: u64) -> Vec<Message> {
    let recipe = Recipe { pattern, seed, payload: PAYLOAD, order: ExchangeOrder::Pairs };
    recipe.messages(cube(dims)).unwrap()
}

fn trace(engine: &mut dyn CircuitEngine, messages: &[Message]) -> OutputTrace {
    let mut probe = OutputProbe::new(engine);
    let mut nodes = ByNode::new(&mut probe, 4);
    let none = CubeFaults::default();
    let run = run::<2>(&mut nodes, timing(2), Routing::ECube, none, messages);
    assert_eq!((run.end, run.figure("late")), (EndReason::Complete, 0));
    probe.into_trace()
}

#[test]
#[ignore = "thorough: four engines on a whole run"]
fn on_a_whole_run_of_the_2_cube() {
    let messages = traffic(2, TrafficPattern::Complement, 7);
    let program = firmware("route").words;
    let plan = timing(2).plan();
    let node = BlockCircuit::of(move || Box::new(SmallSoftNode::<2>::new(plan, &program)));
    let array = cube_array(cube(2), node.unwrap()).unwrap();
    array_runs::agree(&array, |engine| trace(engine, &messages));
}
