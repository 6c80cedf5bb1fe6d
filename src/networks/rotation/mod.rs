//! Minimal rotation on the cube (`minimal-rotation-routing`), on byte channels.
//!
//! * [`RotationShape`]: parameters of a machine; [`RotationCircuit`]: its circuit;
//! * `way`: routes and packets, for the [driver](super::bytes);
//! * `flags`, `machine`: builds a machine for given messages.

mod circuit;
mod flags;
mod machine;
mod shape;
mod way;

pub use circuit::RotationCircuit;
pub use shape::{RotationShape, RotationShapeError};

use super::{Job, Machine, Network, Notes, Purpose, Refusal, Request, Setting, Waiting};
use crate::counted::counted;
use crate::flags::Choice;
use crate::machine::Entry;
use crate::routing::dependencies::Holding;
use crate::routing::rotation::Rule;
use anyhow::{anyhow, Context};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use flags::RotationFlags;
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

    fn takes(&self, flag: &str) -> bool {
        ["trace", "dead"].contains(&flag)
    }

    fn job(&self, request: &Request) -> Result<Job, Refusal> {
        let shape = shape(request.flags, request.cube.dims().into())?;
        let messages = request.messages(request.cube)?;
        let machine = RotationMachine::new(shape, 0, messages.longest());
        Ok(Job::new(Box::new(machine), messages, request.cube))
    }

    fn contenders(&self, setting: &Setting) -> Result<Vec<Box<dyn Machine>>, Refusal> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        let machine = RotationMachine::new(shape, setting.proc_bits, setting.payload);
        Ok(vec![Box::new(machine)])
    }

    /// Lists only the flags that were given.
    fn settings(&self, setting: &Setting) -> Result<Vec<Entry>, Refusal> {
        let flags = RotationFlags::from_arg_matches(setting.flags)?;
        let entries = [
            flags.rule.map(|rule| Entry::new("rule", rule.name())),
            flags
                .first_hop
                .map(|how| Entry::new("first_hop", how.name())),
            flags.bytes.vcs.map(|vcs| Entry::new("vcs", vcs)),
            flags.bytes.queue.map(|queue| Entry::new("queue", queue)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &Setting) -> Result<Notes, Refusal> {
        let plan = shape(setting.flags, setting.cube.dims().into())?.plan();
        Ok(Notes {
            built: Some(format!(
                "rotation by the rule {}, {} and queues of {} bytes",
                plan.rule.name(),
                counted(plan.channels, "virtual channel"),
                plan.queue
            )),
            terms: "By minimal rotation a packet crosses the dimensions of a cube from left to \
                    right, round its address, byte by byte.",
            price: "A rotation switch would be a chip of its own.",
            time: "A rotation bit-time is one clock cycle.",
            wires: "A rotation channel is used one way, one each way between two nodes; it has a \
                    wire for each bit of a byte, and for each virtual channel a request and, back, \
                    an acknowledge; its steps are clock cycles, its periods packet times.",
            arrival: "Those of rotation end when the last byte of a packet is handed to the \
                      processor of its destination; header, encoding and tail are in.",
        })
    }

    fn waiting(&self, dims: u64, flags: &ArgMatches) -> Result<Waiting, Refusal> {
        Ok(Waiting {
            relation: shape(flags, dims)?.relation(),
            holding: Holding::Stretched,
            way_out: None,
        })
    }
}

/// Returns the parameters that the flags select.
fn shape(flags: &ArgMatches, dims: u64) -> Result<RotationShape, Refusal> {
    let own = RotationFlags::from_arg_matches(flags)?;
    let shape = own.shape(dims)?;
    let has_failed = flags::failed(flags)?.is_some();
    if own.first_hop.is_some() && (has_failed || shape.plan().rule != Rule::Minimal) {
        let other = if has_failed {
            "--dead"
        } else {
            "--rule thacker"
        };
        return Err(Refusal::bad(format!(
            "--first-hop does not go with {other}, which finds the first dimension in one way only; \
             accepted: no --first-hop"
        )));
    }
    let Some(node) = flags::failed(flags)? else {
        return Ok(shape);
    };
    let node = shape.cube().address(node).context("--dead");
    let rewired = shape.with_failed(node.map_err(Refusal::BadInput)?);
    rewired.map_err(|e| Refusal::BadInput(anyhow!(e).context("--dead")))
}
