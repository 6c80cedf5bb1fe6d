//! The machines of a comparison, and messages for them.

use clap::{ArgMatches, Command};
use lockstep::lanes::Options;
use phasecube::engine::LockstepEngine;
use phasecube::machine::{drive, Control, End, Load};
use phasecube::networks::{standard, Machine, Network, Notes, Purpose, Refusal, Setting};
use phasecube::program::{Firmware, NodeKind};
use phasecube::report::comparison::Carried;
use phasecube::toolchain::Toolchain;
use phasecube::topology::Hypercube;
use phasecube::traffic::{Message, MessageList, SplitMix64};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Bytes of payload of every message here.
pub const PAYLOAD: usize = 3;

pub const ROWS: usize = 3;

/// The machines that every comparison has, by their labels, in order.
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

/// The one that is made for its messages.
pub const COMPILED: &str = "TDMA compiled";

pub fn cube(dims: u32) -> Hypercube {
    Hypercube::new(dims.into()).unwrap()
}

/// The program that soft nodes run.
pub fn route() -> Firmware {
    static ROUTE: OnceLock<Firmware> = OnceLock::new();
    ROUTE.get_or_init(|| route_for(NodeKind::CUBE)).clone()
}

/// The same for another kind of nodes.
pub fn route_for(kind: NodeKind) -> Firmware {
    let tools = Toolchain::open().unwrap();
    Firmware::open("route", kind, &tools, work_dir()).unwrap()
}

fn work_dir() -> &'static Path {
    env!("CARGO_TARGET_TMPDIR").as_ref()
}

/// What all machines have in common.
pub struct Spec {
    pub cube: Hypercube,
    proc_bits: u32,
    flags: ArgMatches,
}

/// With 2^`proc_bits` processors on a node.
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
pub struct Contender {
    pub network: &'static str,
    pub machine: Box<dyn Machine>,
}

fn setting(spec: &Spec) -> Setting<'_> {
    Setting {
        cube: spec.cube,
        proc_bits: spec.proc_bits,
        payload: PAYLOAD,
        alone: false,
        flags: &spec.flags,
    }
}

/// What a network answers; nothing if it has no machine of that size.
fn of_size<T>(answer: Result<T, Refusal>) -> Option<T> {
    match answer {
        Err(Refusal::Size(_)) => None,
        answer => Some(answer.unwrap()),
    }
}

/// What is told of all networks.
pub fn notes(spec: &Spec) -> Vec<Notes> {
    let notes = |network: &'static dyn Network| of_size(network.notes(&setting(spec)));
    standard().iter().filter_map(notes).collect()
}

/// Whether the machine takes messages as they come.
pub fn takes_any(contender: &Contender) -> bool {
    contender.machine.made_for().is_none()
}

/// All machines that there are for it, ready to run.
pub fn contenders(spec: &Spec) -> Vec<Contender> {
    let setting = setting(spec);
    let mut all = vec![];
    for network in standard().iter() {
        for mut machine in of_size(network.contenders(&setting)).into_iter().flatten() {
            machine.prepare(work_dir()).unwrap();
            let network = network.name();
            all.push(Contender { network, machine });
        }
    }
    all
}

/// The machine of this label.
pub fn contender(spec: &Spec, label: &str) -> Box<dyn Machine> {
    let mut all = contenders(spec).into_iter();
    all.find(|c| c.machine.label() == label).unwrap().machine
}

pub fn lockstep(machine: &dyn Machine) -> LockstepEngine {
    machine.circuit().lockstep(&Options::default()).unwrap()
}

/// What the machine does in the lockstep engine; one that is made for its messages is, for those
/// of the load, which are all there at the start.
pub fn carry(machine: &dyn Machine, load: Load) -> Carried {
    if let Some(maker) = machine.made_for() {
        let job = maker.job(&load.messages).unwrap();
        let load = Load {
            created: job.created,
            ..Load::at_once(job.messages)
        };
        return carry(&*job.machine, load).in_periods(machine.timebase());
    }
    carry_on(&mut lockstep(machine), machine, load)
}

/// The same on this engine.
pub fn carry_on(engine: &mut LockstepEngine, machine: &dyn Machine, load: Load) -> Carried {
    let timebase = machine.timebase();
    let mut driver = machine.driver(engine, load).unwrap();
    let control = Control {
        period: timebase.steps(),
        stuck_after: machine.stuck_after(),
        limit: u64::MAX,
        stop: Arc::default(),
        progress: &mut |_, _| {},
        tell: &mut |_| {},
    };
    let ran = drive(&mut *driver, control).unwrap();
    assert_eq!(ran.end, End::Complete);
    Carried::new(&driver.account(&ran), timebase)
}

/// These messages, all there at the start.
pub fn at_once(messages: &[Message]) -> Load {
    Load::at_once(MessageList::from(messages))
}

/// Messages between these processors; message i carries i.
pub fn messages(pairs: &[(u32, u32)]) -> Vec<Message> {
    let message = |(i, (source, destination)): (usize, &(u32, u32))| Message {
        source: *source,
        destination: *destination,
        payload: vec![i as u8, (i >> 8) as u8, 0xA5],
    };
    pairs.iter().enumerate().map(message).collect()
}

/// So many messages of random processors to random ones, themselves included.
pub fn random(processors: u32, count: usize, seed: u64) -> Vec<(u32, u32)> {
    let mut random = SplitMix64::new(seed);
    let mut one = || random.below(processors.into()) as u32;
    (0..count).map(|_| (one(), one())).collect()
}
