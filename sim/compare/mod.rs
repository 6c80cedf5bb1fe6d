//! Every network of a comparison delivers the same messages, at the times that the second models
//! and the formulas give. The report prints these figures in each of its formats.

mod browser;
mod page;
mod times;

use clap::{ArgMatches, Command};
use lockstep::design::{check, CellKind, Design};
use lockstep::lanes::LaneOptions;
use phasecube::engine::{CircuitEngine, EvaluatorEngine, LockstepEngine};
use phasecube::machine::{drive, memory_bits, EndReason, Load, RunControl, WholeNode};
use phasecube::networks::{
    standard, ComparisonSetting, Machine, Network, NetworkError, NetworkNotes, Purpose,
};
use phasecube::program::{Firmware, NodeKind};
use phasecube::report::comparison::TrafficResult;
use phasecube::rtl::cm1::{EjectMode, MessageFormat, PetitPlan, Router};
use phasecube::rtl::tdma::{
    pool_slots, AdaptiveNode, CompiledNode, CubeNode, CubeSoftNode, SoftNode,
};
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, MessageList, SplitMix64};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

// The machines of a comparison, and messages for them.

/// Payload bytes of every message in these tests.
const PAYLOAD: usize = 3;

const ROWS: usize = 3;

/// Labels of the machines in every comparison, in order.
const LABELS: [&str; 8] = [
    "TDMA route",
    "TDMA forwarder",
    "TDMA adaptive route",
    "TDMA adaptive",
    COMPILED,
    "CM-1",
    "torus",
    "rotation",
];

/// Label of the machine that is compiled for its messages.
const COMPILED: &str = "TDMA compiled";

fn cube(dims: u32) -> Hypercube {
    Hypercube::new(dims.into()).unwrap()
}

/// Returns the program that soft nodes run.
fn route() -> Firmware {
    static ROUTE: OnceLock<Firmware> = OnceLock::new();
    ROUTE.get_or_init(|| route_for(NodeKind::CUBE)).clone()
}

/// Returns the program for a given kind of node.
fn route_for(kind: NodeKind) -> Firmware {
    let tools = Toolchain::open().unwrap();
    Firmware::open("route", kind, &tools, work_dir()).unwrap()
}

fn work_dir() -> &'static Path {
    env!("CARGO_TARGET_TMPDIR").as_ref()
}

/// Parameters common to all machines.
struct Spec {
    pub cube: Hypercube,
    proc_bits: u32,
    flags: ArgMatches,
}

/// Returns a specification with 2^`proc_bits` processors on each node.
fn spec(dims: u32, proc_bits: u32, acked: bool) -> Spec {
    let command = standard().add_flags(Command::new("compare"), Purpose::Compare);
    let link = if acked { "acked" } else { "raw" };
    let rows = ROWS.to_string();
    Spec {
        cube: cube(dims),
        proc_bits,
        flags: command.get_matches_from(["compare", "--link", link, "--rows", &rows]),
    }
}

/// A machine and the name of its network.
struct NamedMachine {
    pub network: &'static str,
    pub machine: Box<dyn Machine>,
}

fn setting(spec: &Spec) -> ComparisonSetting<'_> {
    ComparisonSetting {
        cube: spec.cube,
        proc_bits: spec.proc_bits,
        payload: PAYLOAD,
        alone: false,
        flags: &spec.flags,
    }
}

/// Returns a network's machine, or `None` if the network has no machine of that size.
fn of_size<T>(answer: Result<T, NetworkError>) -> Option<T> {
    match answer {
        Err(NetworkError::Size(_)) => None,
        answer => Some(answer.unwrap()),
    }
}

/// Returns the notes on all networks.
fn notes(spec: &Spec) -> Vec<NetworkNotes> {
    let notes = |network: &'static dyn Network| of_size(network.notes(&setting(spec)));
    standard().iter().filter_map(notes).collect()
}

/// Returns true if the machine accepts messages while it runs.
fn takes_any(contender: &NamedMachine) -> bool {
    contender.machine.machine_builder().is_none()
}

/// Returns all machines that exist for the specification.
fn compared_machines(spec: &Spec) -> Vec<NamedMachine> {
    let setting = setting(spec);
    let mut all = vec![];
    for network in standard().iter() {
        for mut machine in of_size(network.machines_to_compare(&setting)).into_iter().flatten() {
            machine.prepare(work_dir()).unwrap();
            let network = network.name();
            all.push(NamedMachine { network, machine });
        }
    }
    all
}

/// Returns the machine with this label.
fn compared_machine(spec: &Spec, label: &str) -> Box<dyn Machine> {
    let mut all = compared_machines(spec).into_iter();
    all.find(|c| c.machine.label() == label).unwrap().machine
}

fn lockstep(machine: &dyn Machine) -> LockstepEngine {
    let array = machine.circuit().array().unwrap();
    array.lockstep(&LaneOptions::default()).unwrap()
}

/// Runs the machine in the lockstep engine. A compiled machine is compiled for the messages of the
/// load, and all of them are present at the start.
fn carry(machine: &dyn Machine, load: Load) -> TrafficResult {
    if let Some(maker) = machine.machine_builder() {
        let job = maker.job(&load.messages).unwrap();
        return carry(&*job.machine, job.load).in_periods(machine.timebase());
    }
    carry_on(&mut lockstep(machine), machine, load)
}

/// Runs the machine on this engine.
fn carry_on(engine: &mut LockstepEngine, machine: &dyn Machine, load: Load) -> TrafficResult {
    let timebase = machine.timebase();
    let mut driver = machine.driver(engine, load).unwrap();
    let control = RunControl::to_end(timebase.steps(), machine.deadlock_after());
    let run = drive(&mut *driver, control).unwrap();
    assert_eq!(run.end, EndReason::Complete);
    TrafficResult::new(&run, timebase)
}

/// Returns a load of these messages, all present at the start.
fn at_once(messages: &[Message]) -> Load {
    Load::at_once(MessageList::from(messages))
}

/// Returns messages between these processors. Message i carries i.
fn messages(pairs: &[(u32, u32)]) -> Vec<Message> {
    let message = |(i, (source, destination)): (usize, &(u32, u32))| Message {
        source: *source,
        destination: *destination,
        payload: vec![i as u8, (i >> 8) as u8, 0xA5],
    };
    pairs.iter().enumerate().map(message).collect()
}

/// Returns `count` pairs of random processors. Source and destination may be equal.
fn random(processors: u32, count: usize, seed: u64) -> Vec<(u32, u32)> {
    let mut random = SplitMix64::new(seed);
    let mut one = || random.below(processors.into()) as u32;
    (0..count).map(|_| (one(), one())).collect()
}

// The circuits that comparisons synthesise.

fn silicon(dims: u32) -> Vec<(Design, Option<Design>)> {
    let machines = compared_machines(&spec(dims, 0, true)).into_iter();
    let parts = machines.filter_map(|c| c.machine.silicon().unwrap());
    let parts = parts.map(|silicon| {
        let whole = match silicon.node {
            WholeNode::One(part) => Some(part.design),
            WholeNode::Cores { .. } => None,
        };
        (silicon.router.design, whole)
    });
    parts.collect()
}

/// Drives the inputs common to both circuits alike, with random values. The outputs of the cut
/// circuit must equal the outputs of the whole one.
fn same(whole: &Design, cut: &Design) {
    let mut random = SplitMix64::new(7);
    let mut engines = [whole, cut].map(|design| EvaluatorEngine::new(design).unwrap());
    let ports: Vec<_> = engines[1].ports().to_vec();
    assert!(ports.len() < engines[0].ports().len(), "something is open");
    let mut changes = 0;
    for _ in 0..3000 {
        for port in ports.iter().filter(|port| port.input) {
            let value = random.below(1 << port.width);
            for engine in &mut engines {
                let id = engine.port(&port.name);
                engine.set_u64(id, value);
            }
        }
        for port in ports.iter().filter(|port| !port.input) {
            let [whole, cut] = engines.each_mut().map(|engine| {
                engine.settle().unwrap();
                let id = engine.port(&port.name);
                engine.get_u64(id)
            });
            assert_eq!(whole, cut, "{}", port.name);
            changes += u64::from(whole != 0);
        }
        for engine in &mut engines {
            engine.clock().unwrap();
        }
    }
    assert!(changes > 0, "nothing came out");
}

/// Leaving ports open or tying them low does not change the remaining outputs.
#[test]
fn synthesised_circuits_equal_simulated_ones() {
    use hdl::lower::lower;
    use phasecube::networks::tdma::PhaseTiming;
    let timing = |soft: bool| {
        let bytes = PAYLOAD + 2;
        match soft {
            true => PhaseTiming::software(8, bytes, Hypercube::of(3), true),
            false => PhaseTiming::forwarder(8, bytes, Hypercube::of(3), true),
        }
    };
    let words = route().words;
    let pool_words = route_for(NodeKind::Pool).words;
    let format = MessageFormat { dims: 3, proc_bits: 0, vp_bits: 0, data_bits: 8 * PAYLOAD as u32 };
    let plan = PetitPlan::new(format, EjectMode::PerProcessor);
    let soft = CubeSoftNode::<3, 8, 4, 8>::new(timing(true).plan(), &words);
    let hard = CubeNode::<3, 8, 4, 8>::new(timing(false).plan());
    let bytes = PAYLOAD + 2;
    let soft_pool = PhaseTiming::adaptive_software(8, bytes, 3).plan().pooled();
    let soft_pool = SoftNode::<3, 3, { pool_slots(3) }, 8, 4, 8>::new(soft_pool, &pool_words);
    let pool = PhaseTiming::adaptive(8, bytes, 3).plan();
    let pool = AdaptiveNode::<3, { pool_slots(3) }, 8, 4, 8>::new(pool);
    let table = CompiledNode::<3, 3, 16, 8, 4, 8, 10>::new(PhaseTiming::compiled(8, bytes).plan());
    let router = Router::<3>::new(ROWS, plan);
    let wholes = [
        lower(&soft).unwrap(),
        lower(&hard).unwrap(),
        lower(&soft_pool).unwrap(),
        lower(&pool).unwrap(),
        lower(&table).unwrap(),
        lower(&router).unwrap(),
    ];
    for (whole, (cut_router, cut_node)) in wholes.iter().zip(silicon(3)) {
        same(whole, &cut_node.unwrap_or(cut_router));
    }
}

/// The circuits of the byte networks are the nodes of their machines, and no part is shared.
#[test]
fn a_byte_network_is_synthesised_as_it_is() {
    for dims in [3, 4] {
        let byte_networks = ["torus", "rotation"];
        let mut found = vec![];
        for contender in compared_machines(&spec(dims, 0, true)) {
            if byte_networks.contains(&contender.network) {
                let silicon = contender.machine.silicon().unwrap().unwrap();
                let node = contender.machine.circuit().array().unwrap().node;
                assert_eq!(silicon.router.design, node.design);
                assert!(silicon.shared.is_none());
                found.push(contender.network);
            }
        }
        assert_eq!(found, byte_networks);
    }
}

/// The router of a soft node is the node without core, program and data. Their connections become
/// ports, and everything else remains.
#[test]
fn a_soft_router_is_the_node_without_its_core() {
    for dims in [3, 4] {
        let (router, node) = silicon(dims).remove(0);
        let node = node.unwrap();
        check::check(&router).unwrap();
        let names = |design: &Design| -> BTreeSet<String> {
            let (top, name) = (design.top(), |name: &String| name.clone());
            let cells = top.cells.iter().map(|cell| name(&cell.name));
            cells.chain(top.instances.iter().map(|i| name(&i.name))).collect()
        };
        let gone: Vec<String> = names(&node).difference(&names(&router)).cloned().collect();
        assert_eq!(gone, ["core", "data", "program"]);
        assert!(router.top().port("core.request").is_some());
        // Sixteen bytes for each buffer and the injection buffer, in a memory of 16 slots.
        assert_eq!(memory_bits(&router), 16 * 16 * 8);
        let registers = |design: &Design| {
            let cells = design.modules.iter().flat_map(|m| &m.cells);
            cells.filter(|cell| matches!(cell.kind, CellKind::Memory { .. })).count()
        };
        assert!(registers(&router) < registers(&node));
    }
}

/// Other cubes are not synthesised and have no figures.
#[test]
fn other_cubes_are_not_synthesised() {
    for dims in [1, 2, 5, 12] {
        for contender in compared_machines(&spec(dims, 0, true)) {
            assert!(contender.machine.silicon().unwrap().is_none());
        }
    }
}
