//! The networks that carry the same messages one beside the other: the registry
//! of docs/machine.md, "A machine". A new network is one line in [`NETWORKS`].
//!
//! * [`Contender`]: a machine of some network, in the words that all have;
//! * [`Travelling`]: the messages that leave their node, the same for all;
//! * [`Load`]: what it is to carry, between processors;
//! * [`Carried`]: what became of it, in bit-times;
//! * [`Silicon`]: the circuits of a node.

mod carried;
mod cm1;
mod cut;
mod silicon;
mod tdma;
mod travelling;

pub use carried::{Arrival, Carried};
pub use silicon::{memory_bits, Part, Silicon, WholeNode};
pub use travelling::Travelling;

use crate::engine::NodeEngine;
use crate::lower::LowerErrors;
use crate::machine::cm1::{Cm1RunError, TrafficError};
use crate::machine::cube::CubeRunError;
use crate::machine::MachineCircuit;
use crate::program::Firmware;
use crate::rtl::cm1::EjectMode;
use crate::topology::Hypercube;
use crate::traffic::Message;
use serde::Serialize;
use thiserror::Error;

/// What all machines of a comparison have in common, and what each network is
/// free to choose.
#[derive(Clone, Debug)]
pub struct Spec {
    /// A node at each corner: in the CM-1 a chip.
    pub cube: Hypercube,
    /// log2 of the processors of a node, 0 to 4.
    pub proc_bits: u32,
    /// Bytes of payload of the longest message.
    pub payload: usize,
    /// TDMA: receivers answer.
    pub acked: bool,
    /// TDMA: what soft nodes run; without one there are none.
    pub program: Option<Firmware>,
    /// CM-1: rows of a heart.
    pub rows: usize,
    /// CM-1: what a chip ejects in a petit cycle.
    pub eject: EjectMode,
}

/// Makes the machines of a network that are worth a line each.
pub type Make = fn(&Spec) -> Result<Vec<Box<dyn Contender>>, SpecError>;

/// Every network that can be compared, by its name.
pub const NETWORKS: &[(&str, Make)] = &[("tdma", tdma::contenders), ("cm1", cm1::contenders)];

/// Why a network has no machine for this.
#[derive(Debug, Error)]
pub enum SpecError {
    #[error("a cube of {dims} dimensions is too large; accepted: --dims 1 to {most}")]
    Dims { dims: u32, most: u32 },
    #[error("{rows} rows cannot be built; accepted: --rows 2 to 16")]
    Rows { rows: usize },
    #[error(
        "{payload} bytes of payload, and one that names the processor, are more than a TDMA \
         frame carries; accepted: a payload of up to {most} bytes, or --processors 1"
    )]
    Payload { payload: usize, most: usize },
}

/// Why a machine could not carry its messages to the end.
#[derive(Debug, Error)]
pub enum CarryError {
    #[error(transparent)]
    Tdma(#[from] CubeRunError),
    #[error(transparent)]
    Cm1(#[from] Cm1RunError),
    #[error(transparent)]
    Traffic(#[from] TrafficError),
}

/// Messages between processors, which are numbered node * P + processor.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    pub messages: &'a [Message],
    /// Of each message the bit-time in which its source has it; past the end of
    /// the list, from the start.
    pub created: &'a [u64],
}

impl<'a> Load<'a> {
    /// All messages are there at the start.
    pub fn at_once(messages: &'a [Message]) -> Self {
        Load {
            messages,
            created: &[],
        }
    }

    /// Of each message the first of these steps that begins when it is there.
    fn releases(&self, step: u64) -> Vec<u64> {
        let steps = self.created.iter().map(|created| created.div_ceil(step));
        steps.collect()
    }
}

/// The wires of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Wires {
    /// Wires between nodes, over nodes.
    pub per_node: f64,
    /// Ends of such wires at a node.
    pub pins: u32,
}

/// The time of a machine, in bit-times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Beat {
    /// Clock cycles in a bit-time.
    pub clocks_per_bit: u64,
    /// Messages set out and arrive in steps of so many bit-times: a phase, or a
    /// petit cycle.
    pub step: u64,
    /// In so many bit-times every wire can carry one message each way: a
    /// superframe, or a petit cycle.
    pub period: u64,
    /// What the period is called.
    pub period_name: &'static str,
}

/// A machine in a comparison.
pub trait Contender {
    /// The name of its network.
    fn network(&self) -> &'static str;

    /// What it is called in a table, without a comma.
    fn label(&self) -> &'static str;

    fn circuit(&self) -> &dyn MachineCircuit;

    fn beat(&self) -> Beat;

    /// Those between nodes; what one circuit tells all of them is in the array.
    fn wires(&self) -> Wires;

    /// Carries messages on an engine that has just been started with the circuit.
    /// `progress` is told how many periods are over and how many messages are not.
    ///
    /// # Errors
    /// If the circuit does not settle, or its clocks stand still.
    fn carry(
        &self,
        engine: &mut dyn NodeEngine,
        load: Load,
        progress: &mut dyn FnMut(u64, usize),
    ) -> Result<Carried, CarryError>;

    /// The circuits that are worth a synthesis; `None` if the cube is not one
    /// of [`SYNTHESISED`].
    ///
    /// # Errors
    /// None that a released circuit has: it is lowered in the tests.
    fn silicon(&self) -> Result<Option<Silicon>, LowerErrors>;
}

/// Dimensions of the cubes whose nodes are synthesised.
pub const SYNTHESISED: [u32; 2] = [3, 4];
