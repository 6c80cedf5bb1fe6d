//! A machine is a node circuit plus a topology (docs/machine.md, "A machine"): one
//! circuit for all nodes, one that there is one of, and how they are wired.
//!
//! An [`Array`] says so once; the engines take it in the form they can run. The
//! evaluator and Verilator want it [`whole`](Array::whole), the lockstep engine
//! node by node.

mod lanes;
mod whole;

use lockstep::lanes::LaneMap;
use lockstep::rtl::{Design, SignalKind};

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

/// What drives an input of every node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The input of the node.
    pub input: String,
    pub source: Source,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// This output of the shared circuit, the same for all nodes.
    Shared(String),
    /// The number of the node, in as many bits as the input has.
    Number,
    /// Outputs of other nodes: for each bit of the input, the lowest first.
    Nodes(Vec<Line>),
}

/// One bit of an output of another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub output: String,
    pub bit: u32,
    /// Which node: node `i` has the line of `node.from(i)`.
    pub node: LaneMap,
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
            .filter(|wire| matches!(wire.source, Source::Shared(_)));
        let ports = shared.filter_map(|wire| self.node.top().port(&wire.input));
        ports.map(|(_, port)| port.width()).sum()
    }

    /// What drives this input of a node; `None` if it comes from outside.
    pub fn source(&self, input: &str) -> Option<&Source> {
        let wire = self.wiring.iter().find(|wire| wire.input == input)?;
        Some(&wire.source)
    }
}
