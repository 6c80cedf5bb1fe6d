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
mod traffic;
mod way;

use super::tdma::cube::CubeCircuit;
use super::tdma::{Compiled, Compiler, Program, Tdma, DATA_FLAGS};
use super::{Job, Machine, Network, Notes, Purpose, Refusal, Request, Setting, Waiting, Way};
use crate::machine::Entry;
use crate::routing::dependencies::Holding;
use crate::routing::metacube::MetacubeRouting;
use crate::rtl::tdma::MachineNode;
use crate::topology::{Metacube, Topology};
use crate::traffic::PAYLOAD_MAX;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use exchange::Exchange;
use flags::{BenchFlags, MetacubeFlags, RouteFlags, RunFlags};
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
            Purpose::Run => RunFlags::augment_args(command),
            Purpose::Route => RouteFlags::augment_args(command),
            Purpose::Bench => BenchFlags::augment_args(command),
            Purpose::Compare => MetacubeFlags::augment_args(command),
        }
    }

    fn takes(&self, flag: &str) -> bool {
        let own = ["trace", "logic_analyzer"];
        own.contains(&flag) || DATA_FLAGS.contains(&flag)
    }

    fn job(&self, request: &Request) -> Result<Job, Refusal> {
        let flags = RunFlags::from_arg_matches(request.flags)?;
        let routing = flags.metacube.routing(request.cube.dims().into())?;
        let disturbance = flags
            .disturbance
            .checked(&routing.metacube, request.recipe.seed)?;
        if request.programs.is_some() && flags.exchange.is_some() {
            return Err(Refusal::bad(
                "--exchange is traffic, and with --data there is none; accepted: one of them",
            ));
        }
        let compiled = match Compiled::asked(&flags.compiled, request, routing.metacube)? {
            Some(asked) => Some(asked),
            None => match flags.exchange {
                None | Some(Exchange::Lockstep) => None,
                Some(plan) => Some(exchange::in_superframes(plan, request, routing.metacube)?),
            },
        };
        let remark = || flags.held.then(|| exchange::held(routing.metacube));
        if let Some(compiled) = compiled {
            return Ok(Job {
                limit: flags.superframes,
                remark: remark(),
                ..compiled.job(disturbance)?
            });
        }
        let traffic = match flags.exchange {
            Some(_) => exchange::lockstep(request, routing.metacube)?,
            None => Traffic::of(request, routing.metacube)?,
        };
        let program = flags.program.program(request.programs.is_some());
        request.check_programs(program.is_some(), !disturbance.is_none())?;
        let mut machine = traffic.machine(routing, request.programs, program)?;
        machine.profile = flags.program.profile;
        machine.disturbance = disturbance;
        flags.clocks.give(&mut machine, request)?;
        Ok(Job {
            limit: flags.superframes,
            remark: remark(),
            ..traffic.job(machine)
        })
    }

    fn measured(&self, request: &Request) -> Result<Job, Refusal> {
        let flags = BenchFlags::from_arg_matches(request.flags)?;
        let routing = flags.metacube.routing(request.cube.dims().into())?;
        let traffic = Traffic::of(request, routing.metacube)?;
        let machine = traffic.machine(routing, None, flags.program.program())?;
        Ok(traffic.job(machine))
    }

    /// Returns one machine whose nodes run the program `route`, and one whose nodes have
    /// forwarders. If the comparison has other machines, all have the same number of nodes.
    fn contenders(&self, setting: &Setting) -> Result<Vec<Box<dyn Machine>>, Refusal> {
        let routing = routing(setting)?;
        let (nodes, wanted) = (routing.metacube.nodes(), setting.cube.nodes());
        if nodes != wanted && !setting.alone {
            return Err(Refusal::bad(format!(
                "{} has {nodes} nodes, the others have {wanted}; accepted: --metacube with \
                 {wanted} nodes, or no --metacube",
                routing.metacube.name()
            )));
        }
        let payload = setting.node_payload(PAYLOAD_MAX)?;
        let contender = |program| -> Result<Box<dyn Machine>, Refusal> {
            let mut machine = machine(routing, payload, None, program)?;
            machine.proc_bits = setting.proc_bits;
            Ok(Box::new(machine))
        };
        let mut contenders = vec![contender(Some(Program::route()))?, contender(None)?];
        if let Some(compiler) = Compiler::new(routing.metacube, setting.proc_bits, payload) {
            contenders.push(Box::new(compiler));
        }
        Ok(contenders)
    }

    /// Lists only the flags that were given.
    fn settings(&self, setting: &Setting) -> Result<Vec<Entry>, Refusal> {
        let flags = MetacubeFlags::from_arg_matches(setting.flags)?;
        let entries = [
            flags.metacube.map(|m| Entry::new("metacube", m.name())),
            flags.counts.map(|counts| Entry::new("counts", counts)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &Setting) -> Result<Notes, Refusal> {
        let metacube = routing(setting)?.metacube;
        Ok(Notes {
            built: Some(format!("metacube {} with acked links", metacube.name())),
            terms: "A metacube is cubes whose corners are joined by smaller cubes. Its nodes take \
                    part in the schedule of a TDMA machine with fewer links each, so its \
                    superframes have fewer phases.",
            price: "A metacube node is a TDMA node with fewer wires and more registers.",
            time: "The metacube's times are made up as those of the TDMA machine.",
            wires: "A metacube's wires are those of a TDMA machine.",
            arrival: "Those of the metacube end as those of the TDMA machine.",
        })
    }

    fn way(&self, dims: u64, flags: &ArgMatches, ends: [u64; 2]) -> Result<Way, Refusal> {
        let flags = RouteFlags::from_arg_matches(flags)?;
        let routing = flags.metacube.routing(dims)?;
        match flags.table {
            None => super::way::of_relation(&routing, dims, ends),
            Some(table) => way::by_table(table, routing.metacube, ends),
        }
    }

    fn waiting(&self, dims: u64, flags: &ArgMatches) -> Result<Waiting, Refusal> {
        let flags = MetacubeFlags::from_arg_matches(flags)?;
        Ok(Waiting {
            relation: Box::new(flags.routing(dims)?),
            holding: Holding::Whole,
            way_out: None,
        })
    }
}

/// Returns the routing for a setting.
fn routing(setting: &Setting) -> Result<MetacubeRouting, Refusal> {
    MetacubeFlags::from_arg_matches(setting.flags)?.routing(setting.cube.dims().into())
}

/// Returns a machine for messages of up to `payload` bytes. Without an order of links to be
/// programmed it runs in superframes. Its nodes run this program, or have forwarders.
fn machine(
    routing: MetacubeRouting,
    payload: usize,
    order: Option<&[u32]>,
    program: Option<Program>,
) -> Result<Tdma, Refusal> {
    let circuit = CubeCircuit::new(routing.metacube, payload, true);
    let circuit = match order {
        None => circuit,
        Some(order) => circuit.and_then(|circuit| circuit.programmed(order)),
    };
    let circuit = circuit.ok_or_else(|| too_large(routing.metacube))?;
    Ok(Tdma::new(circuit.with_counts(routing.counts), program))
}

fn too_large(metacube: Metacube) -> Refusal {
    let known = MachineNode::METACUBES.map(|(k, m)| format!("{k},{m}"));
    Refusal::size(format!(
        "{} is too large to be simulated; accepted: --metacube {}",
        metacube.name(),
        known.join(" or ")
    ))
}
