//! The way of one message, as `route` prints it.

use super::Refusal;
use crate::machine::Entry;
use crate::topology::{Hypercube, Topology};
use anyhow::Context;

/// A hop of a way: `node` hands the message to `next`.
#[derive(Debug)]
pub struct WayHop {
    pub node: u32,
    pub next: u32,
    /// The columns between them, numbers or words, in the order of [`Way::columns`].
    pub cells: Vec<Entry>,
}

/// The way of a message that meets no other.
#[derive(Debug)]
pub struct Way {
    /// What it is the way of and where, in a line: `0x2 to 0x5 on the 3-cube`.
    pub title: String,
    /// How long it takes, in lines.
    pub summary: String,
    /// What the machine was built for, for `--json`.
    pub settings: Vec<Entry>,
    /// The names of the columns between `node` and `next`.
    pub columns: Vec<&'static str>,
    pub hops: Vec<WayHop>,
    /// Whose nodes these are.
    pub topology: Box<dyn Topology>,
}

/// Source and destination of a way on a cube.
///
/// # Errors
/// Which of them is no node of it.
pub(super) fn ends(cube: Hypercube, ends: [u64; 2]) -> Result<[u32; 2], Refusal> {
    let end = |what: &'static str, value| {
        let node = cube.address(value).context(what);
        node.map_err(Refusal::BadInput)
    };
    Ok([
        end("the source", ends[0])?,
        end("the destination", ends[1])?,
    ])
}
