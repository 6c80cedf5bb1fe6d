//! From a node circuit and its wiring to the lockstep engine.

use super::{Array, Source};
use crate::engine::{EngineError, LockstepEngine};
use lockstep::lanes::{self, Options, Wiring};
use lockstep::netlist::flatten;

impl Array {
    /// The machine in the lockstep engine, a lane for each node.
    ///
    /// # Errors
    /// If the circuits have combinational loops, or the engine can't be made.
    pub fn lockstep(&self, options: &Options) -> Result<LockstepEngine, EngineError> {
        let node = flatten(&self.node)?;
        let mut wiring = Wiring::new();
        wiring.helper(flatten(&self.shared)?);
        for wire in &self.wiring {
            match &wire.source {
                Source::Shared(output) => {
                    wiring.port(&wire.input, lanes::Source::helper(output));
                }
                Source::Number => {
                    wiring.port(&wire.input, lanes::Source::LaneNumber);
                }
                Source::Nodes(lines) => {
                    for (bit, line) in (0..).zip(lines) {
                        let source =
                            lanes::Source::linked(&line.output, line.bit, line.node.clone());
                        wiring.bit(&wire.input, bit, source);
                    }
                }
            }
        }
        LockstepEngine::new(node, self.nodes, &wiring, options)
    }
}
