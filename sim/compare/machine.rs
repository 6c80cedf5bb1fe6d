//! The machines of a comparison, and messages for them.

use clap::{ArgMatches, Command};
use lockstep::lanes::LaneOptions;
use phasecube::engine::LockstepEngine;
use phasecube::machine::{drive, EndReason, Load, RunControl};
use phasecube::networks::{
    standard, ComparisonSetting, Machine, Network, NetworkError, NetworkNotes, Purpose,
};
use phasecube::program::{Firmware, NodeKind};
use phasecube::report::comparison::TrafficResult;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, MessageList, SplitMix64};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Payload bytes of every message in these tests.
pub const PAYLOAD: usize = 3;

pub const ROWS: usize = 3;

/// Labels of the machines in every comparison, in order.
pub const LABELS: [&str; 8] = [
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
pub const COMPILED: &str = "TDMA compiled";

pub fn cube(dims: u32) -> Hypercube {
    Hypercube::new(dims.into()).unwrap()
}

/// Returns the program that soft nodes run.
pub fn route() -> Firmware {
    static ROUTE: OnceLock<Firmware> = OnceLock::new();
    ROUTE.get_or_init(|| route_for(NodeKind::CUBE)).clone()
}

/// Returns the program for a given kind of node.
pub fn route_for(kind: NodeKind) -> Firmware {
    let tools = Toolchain::open().unwrap();
    Firmware::open("route", kind, &tools, work_dir()).unwrap()
}

fn work_dir() -> &'static Path {
    env!("CARGO_TARGET_TMPDIR").as_ref()
}

/// Parameters common to all machines.
pub struct Spec {
    pub cube: Hypercube,
    proc_bits: u32,
    flags: ArgMatches,
}

/// Returns a specification with 2^`proc_bits` processors on each node.
pub fn spec(dims: u32, proc_bits: u32, acked: bool) -> Spec {
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
pub struct NamedMachine {
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
pub fn notes(spec: &Spec) -> Vec<NetworkNotes> {
    let notes = |network: &'static dyn Network| of_size(network.notes(&setting(spec)));
    standard().iter().filter_map(notes).collect()
}

/// Returns true if the machine accepts messages while it runs.
pub fn takes_any(contender: &NamedMachine) -> bool {
    contender.machine.machine_builder().is_none()
}

/// Returns all machines that exist for the specification.
pub fn compared_machines(spec: &Spec) -> Vec<NamedMachine> {
    let setting = setting(spec);
    let mut all = vec![];
    for network in standard().iter() {
        for mut machine in of_size(network.machines_to_compare(&setting))
            .into_iter()
            .flatten()
        {
            machine.prepare(work_dir()).unwrap();
            let network = network.name();
            all.push(NamedMachine { network, machine });
        }
    }
    all
}

/// Returns the machine with this label.
pub fn compared_machine(spec: &Spec, label: &str) -> Box<dyn Machine> {
    let mut all = compared_machines(spec).into_iter();
    all.find(|c| c.machine.label() == label).unwrap().machine
}

pub fn lockstep(machine: &dyn Machine) -> LockstepEngine {
    machine.circuit().lockstep(&LaneOptions::default()).unwrap()
}

/// Runs the machine in the lockstep engine. A compiled machine is compiled for the messages of the
/// load, and all of them are present at the start.
pub fn carry(machine: &dyn Machine, load: Load) -> TrafficResult {
    if let Some(maker) = machine.machine_builder() {
        let job = maker.job(&load.messages).unwrap();
        let load = Load {
            created: job.created,
            ..Load::at_once(job.messages)
        };
        return carry(&*job.machine, load).in_periods(machine.timebase());
    }
    carry_on(&mut lockstep(machine), machine, load)
}

/// Runs the machine on this engine.
pub fn carry_on(engine: &mut LockstepEngine, machine: &dyn Machine, load: Load) -> TrafficResult {
    let timebase = machine.timebase();
    let mut driver = machine.driver(engine, load).unwrap();
    let control = RunControl {
        period: timebase.steps(),
        deadlock_after: machine.deadlock_after(),
        limit: u64::MAX,
        stop: Arc::default(),
        progress: &mut |_, _| {},
        print_line: &mut |_| {},
    };
    let ran = drive(&mut *driver, control).unwrap();
    assert_eq!(ran.end, EndReason::Complete);
    TrafficResult::new(&driver.run_stats(&ran), timebase)
}

/// Returns a load of these messages, all present at the start.
pub fn at_once(messages: &[Message]) -> Load {
    Load::at_once(MessageList::from(messages))
}

/// Returns messages between these processors. Message i carries i.
pub fn messages(pairs: &[(u32, u32)]) -> Vec<Message> {
    let message = |(i, (source, destination)): (usize, &(u32, u32))| Message {
        source: *source,
        destination: *destination,
        payload: vec![i as u8, (i >> 8) as u8, 0xA5],
    };
    pairs.iter().enumerate().map(message).collect()
}

/// Returns `count` pairs of random processors. Source and destination may be equal.
pub fn random(processors: u32, count: usize, seed: u64) -> Vec<(u32, u32)> {
    let mut random = SplitMix64::new(seed);
    let mut one = || random.below(processors.into()) as u32;
    (0..count).map(|_| (one(), one())).collect()
}
