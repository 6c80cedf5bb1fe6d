//! TDMA schedule of the hypercube (docs/machine.md, "Schedule"; tdma-hypercube, "The Phase
//! Schedule"), and its counterpart for the metacube.
//!
//! A superframe of an n-cube has 2n phases. In phase 2d the nodes whose address bit d is 0 transmit
//! to their neighbour across dimension d. In phase 2d+1 those whose bit d is 1 transmit. In every
//! phase every node is a transmitter or a receiver on exactly one link. A superframe uses every
//! link once in each direction.
//!
//! In a metacube a superframe has two phases for each link of a node. The bit is the one that the
//! link inverts, which differs between classes.
//!
//! A programmed order of links replaces the superframe. It has a pair of phases for each entry of
//! the order, and a link may occur several times (metacube-total-exchange, section 3.2).

use super::{metacube, Schedule, StepNumber};
use crate::topology::{Hypercube, Metacube, PortEnd, Topology};
use serde::Serialize;
use std::sync::Arc;

/// Schedule of one cube or metacube. Phases are counted from 0 within the superframe, or within the
/// programmed order of links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseSchedule {
    shape: Metacube,
    /// Link of each pair of phases, or `None` for superframes, in which links ascend.
    order: Option<Arc<[u32]>>,
}

/// Activity of the whole machine in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSlot {
    /// Dimension whose links are in use. In a metacube, the number of the link at every node.
    pub dim: u32,
    /// Value, 0 or 1, of the address bit of the transmitting nodes. The bit is the one that the
    /// link inverts.
    pub transmit_bit: u32,
}

/// Activity of one node in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Transmitter,
    Receiver,
}

/// One line of a hop table: `node` sends the message to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    pub node: u32,
    /// Dimension that is crossed. In a metacube, the number of the link.
    pub dim: u32,
    /// Bit of the address of `node` that the link inverts.
    pub bit: u32,
    /// Phase in which `node` may transmit on that link.
    pub phase: u32,
    pub next: u32,
}

impl PhaseSchedule {
    pub fn new(shape: impl Into<Metacube>) -> Self {
        let shape = shape.into();
        Self { shape, order: None }
    }

    /// Returns a schedule with a programmed order of links, one for each pair of phases. The order
    /// repeats without end.
    ///
    /// # Panics
    /// Panics if the order lacks a link, or contains one that no node has.
    pub fn programmed(shape: impl Into<Metacube>, order: impl Into<Arc<[u32]>>) -> Self {
        let (shape, order) = (shape.into(), order.into());
        assert!(
            (0..shape.links()).all(|link| order.contains(&link)),
            "every link has a pair of phases"
        );
        assert!(
            order.iter().all(|link| *link < shape.links()),
            "nodes have the links of the order"
        );
        let order = Some(order);
        Self { shape, order }
    }

    /// Returns the cube or metacube of the schedule.
    pub fn shape(&self) -> Metacube {
        self.shape
    }

    /// Returns the same network as a [`Topology`].
    pub fn topology(&self) -> &dyn Topology {
        &self.shape
    }

    /// Returns the link of each pair of phases, if they are programmed.
    pub fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// Returns the link that is open in a phase.
    pub fn link(&self, phase: u32) -> u32 {
        let pair = phase / 2;
        match &self.order {
            Some(order) => order[pair as usize],
            None => pair,
        }
    }

    /// Value of the bit of a node's address that the link inverts.
    fn side(&self, node: u32, link: u32) -> u32 {
        (node >> self.shape.link_bit(node, link)) & 1
    }

    /// Returns the links that a phase uses, and their direction.
    pub fn slot(&self, phase: u32) -> PhaseSlot {
        debug_assert!(phase < self.period());
        PhaseSlot { dim: self.link(phase), transmit_bit: phase % 2 }
    }

    /// Returns the first phase in which `node` transmits across dimension `dim`.
    pub fn transmit_phase(&self, node: u32, dim: u32) -> u32 {
        debug_assert!(dim < self.shape.links());
        let first = |order: &Arc<[u32]>| order.iter().position(|link| *link == dim);
        // Every link occurs in an order, and an order has less than 2^31 pairs.
        let pair = self.order.as_ref().and_then(first).map_or(dim, |at| at as u32);
        2 * pair + self.side(node, dim)
    }

    /// Returns whether `node` transmits or receives in `phase`, on its link in the dimension of the
    /// phase's [`PhaseSlot`].
    pub fn role(&self, node: u32, phase: u32) -> Role {
        let slot = self.slot(phase);
        if self.side(node, slot.dim) == slot.transmit_bit {
            Role::Transmitter
        } else {
            Role::Receiver
        }
    }

    /// Returns the hops of a message in the order in which they are made, or none if it is at its
    /// destination. In a cube a lone message that is ready at phase 0 makes all hops in one
    /// superframe.
    pub fn hops(&self, source: u32, destination: u32) -> Vec<Hop> {
        let hop = |node| {
            let dim = metacube::next_link(self.shape, node, destination)?;
            Some(Hop {
                node,
                dim,
                bit: self.side(node, dim),
                phase: self.transmit_phase(node, dim),
                next: self.shape.neighbour(node, dim),
            })
        };
        std::iter::successors(hop(source), |last| hop(last.next)).collect()
    }

    /// Returns true if the route of a message includes a node for which `is` is true. The route
    /// includes both ends.
    pub fn route_includes(&self, source: u32, destination: u32, is: impl Fn(u32) -> bool) -> bool {
        is(source) || self.hops(source, destination).iter().any(|hop| is(hop.next))
    }

    /// Number of phases in a superframe of nodes with `links` links, or in `links` pairs.
    pub const fn phases(links: u32) -> u32 {
        2 * links
    }

    /// Returns true if a programmed order consists of superframes, in each of which every link is
    /// open once. The last superframe may be incomplete.
    pub fn consists_of_superframes(&self) -> bool {
        let links = self.shape.links() as usize;
        let is_superframe = |pairs: &[u32]| {
            let open = pairs.iter().fold(0u32, |open, link| open | 1 << link);
            open.count_ones() as usize == pairs.len()
        };
        let order = self.order.as_deref();
        order.is_some_and(|order| order.chunks(links).all(is_superframe))
    }

    /// Number of superframes, or rounds of the order, that have at least begun after `phases`
    /// phases from the start of the machine.
    pub fn superframes(&self, phases: u64) -> u64 {
        phases.div_ceil(self.period().into())
    }
}

impl From<Metacube> for PhaseSchedule {
    fn from(shape: Metacube) -> Self {
        Self::new(shape)
    }
}

impl From<Hypercube> for PhaseSchedule {
    fn from(cube: Hypercube) -> Self {
        Self::new(cube)
    }
}

/// Steps are phases. A period is a superframe or a round of the order.
impl Schedule for PhaseSchedule {
    fn period(&self) -> u32 {
        let pairs = self.order.as_ref().map_or(self.shape.links(), |order| order.len() as u32);
        Self::phases(pairs)
    }

    fn sends(&self, node: u32, step: u32) -> Option<u32> {
        let port = self.slot(step).dim;
        (self.role(node, step) == Role::Transmitter).then_some(port)
    }

    fn step_of(&self, end: PortEnd) -> Option<u32> {
        Some(self.transmit_phase(end.node, end.port))
    }

    fn step_label(&self, step: u32) -> String {
        let PhaseSlot { dim, transmit_bit } = self.slot(step);
        format!("dim {dim}, bit {transmit_bit}")
    }

    fn step_numbers(&self, step: u32) -> Vec<StepNumber> {
        let PhaseSlot { dim, transmit_bit } = self.slot(step);
        let number = |name, bits, value: u32| StepNumber { name, bits, value: value.into() };
        vec![number("dimension", 4, dim), number("sending", 1, transmit_bit)]
    }
}

/// Order in which a message crosses its remaining dimensions. These are the dimensions in which the
/// node that holds it differs from the destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// Lowest dimension first. A message has one route, and messages from one source to one
    /// destination arrive in order.
    #[default]
    ECube,
    /// In the order of the phases. Messages are stored in a pool of slots instead of a buffer for
    /// each link, and may overtake each other.
    Adaptive,
}

/// Service order of the buffers that want a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceOrder {
    /// Round robin over the buffers of a link. The search begins after the buffer whose message was
    /// taken last, or with the buffer whose message got a NAK. It begins with the first buffer if
    /// no buffer wanted the link. No buffer starves.
    #[default]
    RoundRobin,
    /// Receive buffers in ascending order, the injection buffer last. A buffer late in this order
    /// may starve.
    Ascending,
}

#[cfg(test)]
mod tests;
