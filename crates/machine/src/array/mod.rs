//! Machine as a node circuit plus a topology (docs/machine.md, "A machine"). The machine consists
//! of one circuit for all nodes, one shared circuit, and their wiring.
//!
//! An [`Array`] describes it once, and each engine converts it to its own form. The evaluator and
//! Verilator use the [`whole`](Array::whole) machine. The lockstep engine and the reference use it
//! node by node.

mod assembly;
mod fleet;
mod lanes;
mod whole;
mod wire;

pub use assembly::{Assembly, BlockEngines};
pub use wire::{Feed, InputWiring, OutputBit};

use lockstep::design::{Design, SignalKind};

/// Machine as a circuit.
#[derive(Clone, Debug)]
pub struct Array {
    /// Module name of the whole machine (`cube`).
    pub name: String,
    /// Description in a sentence.
    pub doc: String,
    pub node: Design,
    pub nodes: usize,
    /// Circuit that exists once in the machine. Its inputs come from outside, and all its outputs
    /// are visible.
    pub shared: Design,
    /// Inputs of a node that do not come from outside.
    pub wiring: Vec<InputWiring>,
}

impl Array {
    /// Names of a node's outputs, in order.
    pub fn outputs(&self) -> Vec<String> {
        let ports = self.node.top().ports();
        let outputs = ports.filter(|(_, port)| port.kind == SignalKind::Output);
        outputs.map(|(_, port)| port.name.clone()).collect()
    }

    /// Number of lines from the shared circuit to every node.
    pub fn broadcast_lines(&self) -> u32 {
        let shared = self
            .wiring
            .iter()
            .filter(|wire| matches!(wire.feed, Feed::Shared(_)));
        let ports = shared.filter_map(|wire| self.node.top().port(&wire.input));
        ports.map(|(_, port)| port.width()).sum()
    }

    /// Source of this input of a node, or `None` if it comes from outside.
    pub fn feed(&self, input: &str) -> Option<&Feed> {
        let wire = self.wiring.iter().find(|wire| wire.input == input)?;
        Some(&wire.feed)
    }
}
