//! Metacube on the schedule of the cube (`metacube-total-exchange`): nodes with one UART and m + k
//! links.
//!
//! The metacube uses the circuits, driver and bookkeeping of the [TDMA machine](super::tdma). A
//! cube is the special case of a metacube with one class.
//!
//! This file has the network, its flags, and the messages of a run. `exchange` has the plans of a
//! total exchange, and the routes by the paper's table.

mod exchange;

use super::tdma::cube::CubeCircuit;
use super::tdma::{CompiledTraffic, ProgramRequest, ScheduleCompiler, Tdma, DATA_FLAGS};
use super::{
    ComparisonSetting, DeadlockModel, Machine, MachineJob, Network, NetworkError, NetworkNotes,
    NetworkRoute, Purpose, RunRequest,
};
use crate::flags::{parse_metacube, within, FlagChoice};
use crate::networks::tdma::{
    ClockFlags, CompiledFlags, CubeFaultFlags, ProgramFlags, TdmaBenchFlags,
};
use crate::JsonEntry;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use exchange::ExchangeKind;
use interconnect::routing::dependencies::Switching;
use interconnect::routing::metacube::{ClassPaths, MetacubeRouting};
use interconnect::topology::{AddressSpace, Metacube, Topology};
use interconnect::traffic::{MessageList, TrafficPattern, PAYLOAD_MAX};
use rtl::tdma::MachineNode;

/// Registry entry of the metacube, `--network metacube`.
pub struct MetacubeNetwork;

pub const METACUBE: MetacubeNetwork = MetacubeNetwork;

impl Network for MetacubeNetwork {
    fn name(&self) -> &'static str {
        "metacube"
    }

    fn about(&self) -> &'static str {
        "clusters of cubes on the time schedule, with fewer links"
    }

    fn flags(&self, command: Command, purpose: Purpose) -> Command {
        match purpose {
            Purpose::Run => MetacubeRunFlags::augment_args(command),
            Purpose::Route => RouteFlags::augment_args(command),
            Purpose::Bench => MetacubeBenchFlags::augment_args(command),
            Purpose::Compare => MetacubeFlags::augment_args(command),
        }
    }

    fn accepts_flag(&self, flag: &str) -> bool {
        let own = ["trace", "logic_analyzer"];
        own.contains(&flag) || DATA_FLAGS.contains(&flag)
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = MetacubeRunFlags::from_arg_matches(request.flags)?;
        let routing = flags.metacube.routing(request.cube.dims().into())?;
        let disturbance =
            flags.disturbance.machine_faults(&routing.metacube, request.recipe.seed)?;
        if request.programs.is_some() && flags.exchange.is_some() {
            return Err(NetworkError::bad(
                "--exchange sends messages, and a run with --data has none; accepted: one of them",
            ));
        }
        let program = flags.program.program(request.programs.is_some())?;
        let compiled =
            match CompiledTraffic::from_flags(&flags.compiled, request, routing.metacube)? {
                Some(requested) => Some(requested),
                None => match flags.exchange {
                    None | Some(ExchangeKind::Lockstep) => None,
                    Some(plan) => {
                        Some(exchange::compiled_exchange(plan, request, routing.metacube)?)
                    }
                },
            };
        let remark = || flags.held.then(|| exchange::circuit_conflicts(routing.metacube));
        if let Some(compiled) = compiled {
            return Ok(MachineJob {
                limit: flags.superframes,
                remark: remark(),
                ..compiled.job(disturbance)?
            });
        }
        let traffic = match flags.exchange {
            Some(_) => exchange::lockstep_exchange(request, routing.metacube)?,
            None => Traffic::of(request, routing.metacube)?,
        };
        request.check_programs(program.is_some())?;
        let mut machine = traffic.machine(routing, request.programs, program)?;
        machine.profile = flags.program.profile;
        machine.faults = disturbance;
        flags.clocks.apply(&mut machine, request)?;
        Ok(MachineJob { limit: flags.superframes, remark: remark(), ..traffic.job(machine) })
    }

    fn bench_job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = MetacubeBenchFlags::from_arg_matches(request.flags)?;
        let routing = flags.metacube.routing(request.cube.dims().into())?;
        let traffic = Traffic::of(request, routing.metacube)?;
        let machine = traffic.machine(routing, None, flags.program.program()?)?;
        Ok(traffic.job(machine))
    }

    /// Returns one machine whose nodes run the program `route`, and one whose nodes have
    /// forwarders. If the comparison has other machines, all have the same number of nodes.
    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let routing = routing(setting)?;
        let (nodes, wanted) = (routing.metacube.nodes(), setting.cube.nodes());
        if nodes != wanted && !setting.alone {
            return Err(NetworkError::bad(format!(
                "{} has {nodes} nodes, the others have {wanted}; accepted: --metacube with \
                 {wanted} nodes, or no --metacube",
                routing.metacube.name()
            )));
        }
        let payload = setting.node_payload(PAYLOAD_MAX)?;
        let contender = |program| -> Result<Box<dyn Machine>, NetworkError> {
            let mut machine = machine(routing, payload, None, program)?;
            machine.proc_bits = setting.proc_bits;
            Ok(Box::new(machine))
        };
        let mut contenders = vec![contender(Some(ProgramRequest::route()))?, contender(None)?];
        if let Some(compiler) = ScheduleCompiler::new(routing.metacube, setting.proc_bits, payload)
        {
            contenders.push(Box::new(compiler));
        }
        Ok(contenders)
    }

    /// Lists only the flags that were given.
    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = MetacubeFlags::from_arg_matches(setting.flags)?;
        let entries = [
            flags.metacube.map(|m| JsonEntry::new("metacube", m.name())),
            flags.counts.map(|counts| JsonEntry::new("counts", counts)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let metacube = routing(setting)?.metacube;
        Ok(NetworkNotes {
            parameters: Some(format!("metacube {} with acked links", metacube.name())),
            terms: "A metacube is cubes whose corners are joined by smaller cubes. Its nodes take \
                    part in the schedule of a TDMA machine with fewer links each, so its \
                    superframes have fewer phases.",
            silicon_excludes: "A metacube node is a TDMA node with fewer wires and more registers.",
            time_includes: "The metacube's times are made up as those of the TDMA machine.",
            wire_definition: "A metacube's wires are those of a TDMA machine.",
            arrival: "Those of the metacube end as those of the TDMA machine.",
        })
    }

    fn route(
        &self,
        dims: u64,
        flags: &ArgMatches,
        ends: [u64; 2],
    ) -> Result<NetworkRoute, NetworkError> {
        let flags = RouteFlags::from_arg_matches(flags)?;
        let routing = flags.metacube.routing(dims)?;
        match flags.table {
            None => super::request::route_by_relation(&routing, dims, ends),
            Some(table) => exchange::route_by_table(table, routing.metacube, ends),
        }
    }

    fn deadlock_model(&self, dims: u64, flags: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        let flags = MetacubeFlags::from_arg_matches(flags)?;
        Ok(DeadlockModel {
            relation: Box::new(flags.routing(dims)?),
            holding: Switching::StoreAndForward,
            no_deadlock_reason: None,
        })
    }
}

/// Returns the routing for a setting.
fn routing(setting: &ComparisonSetting) -> Result<MetacubeRouting, NetworkError> {
    MetacubeFlags::from_arg_matches(setting.flags)?.routing(setting.cube.dims().into())
}

/// Returns a machine for messages of up to `payload` bytes. Without an order of links to be
/// programmed it runs in superframes. Its nodes run this program, or have forwarders.
fn machine(
    routing: MetacubeRouting,
    payload: usize,
    order: Option<&[u32]>,
    program: Option<ProgramRequest>,
) -> Result<Tdma, NetworkError> {
    let circuit = CubeCircuit::new(routing.metacube, payload, true);
    let circuit = match order {
        None => circuit,
        Some(order) => circuit.and_then(|circuit| circuit.programmed(order)),
    };
    let circuit = circuit.ok_or_else(|| too_large(routing.metacube))?;
    Ok(Tdma::new(circuit.with_counts(routing.counts), program))
}

fn too_large(metacube: Metacube) -> NetworkError {
    let known = MachineNode::METACUBES.map(|(k, m)| format!("{k},{m}"));
    NetworkError::size(format!(
        "{} is too large to be simulated; accepted: --metacube {}",
        metacube.name(),
        known.join(" or ")
    ))
}

// Flags of the metacube.

/// Flags of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network metacube")]
struct MetacubeFlags {
    /// Bits of a class and of a field: MC(K,M) has 2^(M 2^K + K) nodes, and --dims is ignored
    /// [default: the metacube with 2^N nodes]
    #[arg(long, value_name = "K,M", value_parser = parse_metacube)]
    pub metacube: Option<Metacube>,

    /// Distinct counts of crossed cross edges, each with its own buffer on each link, 1 to 5. With
    /// fewer than 2 (K = 1) or 5 (K = 2) messages can deadlock [default: 2 or 5]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1, 5))]
    pub counts: Option<u32>,
}

#[derive(Clone, Debug, Args)]
struct MetacubeBenchFlags {
    #[command(flatten)]
    pub metacube: MetacubeFlags,

    #[command(flatten)]
    pub program: TdmaBenchFlags,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "With --network metacube")]
struct RouteFlags {
    #[command(flatten)]
    pub metacube: MetacubeFlags,

    /// Routes by the table of the paper instead of the rule of the circuits: paper (Algorithm 4 and
    /// Table 1, corrected) or printed (as printed; some routes end at a wrong node)
    #[arg(long, value_name = "TABLE", value_parser = ClassPaths::parser(), hide_possible_values = true)]
    pub table: Option<ClassPaths>,
}

#[derive(Clone, Debug, Args)]
struct MetacubeRunFlags {
    #[command(flatten)]
    pub metacube: MetacubeFlags,

    #[command(flatten)]
    pub compiled: CompiledFlags,

    #[command(flatten)]
    pub disturbance: CubeFaultFlags,

    #[command(flatten)]
    pub clocks: ClockFlags,

    /// Total exchange by a plan in place of a pattern: lockstep (a programmed order of links, in
    /// which every node sends or receives in every phase), cyclic (in superframes, one offset after
    /// the other) or pipelined (in superframes, several offsets in flight); the last two are
    /// compiled
    #[arg(long, value_name = "PLAN", help_heading = "With --network metacube", value_parser = ExchangeKind::parser(), hide_possible_values = true)]
    pub exchange: Option<ExchangeKind>,

    /// Count the steps of a total exchange in which two circuits would need a link in the same
    /// direction if they were held from end to end, as in cut-through switching
    #[arg(long, requires = "exchange", help_heading = "With --network metacube")]
    pub held: bool,

    /// End the run after this number of superframes, even if messages are in flight
    #[arg(long, value_name = "N", help_heading = "Simulation", value_parser = within::<u64>(1, u32::MAX.into()))]
    pub superframes: Option<u64>,

    #[command(flatten)]
    pub program: ProgramFlags,
}

impl MetacubeFlags {
    /// Returns the metacube. Without `--metacube` it is the one with 2^`dims` nodes.
    ///
    /// # Errors
    /// If there is no such metacube.
    pub fn shape(&self, dims: u64) -> Result<Metacube, NetworkError> {
        match self.metacube {
            Some(metacube) => Ok(metacube),
            None => Metacube::of_cube(dims).map_err(NetworkError::size),
        }
    }

    /// Returns the routing of the metacube.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn routing(&self, dims: u64) -> Result<MetacubeRouting, NetworkError> {
        let routing = MetacubeRouting::new(self.shape(dims)?);
        Ok(MetacubeRouting { counts: self.counts.unwrap_or(routing.counts), ..routing })
    }
}

impl FlagChoice for ClassPaths {
    const OPTION_NAME: &'static str = "table";
    const ACCEPTED: &'static [(&'static str, Self)] =
        &[("paper", Self::Corrected), ("printed", Self::Printed)];
    const RESERVED: &'static [&'static str] = &[];
}

// Messages of a run, and the machine for them.

/// Messages, the times at which their sources have them, and a suitable order of links.
struct Traffic {
    pub messages: MessageList,
    pub addresses: AddressSpace,
    /// Pattern of the messages, if it differs from the recipe.
    pub pattern: Option<TrafficPattern>,
    /// For each message, the phase in which its source has it. Messages past the end of the list
    /// are available from the first phase.
    pub releases: Vec<u64>,
    /// Order of links by pairs of phases. `None` for superframes.
    pub order: Option<Vec<u32>>,
}

impl Traffic {
    /// Returns the messages of the recipe, or the given list.
    ///
    /// # Errors
    /// If the recipe does not fit this metacube.
    pub fn of(request: &RunRequest, metacube: Metacube) -> Result<Self, NetworkError> {
        let addresses = AddressSpace::from(metacube);
        Ok(Traffic {
            messages: request.messages(addresses)?,
            addresses,
            pattern: None,
            releases: vec![],
            order: None,
        })
    }

    /// Returns a machine for this traffic, whose nodes run this program or have forwarders.
    /// `programs` is the maximum payload in bytes of the messages between programs that are given
    /// data.
    ///
    /// # Errors
    /// If there is no machine of this size.
    pub fn machine(
        &self,
        routing: MetacubeRouting,
        programs: Option<usize>,
        program: Option<ProgramRequest>,
    ) -> Result<Tdma, NetworkError> {
        let order = self.order.as_deref();
        let payload = self.messages.longest().max(programs.unwrap_or(0));
        machine(routing, payload, order, program)
    }

    /// Returns the job for this machine.
    pub fn job(self, machine: Tdma) -> MachineJob {
        let phase = machine.timebase().step;
        let mut job = MachineJob::new(Box::new(machine), self.messages, self.addresses);
        job.pattern = self.pattern;
        job.load.created = self.releases.iter().map(|release| release * phase).collect();
        job
    }
}
