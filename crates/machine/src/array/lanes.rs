//! Builds the lockstep engine from a node circuit and its wiring.

use super::{Array, Feed};
use engine::{EngineError, LockstepEngine};
use lockstep::lanes::{InputSource, LaneOptions, LaneWiring};
use lockstep::netlist::flatten;

impl Array {
    /// Makes the lockstep engine of the machine, with one lane per node.
    ///
    /// # Errors
    /// If the circuits have combinational loops, or the engine can't be made.
    pub fn lockstep(&self, options: &LaneOptions) -> Result<LockstepEngine, EngineError> {
        let node = flatten(&self.node)?;
        let mut wiring = LaneWiring::new();
        wiring.helper(flatten(&self.shared)?);
        for wire in &self.wiring {
            match &wire.feed {
                Feed::Shared(output) => {
                    wiring.port(&wire.input, InputSource::helper(output));
                }
                Feed::Number => {
                    wiring.port(&wire.input, InputSource::LaneNumber);
                }
                Feed::Nodes(lines) => {
                    for (bit, line) in (0..).zip(lines) {
                        let source = InputSource::linked(&line.output, line.bit, line.node.clone());
                        wiring.bit(&wire.input, bit, source);
                    }
                }
            }
        }
        LockstepEngine::new(node, self.nodes, &wiring, options)
    }
}
