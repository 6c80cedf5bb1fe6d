//! Adaptive bit-serial router of the CM-1 (`cm1-message-router`).
//!
//! [`Cm1Circuit`] is the machine as a circuit. [`Cm1Machine`] drives the processors' lines on any
//! engine, tracks every message and checks the outputs.
//!
//! * `driver`, `processors`, `pins`: the environment of the chips;
//! * `run`, `start`: inputs and results of a run, and complete runs;
//! * `disturbance`: noise, dead chips, broken wires;
//! * `ledger`, `stats`: fates of the messages, and statistics;
//! * `stream`, `traffic`: messages as bits, and lists of them;
//! * `flags`: its flags;
//! * `job`, `machine`: builds a machine for given messages;
//! * `hearts`: shows the rows of a chip;
//! * `standalone_heart`: a single heart, of each pipeline of section 3.4;
//! * `figure12`: the command that measures the paper's Figure 12.

mod circuit;
mod driver;
mod fault_injection;
mod figure12;
mod figure12_table;
mod flags;
mod hearts;
mod job;
mod ledger;
mod machine;
mod pins;
mod processors;
mod run;
mod standalone_heart;
mod start;
mod stats;
mod stream;
mod traffic;

pub use circuit::Cm1Circuit;
pub use driver::Cm1Driver;
pub use fault_injection::{BitFlip, Cm1Faults, StuckWire};
pub use flags::{parse_processors, parse_rows};
pub use job::Cm1Params;
pub use ledger::Cm1Counters;
pub use run::{Cm1Machine, Cm1Run};
pub use standalone_heart::{HeartError, HeartOutput, StandaloneHeart};
pub use stream::{decode, encode, BitStream, StreamFields};
pub use traffic::{Cm1Message, Cm1Shape, TrafficError};

use super::{
    ComparisonSetting, DeadlockModel, Machine, MachineJob, Network, NetworkCommand, NetworkError,
    NetworkHop, NetworkNotes, NetworkRoute, Purpose, RunRequest,
};
use crate::flags::FlagChoice;
use crate::format_count::format_count;
use crate::JsonEntry;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use flags::{Cm1CompareFlags, Cm1MachineFlags, Cm1RunFlags};
use interconnect::routing::cm1::lone_message_hops;
use interconnect::topology::Hypercube;
use rtl::cm1::EjectMode;

/// The CM-1 network.
pub struct Cm1Network;

pub const CM1: Cm1Network = Cm1Network;

impl FlagChoice for EjectMode {
    const OPTION_NAME: &'static str = "eject mode";
    const ACCEPTED: &'static [(&'static str, Self)] = &[
        ("or", Self::Or),
        ("per-processor", Self::PerProcessor),
        ("per-chip", Self::PerChip),
        ("bank", Self::Bank),
    ];
    const RESERVED: &'static [&'static str] = &[];
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
            Purpose::Run => Cm1RunFlags::augment_args(command),
            Purpose::Bench => Cm1MachineFlags::augment_args(command),
            Purpose::Compare => Cm1CompareFlags::augment_args(command),
            Purpose::Route => command,
        }
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = Cm1RunFlags::from_arg_matches(request.flags)?;
        let disturbance = flags.machine_faults(request.cube, request.recipe.seed)?;
        let hearts = flags.hearts(request.cube)?;
        build_job(flags.machine.params()?, request, disturbance, hearts)
    }

    fn bench_job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = Cm1MachineFlags::from_arg_matches(request.flags)?;
        build_job(flags.params()?, request, Cm1Faults::default(), vec![])
    }

    /// Returns one machine. Its messages are as long as the longest payload.
    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let flags = Cm1CompareFlags::from_arg_matches(setting.flags)?;
        let wanted = Cm1Params {
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

    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = Cm1CompareFlags::from_arg_matches(setting.flags)?;
        Ok(vec![
            JsonEntry::new("rows", flags.rows(setting.proc_bits)),
            JsonEntry::new("eject", flags.eject.name()),
        ])
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let flags = Cm1CompareFlags::from_arg_matches(setting.flags)?;
        Ok(NetworkNotes {
            parameters: Some(format!(
                "CM-1 with {} rows and {} ejection",
                flags.rows(setting.proc_bits),
                flags.eject.name()
            )),
            terms: "In a petit cycle the routers of a CM-1 take their messages past every dimension \
                    once; a message crosses those that it still has to, where the wire is free, and \
                    what has not arrived takes part in the next one. Messages are ORed if a chip \
                    hands several to one processor at once: their bits are mixed, and none can be \
                    read.",
            silicon_excludes: "A CM-1 router would be a chip of its own. A CM-1 bit-time is one clock cycle \
                    that both ends and the petit-cycle control must share. A CM-1 chip flags \
                    damage and cannot repeat.",
            time_includes: "",
            wire_definition: "A CM-1 wire is used one way; its steps and its periods are petit cycles.",
            arrival: "Those of the CM-1 end when the last bit of the last message reaches its \
                      processor; addresses, parity, the time in the hearts and hops in desperation \
                      are in.",
        })
    }

    /// In a petit cycle a message passes every dimension of its chip. A single message finds all
    /// wires free.
    fn route(
        &self,
        dims: u64,
        _: &ArgMatches,
        ends: [u64; 2],
    ) -> Result<NetworkRoute, NetworkError> {
        let cube = Hypercube::new(dims).map_err(|e| NetworkError::BadInput(e.into()))?;
        let [source, destination] = super::route::check_ends(&cube, ends)?;
        let hops = lone_message_hops(source, destination);
        Ok(NetworkRoute {
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
                format_count(hops.len(), "hop")
            ),
            settings: vec![JsonEntry::new("dims", dims)],
            columns: vec!["dim", "bit", "petit cycle"],
            hops: hops
                .iter()
                .map(|hop| NetworkHop {
                    node: hop.node,
                    next: hop.next,
                    names: [hop.node, hop.next].map(|node| cube.hex(node)),
                    cells: vec![
                        JsonEntry::new("dim", hop.dim),
                        JsonEntry::new("bit", hop.bit),
                        JsonEntry::new("petit_cycle", hop.petit_cycle),
                    ],
                })
                .collect(),
        })
    }

    fn deadlock_model(&self, _: u64, _: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        Err(NetworkError::bad(
            "messages of the CM-1 do not wait for channels: in a petit cycle all messages move at \
             once, and a message without a free wire stays or is deflected; accepted: a network \
             whose messages wait for channels",
        ))
    }

    fn commands(&self) -> &'static [NetworkCommand] {
        &[figure12::COMMAND]
    }
}

/// Returns a machine and its messages.
fn build_job(
    wanted: Cm1Params,
    request: &RunRequest,
    disturbance: Cm1Faults,
    hearts: Vec<usize>,
) -> Result<MachineJob, NetworkError> {
    if wanted.vp_ratio > 1 && request.writes_messages {
        return Err(NetworkError::bad(
            "a file of messages has no virtual processors; accepted: --vp-ratio 1, or no \
             --dump-traffic",
        ));
    }
    let messages = wanted.messages(request.cube, &request.recipe)?;
    let mut machine = wanted.machine(request.cube, &messages)?;
    machine.faults = disturbance;
    machine.hearts = hearts;
    let addresses = wanted.processors(request.cube);
    Ok(MachineJob::new(Box::new(machine), messages, addresses))
}
