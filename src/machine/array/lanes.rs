//! Builds the lockstep engine from a node circuit and its wiring.

use super::{Array, Feed};
use crate::engine::{EngineError, LockstepEngine};
use lockstep::lanes::{Options, Source, Wiring};
use lockstep::netlist::flatten;

impl Array {
    /// Makes the lockstep engine of the machine, with one lane per node.
    ///
    /// # Errors
    /// If the circuits have combinational loops, or the engine can't be made.
    pub fn lockstep(&self, options: &Options) -> Result<LockstepEngine, EngineError> {
        let node = flatten(&self.node)?;
        let mut wiring = Wiring::new();
        wiring.helper(flatten(&self.shared)?);
        for wire in &self.wiring {
            match &wire.feed {
                Feed::Shared(output) => {
                    wiring.port(&wire.input, Source::helper(output));
                }
                Feed::Number => {
                    wiring.port(&wire.input, Source::LaneNumber);
                }
                Feed::Nodes(lines) => {
                    for (bit, line) in (0..).zip(lines) {
                        let source = Source::linked(&line.output, line.bit, line.node.clone());
                        wiring.bit(&wire.input, bit, source);
                    }
                }
            }
        }
        LockstepEngine::new(node, self.nodes, &wiring, options)
    }
}
