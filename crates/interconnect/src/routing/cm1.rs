//! Path of a lone message in the CM-1 (cm1-message-router, section 3).
//!
//! In a petit cycle a message passes every dimension of its chip, lowest first. It crosses each
//! dimension in which it still differs from its destination, if the wire is free. A lone message
//! finds every wire free. With other traffic it may wait or take another path.

use super::ecube;
use serde::Serialize;

/// One line of a hop table: chip `node` sends the message to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cm1Hop {
    pub node: u32,
    /// Dimension of the hop.
    pub dim: u32,
    /// Address bit `dim` of `node`.
    pub bit: u32,
    /// Petit cycle of the hop, counted from 0 at injection.
    pub petit_cycle: u32,
    pub next: u32,
}

/// Returns the hops of a message between chips, in the order in which they are made.
pub fn lone_message_hops(source: u32, destination: u32) -> Vec<Cm1Hop> {
    let hop = |(node, dim, next)| Cm1Hop {
        node,
        dim,
        bit: node >> dim & 1,
        petit_cycle: 0,
        next,
    };
    ecube::hops(source, destination).map(hop).collect()
}
