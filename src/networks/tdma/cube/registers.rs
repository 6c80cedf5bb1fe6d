//! Which register of a node a message is in.

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
}

impl Registers {
    /// Of nodes that tell so many counts of cross edges apart.
    pub fn new(shape: Metacube, counts: u32) -> Self {
        Registers {
            counts,
            links: shape.links() as usize,
            bits: shape.bits() as usize,
        }
    }

    /// Numbers that there are, those that no register has among them.
    pub fn count(self) -> usize {
        last_register(self.links, self.bits) + 1
    }

    /// The injection register.
    pub fn injection(self) -> usize {
        injection_register(self.links, self.bits)
    }

    /// The register that a message comes into by this link, out of this one.
    pub fn after(self, register: usize, link: u32) -> usize {
        let crossed = leaves_with(self.links, self.bits, register);
        let crossed = crossed.min(self.counts as usize - 1);
        arrives_in(self.links, self.bits, link as usize, crossed)
    }

    /// The name of a register.
    pub fn name(self, register: usize) -> String {
        if register == self.injection() {
            return "injection".to_owned();
        }
        let link = register % self.links;
        match leaves_with(self.links, self.bits, register) {
            _ if self.links == self.bits => format!("link {link}"),
            count => format!("link {link}, count {count}"),
        }
    }
}
