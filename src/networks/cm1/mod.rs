//! Adaptive bit-serial router of the CM-1 (`cm1-message-router`).
//!
//! [`Cm1Circuit`] is the machine as a circuit. [`Cm1Machine`] drives the processors' lines on any
//! engine, tracks every message and checks the outputs.
//!
//! * `driver`, `processors`, `pins`: the environment of the chips;
//! * `run`, `start`: inputs and results of a run, and complete runs;
//! * `disturbance`: noise, dead chips, broken wires;
//! * `ledger`, `account`: fates of the messages, and statistics;
//! * `stream`, `traffic`: messages as bits, and lists of them;
//! * `flags`: its flags;
//! * `job`, `machine`: builds a machine for given messages;
//! * `hearts`: shows the rows of a chip;
//! * `lone_heart`: a single heart, of each pipeline of section 3.4;
//! * `figure12`: the command that measures the paper's Figure 12.

mod account;
mod circuit;
mod disturbance;
mod driver;
mod figure12;
mod figure12_table;
mod flags;
mod hearts;
mod job;
mod ledger;
mod lone_heart;
mod machine;
mod pins;
mod processors;
mod run;
mod start;
mod stream;
mod traffic;

pub use circuit::Cm1Circuit;
pub use disturbance::{Disturbance, Flip, StuckWire};
pub use driver::Cm1Driver;
pub use flags::{parse_processors, parse_rows};
pub(crate) use job::Wanted;
pub use ledger::Cm1Counters;
pub use lone_heart::{HeartError, LoneHeart, Passed};
pub use run::{Cm1Machine, Cm1Run};
pub use stream::{decode, encode, Fields, Stream};
pub use traffic::{Cm1Message, Cm1Shape, TrafficError};

use super::{
    Job, Machine, Network, Notes, OwnCommand, Purpose, Refusal, Request, Setting, Waiting, Way,
    WayHop,
};
use crate::counted::counted;
use crate::flags::Choice;
use crate::machine::Entry;
use crate::routing::cm1::alone;
use crate::rtl::cm1::EjectMode;
use crate::topology::Hypercube;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use flags::{CompareFlags, MachineFlags, RunFlags};

/// The CM-1 network.
pub struct Cm1Network;

pub const CM1: Cm1Network = Cm1Network;

impl Choice for EjectMode {
    const WHAT: &'static str = "mode of the ejector";
    const READY: &'static [(&'static str, Self)] = &[
        ("or", Self::Or),
        ("per-processor", Self::PerProcessor),
        ("per-chip", Self::PerChip),
        ("bank", Self::Bank),
    ];
    const PLANNED: &'static [&'static str] = &[];
}

impl Network for Cm1Network {
    fn name(&self) -> &'static str {
        "cm1"
    }

    fn about(&self) -> &'static str {
        "the adaptive bit-serial router of the CM-1"
    }

    fn flags(&self, command: Command, purpose: Purpose) -> Command {
        match purpose {
            Purpose::Run => RunFlags::augment_args(command),
            Purpose::Bench => MachineFlags::augment_args(command),
            Purpose::Compare => CompareFlags::augment_args(command),
            Purpose::Route => command,
        }
    }

    fn job(&self, request: &Request) -> Result<Job, Refusal> {
        let flags = RunFlags::from_arg_matches(request.flags)?;
        let disturbance = flags.disturbance(request.cube, request.recipe.seed)?;
        let hearts = flags.hearts(request.cube)?;
        order(flags.machine.wanted()?, request, disturbance, hearts)
    }

    fn measured(&self, request: &Request) -> Result<Job, Refusal> {
        let flags = MachineFlags::from_arg_matches(request.flags)?;
        order(flags.wanted()?, request, Disturbance::default(), vec![])
    }

    /// Returns one machine. Its messages are as long as the longest payload.
    fn contenders(&self, setting: &Setting) -> Result<Vec<Box<dyn Machine>>, Refusal> {
        let flags = CompareFlags::from_arg_matches(setting.flags)?;
        let wanted = Wanted {
            rows: flags.rows(setting.proc_bits),
            proc_bits: setting.proc_bits,
            vp_bits: 0,
            vp_ratio: 1,
            data_bits: Some(8 * setting.payload as u32),
            eject: flags.eject,
        };
        let machine = wanted.machine(setting.cube, &Default::default())?;
        Ok(vec![Box::new(machine)])
    }

    fn settings(&self, setting: &Setting) -> Result<Vec<Entry>, Refusal> {
        let flags = CompareFlags::from_arg_matches(setting.flags)?;
        Ok(vec![
            Entry::new("rows", flags.rows(setting.proc_bits)),
            Entry::new("eject", flags.eject.name()),
        ])
    }

    fn notes(&self, setting: &Setting) -> Result<Notes, Refusal> {
        let flags = CompareFlags::from_arg_matches(setting.flags)?;
        Ok(Notes {
            built: Some(format!(
                "CM-1 with {} rows and {} ejection",
                flags.rows(setting.proc_bits),
                flags.eject.name()
            )),
            terms: "In a petit cycle the routers of a CM-1 take their messages past every dimension \
                    once; a message crosses those that it still has to, where the wire is free, and \
                    what has not arrived takes part in the next one. Messages are ORed if a chip \
                    hands several to one processor at once: their bits are mixed, and none can be \
                    read.",
            price: "A CM-1 router would be a chip of its own. A CM-1 bit-time is one clock cycle \
                    that both ends and the petit-cycle control must share. A CM-1 chip flags \
                    damage and cannot repeat.",
            time: "",
            wires: "A CM-1 wire is used one way; its steps and its periods are petit cycles.",
            arrival: "Those of the CM-1 end when the last bit of the last message reaches its \
                      processor; addresses, parity, the time in the hearts and hops in desperation \
                      are in.",
        })
    }

    /// In a petit cycle a message passes every dimension of its chip. A single message finds all
    /// wires free.
    fn way(&self, dims: u64, _: &ArgMatches, ends: [u64; 2]) -> Result<Way, Refusal> {
        let cube = Hypercube::new(dims).map_err(|e| Refusal::BadInput(e.into()))?;
        let [source, destination] = super::way::ends(&cube, ends)?;
        let hops = alone(source, destination);
        Ok(Way {
            title: format!(
                "chip {} to chip {} of a CM-1 on the {dims}-cube",
                cube.hex(source),
                cube.hex(destination)
            ),
            summary: format!(
                "{}, 1 petit cycle\n\
                 Alone it crosses them all in petit cycle 0. Among others it may wait, or go another \
                 way:\nwhat it then does depends on them, and `phasecube run --network cm1` shows \
                 it.",
                counted(hops.len(), "hop")
            ),
            settings: vec![Entry::new("dims", dims)],
            columns: vec!["dim", "bit", "petit cycle"],
            hops: hops
                .iter()
                .map(|hop| WayHop {
                    node: hop.node,
                    next: hop.next,
                    names: [hop.node, hop.next].map(|node| cube.hex(node)),
                    cells: vec![
                        Entry::new("dim", hop.dim),
                        Entry::new("bit", hop.bit),
                        Entry::new("petit_cycle", hop.petit_cycle),
                    ],
                })
                .collect(),
        })
    }

    fn waiting(&self, _: u64, _: &ArgMatches) -> Result<Waiting, Refusal> {
        Err(Refusal::bad(
            "no message of the CM-1 waits for another one's place: in a petit cycle all move at \
             once, and one that finds no free wire stays where it is or is sent away; accepted: a \
             network whose messages wait for channels",
        ))
    }

    fn commands(&self) -> &'static [OwnCommand] {
        &[figure12::COMMAND]
    }
}

/// Returns a machine and its messages.
fn order(
    wanted: Wanted,
    request: &Request,
    disturbance: Disturbance,
    hearts: Vec<usize>,
) -> Result<Job, Refusal> {
    if wanted.vp_ratio > 1 && request.dumps {
        return Err(Refusal::bad(
            "a file of messages has no virtual processors; accepted: --vp-ratio 1, or no \
             --dump-traffic",
        ));
    }
    let messages = wanted.messages(request.cube, &request.recipe)?;
    let mut machine = wanted.machine(request.cube, &messages)?;
    machine.disturbance = disturbance;
    machine.hearts = hearts;
    let addresses = wanted.processors(request.cube);
    Ok(Job::new(Box::new(machine), messages, addresses))
}
