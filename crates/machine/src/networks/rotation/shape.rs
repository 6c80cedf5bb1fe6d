//! Parameters of a machine of rotation switches.

use crate::networks::bytes::{ByteDriver, MAX_QUEUE};
use interconnect::routing::rewired::{RewiredRouting, Rewiring};
use interconnect::routing::rotation::{RotationRouting, RotationRule};
use interconnect::routing::Relation;
use interconnect::topology::Hypercube;
use rtl::rotation::{Crossbar, FirstHop, RotationPlan};
use thiserror::Error;

/// Cube and the plan of its switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationShape {
    cube: Hypercube,
    plan: RotationPlan,
    /// Address of a switch that has failed.
    failed: Option<u32>,
}

/// Reason why there is no such machine. The message lists what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RotationShapeError {
    #[error("{0} virtual channels are not possible; accepted: 1 or 2")]
    Channels(usize),
    #[error("queues of {0} bytes are not possible; accepted: 1 to {MAX_QUEUE}")]
    Queue(usize),
    #[error("a table for the first hop in {0} dimensions is too large; accepted: up to {max} dimensions, or the first hop by rotating (serial)", max = RotationPlan::TABLE_DIMS)]
    Table(usize),
    #[error("no wiring of {dims} dimensions past a failed switch is known; accepted: {known} dimensions, and --rule minimal", known = Rewiring::DIMS)]
    Rewired { dims: usize },
}

impl RotationShape {
    /// Creates a machine with two virtual channels and queues of four bytes.
    pub fn new(cube: Hypercube) -> Self {
        RotationShape {
            cube,
            plan: RotationPlan::new(cube.dims() as usize),
            failed: None,
        }
    }

    /// Returns the machine with another plan of switches. The number of dimensions stays the same.
    ///
    /// # Errors
    /// If there are no such switches.
    pub fn with(self, plan: RotationPlan) -> Result<Self, RotationShapeError> {
        let dims = self.plan.dims;
        if !(1..=2).contains(&plan.channels) {
            return Err(RotationShapeError::Channels(plan.channels));
        }
        if !(1..=MAX_QUEUE).contains(&plan.queue) {
            return Err(RotationShapeError::Queue(plan.queue));
        }
        if plan.first == FirstHop::Table && dims > RotationPlan::TABLE_DIMS {
            return Err(RotationShapeError::Table(dims));
        }
        let rewired = self.plan.rewired;
        let plan = RotationPlan {
            dims,
            rewired,
            ..plan
        };
        Ok(RotationShape { plan, ..self })
    }

    /// Returns the machine with a failed switch, and with the other switches wired past it.
    ///
    /// # Errors
    /// If no such wiring is known.
    pub fn with_failed(self, node: u32) -> Result<Self, RotationShapeError> {
        let (dims, rule) = (self.plan.dims, self.plan.rule);
        if (dims, rule) != (Rewiring::DIMS as usize, RotationRule::Minimal) {
            return Err(RotationShapeError::Rewired { dims });
        }
        let plan = RotationPlan {
            rewired: true,
            ..self.plan
        };
        let failed = Some(node);
        Ok(RotationShape {
            plan,
            failed,
            ..self
        })
    }

    /// Returns the bytes of a packet with `payload` bytes of payload: header, data and tail. The
    /// data are one byte longer than the payload.
    pub fn packet(&self, payload: usize) -> usize {
        self.plan.header() + payload + 1 + 1
    }

    /// Returns the clock cycles without a change of a request or acknowledge after which no further
    /// change occurs. A serial choice of the first hop takes as many clock cycles as a header has
    /// bits, in which no wire changes.
    pub fn quiescent_after(&self) -> u64 {
        match self.plan.first {
            FirstHop::Table => ByteDriver::QUIESCENT_AFTER,
            FirstHop::Serial => ByteDriver::QUIESCENT_AFTER + self.plan.dims as u64,
        }
    }

    pub fn cube(&self) -> &Hypercube {
        &self.cube
    }

    pub fn plan(&self) -> RotationPlan {
        self.plan
    }

    /// Returns the switch that has failed.
    pub fn failed(&self) -> Option<u32> {
        self.failed
    }

    pub fn relation(&self) -> Box<dyn Relation> {
        let channels = self.plan.channels as u32;
        match self.failed {
            Some(failed) => Box::new(RewiredRouting { failed, channels }),
            None => Box::new(RotationRouting {
                cube: self.cube,
                rule: self.plan.rule,
                channels,
            }),
        }
    }

    pub fn crossbar(&self) -> &'static Crossbar {
        Crossbar::of(self.plan.scheme(), self.plan.channels, self.plan.dims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_shapes_are_rejected_with_the_accepted_values() {
        let shape = RotationShape::new(Hypercube::new(9).unwrap());
        let plan = shape.plan();
        assert_eq!((plan.first, plan.header()), (FirstHop::Serial, 2));
        let refused = |plan| shape.with(plan).unwrap_err().to_string();
        let first = FirstHop::Table;
        assert_eq!(
            refused(RotationPlan { first, ..plan }),
            "a table for the first hop in 9 dimensions is too large; accepted: up to 8 dimensions, or the first hop by rotating (serial)"
        );
        assert_eq!(
            refused(RotationPlan { queue: 65, ..plan }),
            "queues of 65 bytes are not possible; accepted: 1 to 64"
        );
        let channels = 0;
        assert_eq!(
            refused(RotationPlan { channels, ..plan }),
            "0 virtual channels are not possible; accepted: 1 or 2"
        );
    }
}
