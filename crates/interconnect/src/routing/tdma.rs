//! The TDMA schedule of the hypercube (docs/machine.md, "Schedule"; tdma-hypercube,
//! "The Phase Schedule"), and the same of the metacube.
//!
//! A superframe of an n-cube has 2n phases. In phase 2d the nodes whose address
//! bit d is 0 transmit to their neighbour across dimension d, in phase 2d+1
//! those whose bit d is 1. So in every phase every node is a transmitter or a
//! receiver on exactly one link, and every link is used once in each direction.
//!
//! In a metacube a superframe has two phases for each link of a node; the bit is that
//! which the link inverts, in each class another one.
//!
//! Where the order of the links is programmed it takes the place of a superframe: a pair of
//! phases for each link of the order, as often as it stands there
//! (metacube-total-exchange, section 3.2).

use super::{metacube, Schedule, StepNumber};
use crate::topology::{End, Hypercube, Metacube, Topology};
use serde::Serialize;
use std::sync::Arc;

/// The schedule of one cube or metacube. Phases are counted from 0 within the superframe,
/// or within the order of links that is programmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseSchedule {
    shape: Metacube,
    /// By pairs of phases; `None` for superframes, in which links ascend.
    order: Option<Arc<[u32]>>,
}

/// What the whole machine does in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The dimension whose links are in use; in a metacube the number of the link at
    /// every node.
    pub dim: u32,
    /// Nodes whose address bit has this value, 0 or 1, transmit: the bit that the link
    /// inverts.
    pub transmit_bit: u32,
}

/// What one node does in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Transmitter,
    Receiver,
}

/// One line of a hop table: `node` hands the message to `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hop {
    pub node: u32,
    /// The dimension that is crossed; in a metacube the number of the link.
    pub dim: u32,
    /// The bit of the address of `node` that the link inverts.
    pub bit: u32,
    /// The phase in which `node` may transmit on that link.
    pub phase: u32,
    pub next: u32,
}

impl PhaseSchedule {
    pub fn new(shape: impl Into<Metacube>) -> Self {
        let shape = shape.into();
        Self { shape, order: None }
    }

    /// With an order of links, one for each pair of phases, that is programmed and comes
    /// again and again.
    ///
    /// # Panics
    /// If a link does not stand in it, or one that no node has.
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

    /// Whose schedule it is.
    pub fn shape(&self) -> Metacube {
        self.shape
    }

    /// The same, whatever it is.
    pub fn topology(&self) -> &dyn Topology {
        &self.shape
    }

    /// The links by pairs of phases, if they are programmed.
    pub fn order(&self) -> Option<&[u32]> {
        self.order.as_deref()
    }

    /// The link that is open in a phase.
    pub fn link(&self, phase: u32) -> u32 {
        let pair = phase / 2;
        match &self.order {
            Some(order) => order[pair as usize],
            None => pair,
        }
    }

    /// The bit of a node's address that its link inverts.
    fn side(&self, node: u32, link: u32) -> u32 {
        (node >> self.shape.link_bit(node, link)) & 1
    }

    /// Which links a phase uses, and in which direction.
    pub fn slot(&self, phase: u32) -> Slot {
        debug_assert!(phase < self.period());
        Slot {
            dim: self.link(phase),
            transmit_bit: phase % 2,
        }
    }

    /// The phase in which `node` transmits across dimension `dim`, the first of several.
    pub fn transmit_phase(&self, node: u32, dim: u32) -> u32 {
        debug_assert!(dim < self.shape.links());
        let first = |order: &Arc<[u32]>| order.iter().position(|link| *link == dim);
        // Every link stands in an order, which has less than 2^31 pairs.
        let pair = self
            .order
            .as_ref()
            .and_then(first)
            .map_or(dim, |at| at as u32);
        2 * pair + self.side(node, dim)
    }

    /// Whether `node` transmits or receives in `phase`, on its link in the
    /// dimension of the phase's [`Slot`].
    pub fn role(&self, node: u32, phase: u32) -> Role {
        let slot = self.slot(phase);
        if self.side(node, slot.dim) == slot.transmit_bit {
            Role::Transmitter
        } else {
            Role::Receiver
        }
    }

    /// The hops of a message, in the order in which they are made; none if it
    /// is at home already. In a cube a lone message that is ready at phase 0 makes
    /// them all in one superframe.
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

    /// Whether the way of a message leads through a node that `is` so, its ends
    /// included.
    pub fn passes(&self, source: u32, destination: u32, is: impl Fn(u32) -> bool) -> bool {
        is(source)
            || self
                .hops(source, destination)
                .iter()
                .any(|hop| is(hop.next))
    }

    /// Phases in a superframe of nodes with so many links, or in so many pairs.
    pub const fn phases(links: u32) -> u32 {
        2 * links
    }

    /// Whether an order that is programmed consists of superframes, in each of which every link
    /// is open once, but for the last, which may end before.
    pub fn is_of_superframes(&self) -> bool {
        let links = self.shape.links() as usize;
        let is_superframe = |pairs: &[u32]| {
            let open = pairs.iter().fold(0u32, |open, link| open | 1 << link);
            open.count_ones() as usize == pairs.len()
        };
        let order = self.order.as_deref();
        order.is_some_and(|order| order.chunks(links).all(is_superframe))
    }

    /// Superframes, or rounds of the order, that have at least begun when `phases` phases,
    /// counted from the start of the machine, are over.
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

/// Steps are phases, a period is a superframe or a round of the order.
impl Schedule for PhaseSchedule {
    fn period(&self) -> u32 {
        let pairs = self
            .order
            .as_ref()
            .map_or(self.shape.links(), |order| order.len() as u32);
        Self::phases(pairs)
    }

    fn sends(&self, node: u32, step: u32) -> Option<u32> {
        let port = self.slot(step).dim;
        (self.role(node, step) == Role::Transmitter).then_some(port)
    }

    fn step_of(&self, end: End) -> Option<u32> {
        Some(self.transmit_phase(end.node, end.port))
    }

    fn step_label(&self, step: u32) -> String {
        let Slot { dim, transmit_bit } = self.slot(step);
        format!("dim {dim}, bit {transmit_bit}")
    }

    fn step_numbers(&self, step: u32) -> Vec<StepNumber> {
        let Slot { dim, transmit_bit } = self.slot(step);
        let number = |name, bits, value: u32| StepNumber {
            name,
            bits,
            value: value.into(),
        };
        vec![
            number("dimension", 4, dim),
            number("sending", 1, transmit_bit),
        ]
    }
}

/// In which order a message crosses the dimensions in which it still differs from the
/// node that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Routing {
    /// The lowest first. A message has one way, and messages of a source for the same
    /// destination arrive in order.
    #[default]
    ECube,
    /// As the phases come. Messages lie in a pool of places, not in a register for each
    /// link, and may overtake each other.
    Adaptive,
}

/// Which of the registers that want a link is served first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceOrder {
    /// The registers of a link take turns: the search begins with the one after the
    /// last whose message was taken, or with the one that was refused, and with the
    /// first when none wanted the link. None starves.
    #[default]
    Turns,
    /// The receive registers in ascending order, the injection register last. A
    /// register that is served late may starve.
    Ascending,
}

#[cfg(test)]
mod tests;
