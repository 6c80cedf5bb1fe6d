//! A machine is a node circuit plus a topology (docs/machine.md, "A machine"): one
//! circuit for all nodes, one that there is one of, and how they are wired.
//!
//! An [`Array`] says so once; the engines take it in the form they can run. The
//! evaluator and Verilator want it [`whole`](Array::whole), the lockstep engine and
//! the reference node by node.

mod assembly;
mod fleet;
mod lanes;
mod whole;
mod wire;

pub use assembly::{Assembly, Blocks};
pub use wire::{Feed, Line, Wire};

use lockstep::design::{Design, SignalKind};

/// A machine, as a circuit.
#[derive(Clone, Debug)]
pub struct Array {
    /// The name of the whole as a module (`cube`).
    pub name: String,
    /// What it is, in a sentence.
    pub doc: String,
    pub node: Design,
    pub nodes: usize,
    /// The circuit that there is one of. Its inputs come from outside; all its
    /// outputs can be seen.
    pub shared: Design,
    /// The inputs of a node that do not come from outside.
    pub wiring: Vec<Wire>,
}

impl Array {
    /// The names of a node's outputs, in order.
    pub fn outputs(&self) -> Vec<String> {
        let ports = self.node.top().ports();
        let outputs = ports.filter(|(_, port)| port.kind == SignalKind::Output);
        outputs.map(|(_, port)| port.name.clone()).collect()
    }

    /// Lines from the shared circuit to every node.
    pub fn broadcast(&self) -> u32 {
        let shared = self
            .wiring
            .iter()
            .filter(|wire| matches!(wire.feed, Feed::Shared(_)));
        let ports = shared.filter_map(|wire| self.node.top().port(&wire.input));
        ports.map(|(_, port)| port.width()).sum()
    }

    /// What feeds this input of a node; `None` if it comes from outside.
    pub fn feed(&self, input: &str) -> Option<&Feed> {
        let wire = self.wiring.iter().find(|wire| wire.input == input)?;
        Some(&wire.feed)
    }
}
