//! Hypercube whose only router is a time schedule (`tdma-hypercube`).
//!
//! * `frame`: format of a frame, and kinds of links ([`LinkKind`]);
//! * `timing`: length of a phase, and the time that a node has to decide what it sends;
//! * `two_nodes`: two nodes on one wire, the simplest machine;
//! * [`cube`]: the cube with traffic: circuit, hosts, bookkeeping, faults;
//! * `machine`: the machine of a run or a comparison;
//! * `compiled`: runs by a compiled schedule, and its compilation for a comparison;
//! * `flags`: flags of the commands, of programs, of faults, and of the nodes' clocks;
//! * [`wires`]: decoding of a wire for observers;
//! * `profile`, `line_profile`: activity of the cores over time, and by source line;
//! * [`hosted`]: the cube with its host on a board;
//! * [`on_board`]: machines for a board, and the nodes for synthesis;
//! * [`skew`]: two UARTs with different clocks.

mod compiled;
pub mod cube;
mod flags;
mod frame;
pub mod hosted;
mod line_profile;
mod machine;
pub mod on_board;
mod profile;
pub mod skew;
mod timing;
mod two_nodes;
pub mod wires;

use super::{
    ComparisonSetting, DeadlockModel, Machine, MachineJob, Network, NetworkError, NetworkHop,
    NetworkNotes, NetworkRoute, Purpose, RunRequest,
};
use crate::flags::FlagChoice;
use crate::networks::tdma::cube::CubeCircuit;
use crate::text::format_count;
use crate::JsonEntry;
use clap::{ArgMatches, Args, Command, FromArgMatches};
pub(super) use compiled::{CompiledFlags, CompiledTraffic, ScheduleCompiler};
use flags::TdmaRunFlags;
pub(super) use flags::{ClockFlags, CubeFaultFlags, ProgramFlags, TdmaBenchFlags};
pub use frame::{
    FrameError, LinkFlags, LinkKind, TdmaFrame, HEADER_ROUTED, HEADER_SEQUENCE, OVERHEAD,
};
use interconnect::routing::dependencies::Switching;
use interconnect::routing::hypercube::{AdaptiveRouting, ECube};
use interconnect::routing::tdma::{Hop, PhaseSchedule, Routing};
use interconnect::routing::Schedule;
use interconnect::topology::Hypercube;
use interconnect::traffic::PAYLOAD_MAX;
pub(super) use machine::{ProgramRequest, Tdma};
pub use profile::{profile_text, CoreProfile, Profiler};
use rtl::tdma::MachineNode;
pub use timing::PhaseTiming;
pub use two_nodes::{LinkMachine, LinkRun, LinkRunError};

/// Flags of `run` for networks whose nodes run programs.
pub(super) const DATA_FLAGS: [&str; 6] =
    ["data", "check", "results", "tolerance", "max_values", "node"];

/// Registry entry of the TDMA cube, `--network tdma`.
pub struct TdmaNetwork;

pub const TDMA: TdmaNetwork = TdmaNetwork;

impl Network for TdmaNetwork {
    fn name(&self) -> &'static str {
        "tdma"
    }

    fn title(&self) -> &'static str {
        "TDMA"
    }

    fn about(&self) -> &'static str {
        "the hypercube whose only router is a time schedule"
    }

    fn flags(&self, command: Command, purpose: Purpose) -> Command {
        match purpose {
            Purpose::Run => TdmaRunFlags::augment_args(command),
            Purpose::Bench => TdmaBenchFlags::augment_args(command),
            Purpose::Compare => LinkFlags::augment_args(command),
            Purpose::Route => command,
        }
    }

    fn accepts_flag(&self, flag: &str) -> bool {
        let own = ["trace", "logic_analyzer"];
        own.contains(&flag) || DATA_FLAGS.contains(&flag)
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = TdmaRunFlags::from_arg_matches(request.flags)?;
        let cube = request.cube;
        flags.routing()?;
        let program = flags.program.program(request.programs.is_some())?;
        let disturbance = flags.disturbance.machine_faults(&cube, request.recipe.seed)?;
        if let Some(compiled) = CompiledTraffic::from_flags(&flags.compiled, request, cube.into())?
        {
            return Ok(MachineJob { limit: flags.superframes, ..compiled.job(disturbance)? });
        }
        let messages = request.messages(cube)?;
        request.check_programs(program.is_some())?;
        let payload = messages.longest().max(request.programs.unwrap_or(0));
        let mut machine = Tdma::new(flags.circuit(cube, payload)?, program);
        machine.faults = disturbance;
        machine.profile = flags.program.profile;
        flags.clocks.apply(&mut machine, request)?;
        Ok(MachineJob {
            limit: flags.superframes,
            ..MachineJob::new(Box::new(machine), messages, cube)
        })
    }

    fn bench_job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = TdmaBenchFlags::from_arg_matches(request.flags)?;
        let cube = request.cube;
        let messages = request.messages(cube)?;
        let circuit = CubeCircuit::new(cube, messages.longest(), true);
        let circuit = circuit.ok_or_else(|| too_large(cube))?;
        let machine = Box::new(Tdma::new(circuit, flags.program()?));
        Ok(MachineJob::new(machine, messages, cube))
    }

    /// Returns the machines of a comparison. Their nodes run the program `route`, have forwarders,
    /// or follow a schedule compiled for the messages. If links have answers, the first two kinds
    /// are repeated with adaptive routing. With several processors a node carries the messages of
    /// all of them, one after the other. A message then has one more byte, before its payload, that
    /// selects the processor.
    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let flags = LinkFlags::from_arg_matches(setting.flags)?;
        flags.check()?;
        let payload = setting.node_payload(PAYLOAD_MAX)?;
        let circuit = CubeCircuit::new(setting.cube, payload, flags.link() == LinkKind::Acked);
        let circuit = circuit.ok_or_else(|| too_large(setting.cube))?;
        let circuit = circuit.with_order(flags.service_order());
        let machine = |circuit: &CubeCircuit, program| -> Box<dyn Machine> {
            let mut machine = Tdma::new(circuit.clone(), program);
            machine.proc_bits = setting.proc_bits;
            Box::new(machine)
        };
        let mut contenders =
            vec![machine(&circuit, Some(ProgramRequest::route())), machine(&circuit, None)];
        if flags.link() == LinkKind::Acked {
            let circuit = circuit.adaptive();
            contenders.push(machine(&circuit, Some(ProgramRequest::route())));
            contenders.push(machine(&circuit, None));
        }
        let compiler = ScheduleCompiler::new(setting.cube, setting.proc_bits, payload);
        let compiler = compiler.ok_or_else(|| too_large(setting.cube))?;
        contenders.push(Box::new(compiler));
        Ok(contenders)
    }

    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = LinkFlags::from_arg_matches(setting.flags)?;
        let order = flags.service_order;
        let order = order.map(|order| JsonEntry::new("service_order", order.name()));
        let link = JsonEntry::new("link", flags.link().name());
        Ok([Some(link), order].into_iter().flatten().collect())
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let flags = LinkFlags::from_arg_matches(setting.flags)?;
        Ok(NetworkNotes {
            parameters: Some(format!("TDMA with {} links", flags.link().name())),
            terms: "In a phase each node of a TDMA machine sends on one of its wires, or listens \
                    to it. A superframe, twice as many phases as dimensions, is a turn for every \
                    wire in each of its directions.",
            silicon_excludes: "Where nodes are microcontrollers, core, UART and pins are there anyway, and a \
                    schedule adds a program to them. A TDMA wire is open-drain, slow enough for a \
                    UART, and needs nothing but the same idea of a phase at both ends. A TDMA \
                    node with acked links repeats a frame that was damaged.",
            time_includes: "The TDMA figures hold a window in every phase for the slowest decision that a \
                   node may take, and answers if links are acked, whether they are needed or not. \
                   A machine that follows a compiled schedule receives all messages beforehand. The time to make its schedule \
                   and to load it into the nodes is not in its figures. It neither answers nor \
                   repeats a frame.",
            wire_definition: "A TDMA wire is used both ways in turn; its steps are phases, its periods \
                    superframes.",
            arrival: "Those of the TDMA machines end with the phase in which the last message is \
                      in the register of its destination, where the node's software finds it; \
                      frames with header and CRC, answers, windows for the software and guards \
                      are in.",
        })
    }

    fn route(
        &self,
        dims: u64,
        _: &ArgMatches,
        ends: [u64; 2],
    ) -> Result<NetworkRoute, NetworkError> {
        let cube = Hypercube::new(dims).map_err(|e| NetworkError::BadInput(e.into()))?;
        let [source, destination] = super::request::check_ends(&cube, ends)?;
        let schedule = PhaseSchedule::new(cube);
        let hops = schedule.hops(source, destination);
        Ok(NetworkRoute {
            title: format!("{} to {} on the {dims}-cube", cube.hex(source), cube.hex(destination)),
            summary: summary(&schedule, &hops),
            settings: vec![JsonEntry::new("dims", dims)],
            columns: vec!["dim", "bit", "phase"],
            hops: hops
                .iter()
                .map(|hop| NetworkHop {
                    node: hop.node,
                    next: hop.next,
                    names: [hop.node, hop.next].map(|node| cube.hex(node)),
                    cells: vec![
                        JsonEntry::new("dim", hop.dim),
                        JsonEntry::new("bit", hop.bit),
                        JsonEntry::new("phase", hop.phase),
                    ],
                })
                .collect(),
        })
    }

    fn deadlock_model(&self, dims: u64, flags: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        let cube = Hypercube::new(dims).map_err(|e| NetworkError::BadInput(e.into()))?;
        let holding = Switching::StoreAndForward;
        // Commands that only examine routes have no such flag.
        let routing = match flags.try_contains_id("routing") {
            Ok(_) => TdmaRunFlags::from_arg_matches(flags)?.routing()?,
            Err(_) => Routing::ECube,
        };
        Ok(match routing {
            Routing::ECube => {
                DeadlockModel { relation: Box::new(ECube(cube)), holding, no_deadlock_reason: None }
            }
            Routing::Adaptive => DeadlockModel {
                relation: Box::new(AdaptiveRouting(cube)),
                holding,
                no_deadlock_reason: Some(POOL_NO_DEADLOCK_REASON),
            },
        })
    }
}

/// Reason why messages of a pool do not deadlock.
const POOL_NO_DEADLOCK_REASON: &str =
    "This holds with a buffer for each link. The nodes of this machine have a pool of slots. A node \
     with fewer than three free slots sends in every phase of its own, so the message of its \
     neighbour finds a slot and no message waits for ever.";

fn too_large(cube: Hypercube) -> NetworkError {
    NetworkError::size(format!(
        "a cube of {} dimensions is too large; accepted: --dims 1 to {}",
        cube.dims(),
        MachineNode::MAX_DIMS
    ))
}

/// Returns the time that a message takes without contention.
fn summary(schedule: &PhaseSchedule, hops: &[Hop]) -> String {
    let Some(last) = hops.last() else {
        return "0 hops, 0 superframes; the message never enters the network".to_owned();
    };
    format!(
        "{}, {} of {} phases\n\
         Alone and ready in phase 0, the message arrives in phase {}.",
        format_count(hops.len(), "hop"),
        format_count(schedule.superframes(u64::from(last.phase) + 1), "superframe"),
        schedule.period(),
        last.phase,
    )
}
