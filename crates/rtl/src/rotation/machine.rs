//! The switch of a cube with minimal rotation, for a plan that is known only at run time.

use super::{RotationSwitch, Scheme};
use hdl::lower::Circuit;
use interconnect::routing::rotation::RotationRule;

/// Makes the [`RotationSwitch`] of a plan, whose scheme and virtual channels are constants.
pub fn switch(plan: RotationPlan) -> Box<dyn Circuit> {
    match (plan.scheme(), plan.channels) {
        (Scheme::Minimal, 1) => Box::new(RotationSwitch::<0, 1>::new(plan)),
        (Scheme::Minimal, _) => Box::new(RotationSwitch::<0, 2>::new(plan)),
        (Scheme::Thacker, 1) => Box::new(RotationSwitch::<1, 1>::new(plan)),
        (Scheme::Thacker, _) => Box::new(RotationSwitch::<1, 2>::new(plan)),
        (Scheme::Rewired, 1) => Box::new(RotationSwitch::<2, 1>::new(plan)),
        (Scheme::Rewired, _) => Box::new(RotationSwitch::<2, 2>::new(plan)),
    }
}

// The parameters of a switch.

/// Method by which a switch finds the first dimension of a packet from its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FirstHop {
    /// By a table, in the same clock cycle; up to [`RotationPlan::TABLE_DIMS`] dimensions.
    Table,
    /// By comparing all rotations, one in each clock cycle.
    Serial,
}

/// Parameters of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationPlan {
    /// Number of dimensions of the cube, 1 to 16.
    pub dims: usize,
    /// Number of virtual channels of a channel, where they can occur: 1 or 2.
    pub channels: usize,
    /// Capacity of a queue in bytes, at least one.
    pub queue: usize,
    pub rule: RotationRule,
    /// A switch has failed, and the others are wired around it. Only for minimal rotation in four
    /// dimensions. Pins select the wiring.
    pub rewired: bool,
    /// Method of the first hop of minimal rotation. Thacker's rule is combinational and the same at
    /// every node.
    pub first: FirstHop,
}

impl RotationPlan {
    /// Maximum number of dimensions of a table. More would make it large.
    pub const TABLE_DIMS: usize = 8;

    /// Makes the default plan: two virtual channels, queues of four bytes, and a table if it is not
    /// too large.
    pub fn new(dims: usize) -> Self {
        RotationPlan {
            dims,
            channels: 2,
            queue: 4,
            rule: RotationRule::Minimal,
            rewired: false,
            first: match dims <= Self::TABLE_DIMS {
                true => FirstHop::Table,
                false => FirstHop::Serial,
            },
        }
    }

    /// Scheme that the crossbar is built for.
    pub fn scheme(self) -> Scheme {
        match (self.rewired, self.rule) {
            (true, _) => Scheme::Rewired,
            (false, RotationRule::Minimal) => Scheme::Minimal,
            (false, RotationRule::Thacker) => Scheme::Thacker,
        }
    }

    /// Number of bytes of a header.
    pub fn header(self) -> usize {
        self.dims.div_ceil(8)
    }
}
