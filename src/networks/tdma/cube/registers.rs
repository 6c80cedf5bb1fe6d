//! Numbering of the message buffers of a node.

use crate::routing::compiled::PLACES;
use crate::routing::tdma::Routing;
use crate::rtl::tdma::places;
use crate::rtl::tdma::register_numbers::{
    arrives_in, injection_register, last_register, leaves_with,
};
use crate::topology::Metacube;

/// Numbering of the buffers of the nodes of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    links: usize,
    bits: usize,
    /// Number of counts of cross edges.
    counts: u32,
    /// Slots of a pool. `None` if the node has a buffer for each link instead.
    places: Option<usize>,
}

impl Registers {
    /// Creates the numbering for nodes that distinguish `counts` counts of cross edges and use this
    /// routing. Nodes with a `compiled` schedule do not route.
    pub fn new(shape: Metacube, counts: u32, routing: Routing, compiled: bool) -> Self {
        let links = shape.links() as usize;
        let places = match routing {
            _ if compiled => Some(PLACES),
            Routing::Adaptive => Some(places(links)),
            Routing::ECube => None,
        };
        Registers {
            counts,
            links,
            bits: shape.bits() as usize,
            places,
        }
    }

    /// Returns the size of the number range, which includes unused numbers.
    pub fn count(self) -> usize {
        self.places
            .unwrap_or_else(|| last_register(self.links, self.bits) + 1)
    }

    /// Returns the number of the injection buffer. A node with a pool has no injection buffer.
    /// There the number after the last slot represents the host.
    pub fn injection(self) -> usize {
        self.places
            .unwrap_or_else(|| injection_register(self.links, self.bits))
    }

    /// Returns the buffer for a message of the host, at a node that processes buffer `at`.
    pub fn injected(self, at: usize) -> usize {
        match self.places {
            Some(_) => at,
            None => self.injection(),
        }
    }

    /// Returns the buffer in which a message arrives over this link, after it leaves `register`.
    /// `chosen` is the slot that a node with a pool has selected for it.
    pub fn after(self, register: usize, link: u32, chosen: usize) -> usize {
        if self.places.is_some() {
            return chosen;
        }
        let crossed = leaves_with(self.links, self.bits, register);
        let crossed = crossed.min(self.counts as usize - 1);
        arrives_in(self.links, self.bits, link as usize, crossed)
    }

    /// Returns the name of a buffer.
    pub fn name(self, register: usize) -> String {
        match self.places {
            Some(places) if register < places => return format!("place {register}"),
            Some(_) => return "host".to_owned(),
            None if register == self.injection() => return "injection".to_owned(),
            None => {}
        }
        let link = register % self.links;
        match leaves_with(self.links, self.bits, register) {
            _ if self.links == self.bits => format!("link {link}"),
            count => format!("link {link}, count {count}"),
        }
    }
}
