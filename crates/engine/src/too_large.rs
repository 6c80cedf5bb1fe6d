//! Limit for the size of a machine on the reference engine.

use interconnect::topology::Topology;
use thiserror::Error;

/// Largest number of nodes on the reference simulator, which is the slowest engine.
pub const REFERENCE_NODES: u32 = 16;

/// The machine is too large for the reference engine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the reference engine runs machines of up to {REFERENCE_NODES} nodes, the {machine} has {nodes}; accepted: a smaller machine, or another --engine")]
pub struct TooLarge {
    pub machine: String,
    pub nodes: u32,
}

impl TooLarge {
    /// Checks the size of the machine.
    ///
    /// # Errors
    /// If the reference engine does not run machines of this size.
    pub fn check(topology: &dyn Topology) -> Result<(), TooLarge> {
        match topology.nodes() {
            ..=REFERENCE_NODES => Ok(()),
            nodes => Err(TooLarge {
                machine: topology.name(),
                nodes,
            }),
        }
    }
}
