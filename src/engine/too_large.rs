//! How large a machine the reference engine runs.

use crate::topology::Topology;
use thiserror::Error;

/// Nodes of the largest machine that the reference simulator runs: it is the slowest.
pub const REFERENCE_NODES: u32 = 16;

/// A machine that the reference engine is too slow for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the reference engine runs machines of up to {REFERENCE_NODES} nodes, the {machine} has {nodes}; accepted: a smaller machine, or another --engine")]
pub struct TooLarge {
    pub machine: String,
    pub nodes: u32,
}

impl TooLarge {
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
