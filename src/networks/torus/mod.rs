//! k-ary n-cube of byte-wide channels with two virtual channels each (`torus-routing-chip`).
//!
//! * [`TorusShape`]: parameters of a machine; [`TorusCircuit`]: its circuit;
//! * [`packet`]: a message as bytes;
//! * `way`: routes and queues, for the [driver](super::bytes);
//! * `flags`, `machine`: builds a machine for given messages;
//! * `verdicts`: claims of papers about load, and measured results.

mod channels;
mod circuit;
mod flags;
mod framing;
mod machine;
pub mod packet;
mod shape;
mod verdicts;
mod way;

pub use circuit::TorusCircuit;
pub use shape::{TorusShape, TorusShapeError};

use super::{
    Job, LoadFound, Machine, Network, Notes, Purpose, Refusal, Request, Setting, Verdict, Waiting,
};
use crate::counted::counted;
use crate::flags::{Choice, MACHINE_DIMS_MAX};
use crate::machine::Entry;
use crate::routing::dependencies::Holding;
use crate::topology::{Addresses, Topology};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use flags::TorusFlags;
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

    fn takes(&self, flag: &str) -> bool {
        ["trace", "logic_analyzer"].contains(&flag)
    }

    fn job(&self, request: &Request) -> Result<Job, Refusal> {
        let shape = simulated(request.flags, request.cube.dims().into())?;
        let nodes = shape.torus().nodes();
        let addresses = Addresses::new(nodes.into()).map_err(|e| Refusal::BadInput(e.into()))?;
        let messages = request.messages(addresses)?;
        let machine = TorusNetworkMachine::new(shape, 0, messages.longest());
        Ok(Job::new(Box::new(machine), messages, addresses))
    }

    /// Returns one machine. If the comparison has other machines, all have the same number of
    /// nodes.
    fn contenders(&self, setting: &Setting) -> Result<Vec<Box<dyn Machine>>, Refusal> {
        let shape = simulated(setting.flags, setting.cube.dims().into())?;
        let (nodes, wanted) = (shape.torus().nodes(), setting.cube.nodes());
        if nodes != wanted && !setting.alone {
            return Err(Refusal::bad(format!(
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
    fn settings(&self, setting: &Setting) -> Result<Vec<Entry>, Refusal> {
        let flags = TorusFlags::from_arg_matches(setting.flags)?;
        let radices: Vec<String> = flags.radix.iter().map(u32::to_string).collect();
        let radix = (!radices.is_empty()).then(|| Entry::new("radix", radices.join(",")));
        let entries = [
            radix,
            flags.bytes.vcs.map(|vcs| Entry::new("vcs", vcs)),
            flags.switch.map(|rule| Entry::new("switch", rule.name())),
            flags.tail.map(|tail| Entry::new("tail", tail.name())),
            flags.bytes.queue.map(|queue| Entry::new("queue", queue)),
        ];
        Ok(entries.into_iter().flatten().collect())
    }

    fn notes(&self, setting: &Setting) -> Result<Notes, Refusal> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        let plan = shape.plan();
        Ok(Notes {
            built: Some(format!(
                "torus of {}, {} and queues of {} bytes",
                radices(&shape),
                counted(plan.channels, "virtual channel"),
                plan.queue
            )),
            terms: "In a torus a packet goes down one ring after the other, byte by byte, and its \
                    bytes lie in the queues of several nodes at once. In a packet time, as many \
                    clock cycles as the longest packet has bytes, a channel can carry one packet.",
            price: "A torus node would be a chip of its own.",
            time:
                "A torus bit-time is one clock cycle, as that of a CM-1; nodes signal by request \
                   and acknowledge, and need no common step.",
            wires:
                "A torus channel is used one way; it has a wire for each bit of a byte, and for \
                    each virtual channel a request and, back, an acknowledge; its steps are clock \
                    cycles, its periods packet times.",
            arrival: "Those of the torus end when the last byte of a packet is handed to the \
                      processor of its destination; addresses, encoding and tail are in.",
        })
    }

    fn verdicts(&self, setting: &Setting, found: &LoadFound) -> Result<Vec<Verdict>, Refusal> {
        let shape = shape(setting.flags, setting.cube.dims().into())?;
        Ok(verdicts::verdicts(&shape, setting.payload, found))
    }

    fn waiting(&self, dims: u64, flags: &ArgMatches) -> Result<Waiting, Refusal> {
        let shape = shape(flags, dims)?;
        Ok(Waiting {
            relation: Box::new(shape.routing().clone()),
            holding: Holding::Stretched,
            way_out: None,
        })
    }
}

/// Returns the parameters of a machine to be simulated.
fn simulated(flags: &ArgMatches, dims: u64) -> Result<TorusShape, Refusal> {
    let shape = shape(flags, dims)?;
    match shape.torus().nodes() {
        ..=NODES_MAX => Ok(shape),
        nodes => Err(Refusal::bad(format!(
            "a machine of {nodes} nodes cannot be simulated; accepted: up to {NODES_MAX}"
        ))),
    }
}

/// Returns the parameters that the flags select.
fn shape(flags: &ArgMatches, dims: u64) -> Result<TorusShape, Refusal> {
    TorusFlags::from_arg_matches(flags)?.shape(dims)
}

/// Returns the radices as text: `4 x 2`.
fn radices(shape: &TorusShape) -> String {
    let radices = shape.torus().radices().iter();
    let radices: Vec<String> = radices.map(u32::to_string).collect();
    radices.join(" x ")
}
