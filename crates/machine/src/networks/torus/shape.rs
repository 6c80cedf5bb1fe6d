//! Parameters of a machine of torus routing chips.

use crate::networks::bytes::MAX_QUEUE;
use interconnect::routing::torus::{TorusRouting, VcSwitchNode};
use interconnect::topology::Torus;
use rtl::torus::{Tail, TorusPlan};
use thiserror::Error;

/// Torus and the plan of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorusShape {
    routing: TorusRouting,
    plan: TorusPlan,
}

/// Reason why there is no such machine. The message lists what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TorusShapeError {
    #[error("{0} virtual channels are not possible; accepted: 1 or 2")]
    Channels(usize),
    #[error("queues of {0} bytes are not possible; accepted: 1 to {max}", max = MAX_QUEUE)]
    Queue(usize),
    #[error("chips of {0} dimensions are not possible; accepted: 1 to {max}", max = TorusShape::MAX_CHIP_DIMS)]
    ChipDims(usize),
    #[error("a node of {chips} chips cannot tell a tail of zero from an address that a later chip takes off; accepted: a tail wire")]
    Tail { chips: usize },
}

impl TorusShape {
    pub const MAX_CHIP_DIMS: usize = 3;

    /// Creates a machine with the paper's chip: two virtual channels, queues of four bytes, and two
    /// dimensions to a chip. Packets change their virtual channel at coordinate 0.
    pub fn new(torus: Torus) -> Self {
        TorusShape {
            plan: TorusPlan::new(torus.dims()),
            routing: TorusRouting::new(torus, VcSwitchNode::AtOrigin),
        }
    }

    /// Returns the machine with this rule for the change of virtual channels.
    #[must_use]
    pub fn switching(mut self, switch: VcSwitchNode) -> Self {
        self.routing.switch = switch;
        self
    }

    /// Returns the machine with another plan of nodes. The number of dimensions stays the same.
    ///
    /// # Errors
    /// If there are no such nodes.
    pub fn with(mut self, plan: TorusPlan) -> Result<Self, TorusShapeError> {
        if !(1..=2).contains(&plan.channels) {
            return Err(TorusShapeError::Channels(plan.channels));
        }
        if !(1..=MAX_QUEUE).contains(&plan.queue) {
            return Err(TorusShapeError::Queue(plan.queue));
        }
        if !(1..=Self::MAX_CHIP_DIMS).contains(&plan.dims_per_chip) {
            return Err(TorusShapeError::ChipDims(plan.dims_per_chip));
        }
        let plan = TorusPlan {
            dims: self.routing.torus.dims(),
            ..plan
        };
        if plan.tail == Tail::Zero && plan.chips() > 1 {
            return Err(TorusShapeError::Tail {
                chips: plan.chips(),
            });
        }
        self.routing.channels = plan.channels;
        self.plan = plan;
        Ok(self)
    }

    /// Returns the bytes of the packet of a message with `payload` bytes.
    pub fn packet(&self, payload: usize) -> usize {
        self.plan.dims + self.plan.tail.data(payload) + 1
    }

    pub fn torus(&self) -> &Torus {
        &self.routing.torus
    }

    pub fn routing(&self) -> &TorusRouting {
        &self.routing
    }

    pub fn plan(&self) -> TorusPlan {
        self.plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_shapes_are_rejected_with_the_accepted_values() {
        let shape = TorusShape::new(Torus::new(&[4, 4, 4]).unwrap());
        let plan = shape.plan();
        assert_eq!((plan.tail, plan.chips()), (Tail::Wire, 2));
        let refused = |plan| shape.clone().with(plan).unwrap_err().to_string();
        let tail = Tail::Zero;
        assert_eq!(
            refused(TorusPlan { tail, ..plan }),
            "a node of 2 chips cannot tell a tail of zero from an address that a later chip takes off; accepted: a tail wire"
        );
        assert_eq!(
            refused(TorusPlan { queue: 0, ..plan }),
            "queues of 0 bytes are not possible; accepted: 1 to 64"
        );
        assert_eq!(
            refused(TorusPlan {
                channels: 3,
                ..plan
            }),
            "3 virtual channels are not possible; accepted: 1 or 2"
        );
        let one = TorusPlan {
            tail,
            dims_per_chip: 3,
            channels: 1,
            ..plan
        };
        assert_eq!(shape.with(one).unwrap().routing().channels, 1);
    }
}
