//! k-ary n-cube of byte-wide channels with two virtual channels each (`torus-routing-chip`).
//!
//! * [`TorusShape`]: parameters of a machine; [`TorusCircuit`]: its circuit;
//! * [`packet`]: a message as bytes;
//! * `way`: routes and queues, for the [driver](super::bytes);
//! * `flags`, `machine`: builds a machine for given messages;
//! * `verdicts`: claims of papers about load, and measured results.

mod byte_shape;
mod channels;
mod circuit;
mod flags;
mod framing;
mod machine;
pub mod packet;
mod shape;
mod verdicts;

pub use circuit::TorusCircuit;
pub use shape::{TorusShape, TorusShapeError};

use super::{
    ClaimVerdict, ComparisonSetting, DeadlockModel, LoadSweepResult, Machine, MachineJob, Network,
    NetworkError, NetworkNotes, Purpose, RunRequest,
};
use crate::flags::{FlagChoice, MACHINE_DIMS_MAX};
use crate::format_count::format_count;
use crate::JsonEntry;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use flags::TorusFlags;
use interconnect::routing::dependencies::Switching;
use interconnect::topology::{AddressSpace, Topology};
use machine::TorusNetworkMachine;

/// The torus network.
pub struct TorusNetwork;

pub const TORUS: TorusNetwork = TorusNetwork;

/// Maximum nodes of a simulated machine.
const NODES_MAX: u32 = 1 << MACHINE_DIMS_MAX;

impl Network for TorusNetwork {
    fn name(&self) -> &'static str {
        "torus"
    }

    fn about(&self) -> &'static str {
        "the torus routing chip: bytes through rings, on two virtual channels"
    }

    fn flags(&self, command: Command, _: Purpose) -> Command {
        TorusFlags::augment_args(command)
    }

    fn accepts_flag(&self, flag: &str) -> bool {
        ["trace", "logic_analyzer"].contains(&flag)
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let shape = simulated_shape(request.flags, request.cube.dims().into())?;
        let nodes = shape.torus().nodes();
        let addresses =
            AddressSpace::new(nodes.into()).map_err(|e| NetworkError::BadInput(e.into()))?;
        let messages = request.messages(addresses)?;
        let machine = TorusNetworkMachine::new(shape, 0, messages.longest());
        Ok(MachineJob::new(Box::new(machine), messages, addresses))
    }

    /// Returns one machine. If the comparison has other machines, all have the same number of
    /// nodes.
    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let shape = simulated_shape(setting.flags, setting.cube.dims().into())?;
        let (nodes, wanted) = (shape.torus().nodes(), setting.cube.nodes());
        if nodes != wanted && !setting.alone {
            return Err(NetworkError::bad(format!(
                "the {} has {nodes} nodes, the others have {wanted}; accepted: --radix with a \
                 product of {wanted}, or no --radix",
                shape.torus().name()
            )));
        }
        let machine = TorusNetworkMachine::new(shape, setting.proc_bits, setting.payload);
        Ok(vec![Box::new(machine)])
    }

    /// Lists only the flags that were given. All other parameters have the values of the paper's
    /// chip.
    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = TorusFlags::from_arg_matches(setting.flags)?;
        let radices: Vec<String> = flags.radix.iter().map(u32::to_string).collect();
        let radix = (!radices.is_empty()).then(|| JsonEntry::new("radix", radices.join(",")));
        let entries = [
            radix,
            flags.bytes.vcs.map(|vcs| JsonEntry::new("vcs", vcs)),
            flags
                .switch
                .map(|rule| JsonEntry::new("switch", rule.name())),
            flags.tail.map(|tail| JsonEntry::new("tail", tail.name())),
            flags
                .bytes
                .queue
                .map(|queue| JsonEntry::new("queue", queue)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        let plan = shape.plan();
        Ok(NetworkNotes {
            parameters: Some(format!(
                "torus of {}, {} and queues of {} bytes",
                radices(&shape),
                format_count(plan.channels, "virtual channel"),
                plan.queue
            )),
            terms: "In a torus a packet goes down one ring after the other, byte by byte, and its \
                    bytes lie in the queues of several nodes at once. In a packet time, as many \
                    clock cycles as the longest packet has bytes, a channel can carry one packet.",
            silicon_excludes: "A torus node would be a chip of its own.",
            time_includes:
                "A torus bit-time is one clock cycle, as that of a CM-1; nodes signal by request \
                   and acknowledge, and need no common step.",
            wire_definition:
                "A torus channel is used one way; it has a wire for each bit of a byte, and for \
                    each virtual channel a request and, back, an acknowledge; its steps are clock \
                    cycles, its periods packet times.",
            arrival: "Those of the torus end when the last byte of a packet is handed to the \
                      processor of its destination; addresses, encoding and tail are in.",
        })
    }

    fn verdicts(
        &self,
        setting: &ComparisonSetting,
        found: &LoadSweepResult,
    ) -> Result<Vec<ClaimVerdict>, NetworkError> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        Ok(verdicts::verdicts(&shape, setting.payload, found))
    }

    fn deadlock_model(&self, dims: u64, flags: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        let shape = shape(flags, dims)?;
        Ok(DeadlockModel {
            relation: Box::new(shape.routing().clone()),
            holding: Switching::Wormhole,
            no_deadlock_reason: None,
        })
    }
}

/// Returns the parameters of a machine to be simulated.
fn simulated_shape(flags: &ArgMatches, dims: u64) -> Result<TorusShape, NetworkError> {
    let shape = shape(flags, dims)?;
    match shape.torus().nodes() {
        ..=NODES_MAX => Ok(shape),
        nodes => Err(NetworkError::bad(format!(
            "a machine of {nodes} nodes cannot be simulated; accepted: up to {NODES_MAX}"
        ))),
    }
}

/// Returns the parameters that the flags select.
fn shape(flags: &ArgMatches, dims: u64) -> Result<TorusShape, NetworkError> {
    TorusFlags::from_arg_matches(flags)?.shape(dims)
}

/// Returns the radices as text: `4 x 2`.
fn radices(shape: &TorusShape) -> String {
    let radices = shape.torus().radices().iter();
    let radices: Vec<String> = radices.map(u32::to_string).collect();
    radices.join(" x ")
}
