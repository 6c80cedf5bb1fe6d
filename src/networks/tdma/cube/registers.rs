//! Which register of a node a message is in.

use crate::routing::compiled::PLACES;
use crate::routing::tdma::Routing;
use crate::rtl::tdma::places;
use crate::rtl::tdma::register_numbers::{
    arrives_in, injection_register, last_register, leaves_with,
};
use crate::topology::Metacube;

/// How the registers of the nodes of a machine are numbered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    links: usize,
    bits: usize,
    /// Different counts of cross edges.
    counts: u32,
    /// Places of a pool, if there is one in place of a register for each link.
    places: Option<usize>,
}

impl Registers {
    /// Of nodes that tell so many counts of cross edges apart and route like this, or, if
    /// theirs is a `compiled` schedule, not at all.
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

    /// Numbers that there are, those that no register has among them.
    pub fn count(self) -> usize {
        self.places
            .unwrap_or_else(|| last_register(self.links, self.bits) + 1)
    }

    /// The injection register. In a pool there is none; the number, after those of the
    /// places, stands for the host.
    pub fn injection(self) -> usize {
        self.places
            .unwrap_or_else(|| injection_register(self.links, self.bits))
    }

    /// The register that a message of the host comes into, at a node that is at this one.
    pub fn injected(self, at: usize) -> usize {
        match self.places {
            Some(_) => at,
            None => self.injection(),
        }
    }

    /// The register that a message comes into by this link, out of this one, at a node
    /// that has chosen a place for it.
    pub fn after(self, register: usize, link: u32, chosen: usize) -> usize {
        if self.places.is_some() {
            return chosen;
        }
        let crossed = leaves_with(self.links, self.bits, register);
        let crossed = crossed.min(self.counts as usize - 1);
        arrives_in(self.links, self.bits, link as usize, crossed)
    }

    /// The name of a register.
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
