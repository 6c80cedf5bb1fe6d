//! Metacube on the schedule of the cube (`metacube-total-exchange`): nodes with one UART and m + k
//! links.
//!
//! The metacube uses the circuits, driver and bookkeeping of the [TDMA machine](super::tdma). A
//! cube is the special case of a metacube with one class.
//!
//! * `flags`: its flags; `way`: routes by the paper's table;
//! * `traffic`: messages of a run; `exchange`: plans of a total exchange.

mod exchange;
mod flags;
mod table_route;
mod traffic;

use super::tdma::cube::CubeCircuit;
use super::tdma::{CompiledTraffic, ProgramRequest, ScheduleCompiler, Tdma, DATA_FLAGS};
use super::{
    ComparisonSetting, DeadlockModel, Machine, MachineJob, Network, NetworkError, NetworkNotes,
    NetworkRoute, Purpose, RunRequest,
};
use crate::JsonEntry;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use exchange::ExchangeKind;
use flags::{MetacubeBenchFlags, MetacubeFlags, MetacubeRunFlags, RouteFlags};
use interconnect::routing::dependencies::Switching;
use interconnect::routing::metacube::MetacubeRouting;
use interconnect::topology::{Metacube, Topology};
use interconnect::traffic::PAYLOAD_MAX;
use rtl::tdma::MachineNode;
use traffic::Traffic;

/// The metacube network.
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
        let disturbance = flags
            .disturbance
            .machine_faults(&routing.metacube, request.recipe.seed)?;
        if request.programs.is_some() && flags.exchange.is_some() {
            return Err(NetworkError::bad(
                "--exchange sends messages, and a run with --data has none; accepted: one of them",
            ));
        }
        let compiled =
            match CompiledTraffic::from_flags(&flags.compiled, request, routing.metacube)? {
                Some(asked) => Some(asked),
                None => match flags.exchange {
                    None | Some(ExchangeKind::Lockstep) => None,
                    Some(plan) => Some(exchange::compiled_exchange(
                        plan,
                        request,
                        routing.metacube,
                    )?),
                },
            };
        let remark = || {
            flags
                .held
                .then(|| exchange::circuit_conflicts(routing.metacube))
        };
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
        let program = flags.program.program(request.programs.is_some());
        request.check_programs(program.is_some(), !disturbance.is_none())?;
        let mut machine = traffic.machine(routing, request.programs, program)?;
        machine.profile = flags.program.profile;
        machine.faults = disturbance;
        flags.clocks.apply(&mut machine, request)?;
        Ok(MachineJob {
            limit: flags.superframes,
            remark: remark(),
            ..traffic.job(machine)
        })
    }

    fn bench_job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let flags = MetacubeBenchFlags::from_arg_matches(request.flags)?;
        let routing = flags.metacube.routing(request.cube.dims().into())?;
        let traffic = Traffic::of(request, routing.metacube)?;
        let machine = traffic.machine(routing, None, flags.program.program())?;
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
            None => super::route::route_by_relation(&routing, dims, ends),
            Some(table) => table_route::route_by_table(table, routing.metacube, ends),
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
