//! The way of a message in the CM-1 that meets no other (cm1-message-router, section 3).
//!
//! In a petit cycle a message comes past every dimension of its chip, lowest first, and
//! crosses those in which it still differs, if the wire is free. Alone it finds all of
//! them free. Among others it may wait, or go another way.

use super::ecube;
use serde::Serialize;

/// One line of a hop table: chip `node` hands the message to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    pub node: u32,
    /// The dimension that is crossed.
    pub dim: u32,
    /// Address bit `dim` of `node`.
    pub bit: u32,
    /// Counted from 0, the one in which the message is injected.
    pub petit_cycle: u32,
    pub next: u32,
}

/// The hops of a message between chips, in the order in which they are made.
pub fn alone(source: u32, destination: u32) -> Vec<Hop> {
    let hop = |(node, dim, next)| Hop {
        node,
        dim,
        bit: node >> dim & 1,
        petit_cycle: 0,
        next,
    };
    ecube::hops(source, destination).map(hop).collect()
}
