//! What a switch is built for.

use super::Scheme;
use interconnect::routing::rotation::Rule;

/// How a switch finds the first dimension of a packet of its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FirstHop {
    /// By a table, at once; up to [`RotationPlan::TABLE_DIMS`] dimensions.
    Table,
    /// By comparing all rotations, one in each clock cycle.
    Serial,
}

/// The plan of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationPlan {
    /// Dimensions of the cube, 1 to 16.
    pub dims: usize,
    /// Virtual channels of a channel, where they can occur: 1 or 2.
    pub channels: usize,
    /// Bytes that a queue holds, at least one.
    pub queue: usize,
    pub rule: Rule,
    /// A switch has failed, and the others are wired past it: of minimal rotation in four
    /// dimensions. Pins say how.
    pub rewired: bool,
    /// Of minimal rotation; the other rule is at once the same everywhere.
    pub first: FirstHop,
}

impl RotationPlan {
    /// A table of more would be large.
    pub const TABLE_DIMS: usize = 8;

    /// Two virtual channels, queues of four bytes, a table if it is not too large.
    pub fn new(dims: usize) -> Self {
        RotationPlan {
            dims,
            channels: 2,
            queue: 4,
            rule: Rule::Minimal,
            rewired: false,
            first: match dims <= Self::TABLE_DIMS {
                true => FirstHop::Table,
                false => FirstHop::Serial,
            },
        }
    }

    /// What its crossbar is built for.
    pub fn scheme(self) -> Scheme {
        match (self.rewired, self.rule) {
            (true, _) => Scheme::Rewired,
            (false, Rule::Minimal) => Scheme::Minimal,
            (false, Rule::Thacker) => Scheme::Thacker,
        }
    }

    /// Bytes of a header.
    pub fn header(self) -> usize {
        self.dims.div_ceil(8)
    }
}
