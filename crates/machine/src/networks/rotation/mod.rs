//! Minimal rotation on the cube (`minimal-rotation-routing`), on byte channels.
//!
//! * [`RotationShape`]: parameters of a machine; [`RotationCircuit`]: its circuit;
//! * `way`: routes and packets, for the [driver](super::bytes);
//! * `flags`, `machine`: builds a machine for given messages.

mod byte_shape;
mod circuit;
mod flags;
mod machine;
mod shape;

pub use circuit::RotationCircuit;
pub use shape::{RotationShape, RotationShapeError};

use super::{
    ComparisonSetting, DeadlockModel, Machine, MachineJob, Network, NetworkError, NetworkNotes,
    Purpose, RunRequest,
};
use crate::flags::FlagChoice;
use crate::format_count::format_count;
use crate::JsonEntry;
use anyhow::{anyhow, Context};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use flags::RotationFlags;
use interconnect::routing::dependencies::Switching;
use interconnect::routing::rotation::RotationRule;
use machine::RotationMachine;

/// The minimal rotation network.
pub struct RotationNetwork;

pub const ROTATION: RotationNetwork = RotationNetwork;

impl Network for RotationNetwork {
    fn name(&self) -> &'static str {
        "rotation"
    }

    fn about(&self) -> &'static str {
        "minimal rotation on the hypercube, on the torus's channels"
    }

    fn flags(&self, command: Command, _: Purpose) -> Command {
        RotationFlags::augment_args(command)
    }

    fn accepts_flag(&self, flag: &str) -> bool {
        ["trace", "dead"].contains(&flag)
    }

    fn job(&self, request: &RunRequest) -> Result<MachineJob, NetworkError> {
        let shape = shape(request.flags, request.cube.dims().into())?;
        let messages = request.messages(request.cube)?;
        let machine = RotationMachine::new(shape, 0, messages.longest());
        Ok(MachineJob::new(Box::new(machine), messages, request.cube))
    }

    fn machines_to_compare(
        &self,
        setting: &ComparisonSetting,
    ) -> Result<Vec<Box<dyn Machine>>, NetworkError> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        let machine = RotationMachine::new(shape, setting.proc_bits, setting.payload);
        Ok(vec![Box::new(machine)])
    }

    /// Lists only the flags that were given.
    fn settings(&self, setting: &ComparisonSetting) -> Result<Vec<JsonEntry>, NetworkError> {
        let flags = RotationFlags::from_arg_matches(setting.flags)?;
        let entries = [
            flags.rule.map(|rule| JsonEntry::new("rule", rule.name())),
            flags
                .first_hop
                .map(|how| JsonEntry::new("first_hop", how.name())),
            flags.bytes.vcs.map(|vcs| JsonEntry::new("vcs", vcs)),
            flags
                .bytes
                .queue
                .map(|queue| JsonEntry::new("queue", queue)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &ComparisonSetting) -> Result<NetworkNotes, NetworkError> {
        let plan = shape(setting.flags, setting.cube.dims().into())?.plan();
        Ok(NetworkNotes {
            parameters: Some(format!(
                "rotation by the rule {}, {} and queues of {} bytes",
                plan.rule.name(),
                format_count(plan.channels, "virtual channel"),
                plan.queue
            )),
            terms: "By minimal rotation a packet crosses the dimensions of a cube from left to \
                    right, round its address, byte by byte.",
            silicon_excludes: "A rotation switch would be a chip of its own.",
            time_includes: "A rotation bit-time is one clock cycle.",
            wire_definition:
                "A rotation channel is used one way, one each way between two nodes; it has a \
                    wire for each bit of a byte, and for each virtual channel a request and, back, \
                    an acknowledge; its steps are clock cycles, its periods packet times.",
            arrival: "Those of rotation end when the last byte of a packet is handed to the \
                      processor of its destination; header, encoding and tail are in.",
        })
    }

    fn deadlock_model(&self, dims: u64, flags: &ArgMatches) -> Result<DeadlockModel, NetworkError> {
        Ok(DeadlockModel {
            relation: shape(flags, dims)?.relation(),
            holding: Switching::Wormhole,
            no_deadlock_reason: None,
        })
    }
}

/// Returns the parameters that the flags select.
fn shape(flags: &ArgMatches, dims: u64) -> Result<RotationShape, NetworkError> {
    let own = RotationFlags::from_arg_matches(flags)?;
    let shape = own.shape(dims)?;
    let has_failed = flags::failed_switch(flags)?.is_some();
    if own.first_hop.is_some() && (has_failed || shape.plan().rule != RotationRule::Minimal) {
        let other = if has_failed {
            "--dead"
        } else {
            "--rule thacker"
        };
        return Err(NetworkError::bad(format!(
            "--first-hop does not go with {other}, which has its own method; accepted: no \
             --first-hop"
        )));
    }
    let Some(node) = flags::failed_switch(flags)? else {
        return Ok(shape);
    };
    let node = shape.cube().address(node).context("--dead");
    let rewired = shape.with_failed(node.map_err(NetworkError::BadInput)?);
    rewired.map_err(|e| NetworkError::BadInput(anyhow!(e).context("--dead")))
}
